"""HIPS autograd with our rules in the place of its own, and a user's function by a rule of ours and
by one of autograd's.

Both sides are the same program in one process. Our rules are installed and taken out again between
two samples.
"""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.measure import calibrated, paired_ratio, ratio, sample
from benchmarks.titles import titled
from chainrules_py import primitive, scalar_rule

SIZE, ROUNDS, SECONDS = 10, 5, 0.02
X = np.linspace(0.5, 1.5, SIZE)
WEIGHTS = np.random.default_rng(0).normal(size=(SIZE, SIZE)) / 3
MATRIX = WEIGHTS @ WEIGHTS.T + np.eye(SIZE)

Function = Callable[[Any, Any], Any]


def chain(anp: Any, x: Any) -> Any:
    """50 × (sin, multiply)."""
    for _ in range(50):
        x = anp.multiply(anp.sin(x), 1.01)
    return anp.sum(x)


def layers(anp: Any, x: Any) -> Any:
    """Ten layers of ten, with operators."""
    for _ in range(10):
        x = anp.tanh(anp.dot(x, WEIGHTS) + x)
    return anp.mean(x**2)


def algebra(anp: Any, x: Any) -> Any:
    """Two solves and a determinant."""
    a = MATRIX + anp.diag(x)
    return anp.sum(anp.linalg.solve(a, anp.linalg.solve(a, x))) + anp.linalg.det(a)


PROGRAMS: dict[str, Function] = {"chain": chain, "layers": layers, "algebra": algebra}


def gradient(f: Callable[[Any], Any]) -> Callable[[], Any]:
    from autograd import grad

    return lambda: grad(f)(X)


def tangent(f: Callable[[Any], Any]) -> Callable[[], Any]:
    from autograd import make_jvp

    return lambda: make_jvp(f)(X)(X)[1]


def product(f: Callable[[Any], Any]) -> Callable[[], Any]:
    from autograd import hessian_vector_product

    return lambda: hessian_vector_product(f)(X, X)


DERIVATIVES = {"gradient": gradient, "tangent": tangent, "Hessian-vector product": product}


class Installed:
    """Programs of autograd's users with our rules installed in the place of autograd's, in units of
    autograd's own.
    """

    params = (tuple(PROGRAMS), tuple(DERIVATIVES))
    param_names = ("program", "derivative")

    def setup(self, name: str, derivative: str) -> None:
        if find_spec("autograd") is None:
            raise NotImplementedError("autograd is not installed")
        import autograd.numpy as anp

        from chainrules_autograd import install

        if (name, derivative) == ("algebra", "tangent"):
            raise NotImplementedError("autograd has no forward rules of linalg")
        self.run = DERIVATIVES[derivative](lambda x: PROGRAMS[name](anp, x))
        self.install = lambda: install(replace=True, follow=False)
        theirs, installed = self.run(), self.install()
        np.testing.assert_allclose(self.run(), theirs, rtol=1e-8)
        installed.undo()

    @titled("with our rules / with autograd's", "ratio")
    def track_ratio(self, name: str, derivative: str) -> float:
        calls, _ = calibrated(self.run, SECONDS)
        samples: tuple[list[float], list[float]] = ([], [])
        for _ in range(ROUNDS):
            samples[1].append(warm_sample(self.run, calls))
            installed = self.install()
            samples[0].append(warm_sample(self.run, calls))
            installed.undo()
        return paired_ratio(*samples)


def warm_sample(run: Callable[[], Any], calls: int) -> float:
    """Seconds per call once Python knows autograd's names again, which have just been replaced."""
    sample(run, max(10, calls // 2))
    return sample(run, calls)


@primitive
def softplus(x: Any) -> Any:
    """A function of a user's."""
    return np.logaddexp(x, 0.0)


scalar_rule(softplus, "x", "1 / (1 + exp(-x))")


class Primitives:
    """A function marked as primitive, called 50 times on autograd's boxes, in units of one with
    autograd's own rules.
    """

    params = ("gradient", "tangent")
    param_names = ("derivative",)

    def setup(self, derivative: str) -> None:
        if find_spec("autograd") is None:
            raise NotImplementedError("autograd is not installed")
        import autograd.numpy as anp
        from autograd.extend import defjvp, defvjp, primitive as autograd_primitive

        theirs = autograd_primitive(softplus.__wrapped__)
        defvjp(theirs, lambda ans, x: lambda g: g / (1 + anp.exp(-x)))
        defjvp(theirs, lambda g, ans, x: g / (1 + anp.exp(-x)))

        def repeated(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
            def program(x: Any) -> Any:
                for _ in range(50):
                    x = f(x)
                return anp.sum(x)

            return program

        self.ours, self.theirs = (DERIVATIVES[derivative](repeated(f)) for f in (softplus, theirs))
        np.testing.assert_allclose(self.ours(), self.theirs(), rtol=1e-12)

    @titled("our rule / autograd's defvjp", "ratio")
    def track_ratio(self, derivative: str) -> float:
        return ratio(self.ours, self.theirs)
