"""Functions of `scipy.special`: what a rule and its pullback cost above the same derivative by
hand, next to ufuncs of NumPy.

By hand, because the derivatives themselves differ: that of `j0` is another Bessel function, that of
`sin` a cosine.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from benchmarks.measure import excess
from benchmarks.titles import titled
from chainrules_py import default_rules


class Case(NamedTuple):
    """A ufunc, and its derivative times a cotangent by hand, given that, its argument and its
    value.
    """

    function: np.ufunc
    by_hand: Callable[[Any, Any, Any], Any]


PAIRS = {
    "expit and tanh": (
        Case(special.expit, lambda y_bar, x, y: y_bar * (y * (1 - y))),
        Case(np.tanh, lambda y_bar, x, y: y_bar * (1 - y * y)),
    ),
    "erf and arcsinh": (
        Case(special.erf, lambda y_bar, x, y: y_bar * (1.1283791670955126 * np.exp(-x * x))),
        Case(np.arcsinh, lambda y_bar, x, y: y_bar / np.sqrt(1 + x * x)),
    ),
    "j0 and cos": (
        Case(special.j0, lambda y_bar, x, y: y_bar * -special.j1(x)),
        Case(np.cos, lambda y_bar, x, y: y_bar * -np.sin(x)),
    ),
}


def cost(case: Case, x: np.ndarray, budget: float = 2.0) -> float:
    """Seconds of a rule and its pullback above the function and its derivative by hand."""
    function, by_hand = case
    rule = default_rules.resolve("reverse", function, (np.ndarray,))
    y_bar = np.ones_like(x)
    return excess(
        lambda: rule(x)[1](y_bar), lambda: by_hand(y_bar, x, function(x)), budget, seconds=0.001
    )


class Special:
    """One figure per pair."""

    params = tuple(PAIRS)
    param_names = ("pair",)

    @titled("rule above by hand / of a NumPy ufunc", "ratio")
    def track_cost(self, pair: str) -> float:
        ours, numpys = PAIRS[pair]
        x = np.linspace(0.1, 2.0, 12)
        return cost(ours, x) / cost(numpys, x)
