"""Our rules in PyTorch: a value and its backward pass by `to_torch`, against an autograd function
written for it by hand.

The one by hand computes in PyTorch where PyTorch has the function, as our rule does there, and in
NumPy elsewhere. It keeps what it needs as tensors, and has `setup_context`, as PyTorch recommends
and `torch.func` demands; the one in the older form, which has no transformations, is quicker and
measured beside it.
"""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.measure import ratio
from benchmarks.titles import titled
from chainrules_py import primitive, scalar_rule


@primitive
def kepler(m: Any, ecc: Any) -> Any:
    """Eccentric anomaly E of an orbit: the root of E - ecc*sin(E) = m, in seven steps of Newton."""
    anomaly = m
    for _ in range(7):
        anomaly = anomaly - (anomaly - ecc * np.sin(anomaly) - m) / (1 - ecc * np.cos(anomaly))
    return anomaly


scalar_rule(kepler, "m, ecc", "1 / (1 - ecc*cos(out))", "sin(out) / (1 - ecc*cos(out))")


def tanh_bars(y_bar: Any, y: Any, x: Any) -> tuple[Any, ...]:
    return (y_bar * (1 - y * y),)


def kepler_bars(y_bar: Any, y: Any, m: Any, ecc: Any) -> tuple[Any, ...]:
    scaled = y_bar / (1 - ecc * np.cos(y))
    return scaled, np.sin(y) * scaled


def matmul_bars(y_bar: Any, y: Any, a: Any, b: Any) -> tuple[Any, ...]:
    return y_bar @ b.T, a.T @ y_bar


def in_numpy(primal: Callable[..., Any]) -> Callable[..., Any]:
    """A function of tensors that NumPy computes."""
    import torch

    return lambda *inputs: torch.from_numpy(primal(*(x.detach().numpy() for x in inputs)))


def bars_in_numpy(bars_of: Callable[..., tuple[Any, ...]]) -> Callable[..., tuple[Any, ...]]:
    """A pullback of tensors that NumPy computes."""
    import torch

    return lambda *tensors: tuple(
        map(torch.from_numpy, bars_of(*(x.detach().numpy() for x in tensors)))
    )


RULES: dict[
    str, tuple[Callable[..., Any], Callable[..., tuple[Any, ...]], list[tuple[int, ...]]]
] = {
    "tanh, 10": (np.tanh, tanh_bars, [(10,)]),
    "tanh, 10000": (np.tanh, tanh_bars, [(10_000,)]),
    "kepler, 100": (kepler, kepler_bars, [(100,), (100,)]),
    "matmul, 30": (np.matmul, matmul_bars, [(30, 30), (30, 30)]),
}


def by_hand(
    primal: Callable[..., Any], bars_of: Callable[..., tuple[Any, ...]], older: bool
) -> Callable[..., Any]:
    """The autograd function that a person writes for one NumPy function."""
    import torch

    own = getattr(torch, primal.__name__, None)
    compute, pull = (own, bars_of) if own else (in_numpy(primal), bars_in_numpy(bars_of))

    def value(*inputs: Any) -> Any:
        return compute(*inputs)

    def backward(ctx: Any, y_bar: Any) -> Any:
        return pull(y_bar, *ctx.saved_tensors)

    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.save_for_backward(output, *inputs)

    def forward(ctx: Any, *inputs: Any) -> Any:
        y = value(*inputs)
        ctx.save_for_backward(y, *inputs)
        return y

    methods = {"forward": forward} if older else {"forward": value, "setup_context": setup_context}
    made = {
        name: staticmethod(method) for name, method in (methods | {"backward": backward}).items()
    }
    function: Callable[..., Any] = type("ByHand", (torch.autograd.Function,), made).apply
    return function


class Backward:
    """A value and a backward pass through one function."""

    params = tuple(RULES)
    param_names = ("function",)

    def setup(self, name: str) -> None:
        if find_spec("torch") is None:
            raise NotImplementedError("torch is not installed")
        import torch

        from chainrules_torch import to_torch

        torch.set_num_threads(1)
        primal, bars_of, shapes = RULES[name]
        rng = np.random.default_rng(0)
        inputs = [
            torch.tensor(rng.uniform(0.1, 0.5, shape), requires_grad=True) for shape in shapes
        ]
        y_bar = torch.tensor(
            rng.uniform(0.1, 0.5, primal(*(x.detach().numpy() for x in inputs)).shape)
        )

        def run(f: Callable[..., Any]) -> Callable[[], Any]:
            return lambda: torch.autograd.grad(f(*inputs), inputs, y_bar)

        self.ours = run(to_torch(primal))
        self.hand, self.older = (run(by_hand(primal, bars_of, older)) for older in (False, True))
        for theirs in (self.hand, self.older):
            torch.testing.assert_close(self.ours(), theirs())

    @titled("to-torch / by hand", "ratio")
    def track_by_hand(self, name: str) -> float:
        return ratio(self.ours, self.hand)

    @titled("to-torch / by hand, older form", "ratio")
    def track_older(self, name: str) -> float:
        return ratio(self.ours, self.older)
