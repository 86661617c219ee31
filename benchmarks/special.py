"""Functions of `scipy.special`: what a rule and its pullback cost above the bare function, next to ufuncs of NumPy.

Each pair has partials of about the same arithmetic, so that the figure, the quotient of the two costs, is about the rules.
"""

import numpy as np
from scipy import special

from benchmarks.measure import excess
from benchmarks.titles import titled
from chainrules_py import default_rules

PAIRS = {
    "expit and tanh": (special.expit, np.tanh),  # made of the output
    "erf and arcsinh": (special.erf, np.arcsinh),  # arithmetic and one more function
    "j0 and sin": (special.j0, np.sin),  # another function of the argument
}


def cost(function: np.ufunc, x: np.ndarray, budget: float = 0.3) -> float:
    """Seconds of a rule and its pullback above the function."""
    rule = default_rules.resolve("reverse", function, (np.ndarray,))
    y_bar = np.ones_like(x)
    return excess(lambda: rule(x)[1](y_bar), lambda: function(x), budget)


class Special:
    """One figure per pair."""

    params = tuple(PAIRS)
    param_names = ("pair",)

    @titled("rule above function / rule of a ufunc", "ratio")
    def track_cost(self, pair: str) -> float:
        ours, numpys = PAIRS[pair]
        x = np.linspace(0.1, 2.0, 12)
        return cost(ours, x) / cost(numpys, x)
