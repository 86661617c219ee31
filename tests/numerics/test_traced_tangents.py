"""Forward mode in which the tangents are traced and the values are not: its pullback is that of
reverse mode.

The derivative of ``d -> jvp(f, (x,), (d,))[1]`` is linear in d, and its adjoint is what `vjp` of f
gives at x. There a rule is bound to the library of the tangents: of SciPy's functions, which NumPy
cannot hand over, one on plain arrays would be lost.
"""

import numpy as np
import pytest

from chainrules_py import frule, rrule
from chainrules_py.tangents import AbstractZero
from chainrules_py.tangents.plain_containers import as_plain_container
from chainrules_py.testing.coordinates import Layout
from chainrules_py.testing.random_tangents import random_tangent, seeded
from chainrules_tape import grad, hvp, jvp, vjp
from chainrules_tape.core.trees import flatten
from chainrules_tape.scipy import fft
from sampled_calls import cases_with_tangents, interceptable

X = np.array([0.3, 0.7, 0.2, 0.9])


CASES = cases_with_tangents()


@pytest.mark.kinds
@pytest.mark.parametrize("case", CASES, ids=[case.name.removesuffix("-reverse") for case in CASES])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_pullback_of_a_pushforward_is_the_pullback(case):
    primal, args, options = case.settings.rules.canonical(
        case.primal, case.sample.args, dict(case.sample.options)
    )
    fixed = case.effective_settings().fixed  # arguments by which nobody has written a derivative
    chosen = [i for i, arg in enumerate(args) if Layout((arg,)).size and i not in fixed]
    called, points = interceptable(primal), tuple(args[i] for i in chosen)

    def function(*values):
        replaced = dict(zip(chosen, values, strict=True))
        return called(*(replaced.get(i, arg) for i, arg in enumerate(args)), **options)

    def push(*dots):
        return jvp(function, points, dots)[1]

    rng = seeded(case.name, seed=0)
    dots = tuple(as_plain_container(random_tangent(rng, point), point) for point in points)
    y, pullback = vjp(function, *points)
    y_bar = as_plain_container(random_tangent(rng, y), y)
    _, pullback_of_push = vjp(push, *dots)
    expected, found = flatten(pullback(y_bar))[0], flatten(pullback_of_push(y_bar))[0]
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        if isinstance(other, AbstractZero):  # of an integer in a container
            assert one is other
        else:
            assert np.allclose(one, other, rtol=1e-9, atol=1e-11, equal_nan=True)


@pytest.mark.parametrize("f", [fft.fft, fft.dct, fft.irfft])
def test_scipy_s_functions_at_other_orders(f):
    y = np.real(f(X))
    assert vjp(lambda d: np.real(jvp(f, (X,), (d,))[1]), X)[1](y)[0] == pytest.approx(
        vjp(lambda x: np.real(f(x)), X)[1](y)[0]
    )

    def loss(x):
        return np.sum(np.abs(f(np.sin(x))) ** 2)

    def slope(d):
        return jvp(loss, (X,), (d,))[1]

    assert grad(slope)(np.ones(4)) == pytest.approx(grad(loss)(X))
    assert hvp(lambda d: slope(d) ** 2, np.ones(4), X) == pytest.approx(
        2 * np.dot(grad(loss)(X), X) * grad(loss)(X)
    )


def test_frule_is_bound_to_the_library_of_traced_tangents():
    import scipy.fft

    y_bar = np.array([1.0, -2.0, 0.5, 3.0])
    assert vjp(lambda d: frule((d,), scipy.fft.dct, X)[1], X)[1](y_bar)[0] == pytest.approx(
        rrule(scipy.fft.dct, X)[1](y_bar)[0]
    )
    # which was remembered for plain tangents
    assert frule((X,), scipy.fft.dct, X)[1] == pytest.approx(scipy.fft.dct(X))
