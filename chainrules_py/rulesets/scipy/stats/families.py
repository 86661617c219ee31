"""What a rule knows of a distribution: the derivatives of its logarithmic density and of its
distribution function, as a table.

    continuous("gamma", "(a - 1) / x - 1", a="log(x) - psi(a)", cdf={"a": "gammainc_by_a(a, x)"})

Everything is said of the standard form, location 0 and scale 1. The first expression is the
derivative of the logarithm of the density by x, the others are those by the shapes; `cdf`, `mean`,
`var` and `entropy` are derivatives by shapes, too; `pmf` is that of a probability that is 0 at the
edge of the parameters. `middle` is a point inside of the support. Expressions use names of NumPy
and of `scipy.special`, those of `OWN`, and of the distribution itself: `log_density(x)`,
`below(x)`, `above(x)`; `given` names parts that several of them have in common.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import CodeType
from typing import Any

import numpy as np

from chainrules_py.rulesets.scipy.special.bessel_orders import BY_REAL_ORDER
from chainrules_py.rulesets.scipy.special.declaring import FUNCTIONS
from chainrules_py.rulesets.scipy.special.incomplete import (
    ratio_by_dfd,
    ratio_by_dfn,
    student_by_df,
)
from chainrules_py.rulesets.scipy.special.parameter_derivatives import (
    beta_density,
    betainc_by_a,
    betainc_by_b,
    gamma_density,
    gammainc_by_a,
)
from chainrules_py.rulesets.scipy.special.series import (
    exponential_remainder,
    log1p_quotient,
    logarithmic_remainder,
    near_zero,
)
from chainrules_py.rulesets.scipy.stats.module import stats
from chainrules_py.rulesets.scipy.stats.poisson_sums import mean_log_of_next
from chainrules_py.values.arrays import call

Codes = Mapping[str, CodeType]


def normal_density(x: Any, xp: Any) -> Any:
    """exp(-x^2 / 2) / sqrt(2 pi)."""
    return 0.3989422804014327 * xp.exp(-0.5 * x * x)


def mills(x: Any, xp: Any) -> Any:
    """The density of the normal distribution over its distribution function, of which both are tiny
    far below 0.
    """
    return 0.3989422804014327 * xp.exp(-0.5 * x * x - call(FUNCTIONS["log_ndtr"], x))


def over(a: Any, x: Any, xp: Any) -> Any:
    """a / x, and 0 where a is: the power of x in a density may be 1."""
    return xp.where(a == 0, 0, a / xp.where(a == 0, 1, x))


_QUADRATIC = tuple((-1) ** (k + 1) * (k + 1) / (k + 3) for k in range(16))
_STIRLING = (-1 / 12, 1 / 120, -1 / 252, 1 / 240, -1 / 132, 691 / 32760)


def quadratic_remainder(u: Any, xp: Any) -> Any:
    """The derivative of (u - log(1 + u)) / u^2."""
    return near_zero(u, _QUADRATIC, 0.05, lambda u: (2 * xp.log1p(u) - u - u / (1 + u)) / u**3, xp)


def stirling_slope(a: Any, xp: Any) -> Any:
    """a^2 times the derivative of what Stirling's formula lacks of log gamma(a): DLMF 5.11.2."""
    exact = lambda v: (call(FUNCTIONS["psi"], v**-0.5) + 0.5 * xp.log(v) + 0.5 * v**0.5) / v  # noqa: E731
    return near_zero(1 / (a * a), _STIRLING, 0.01, exact, xp)


# Functions that are called with the array namespace besides.
OWN: dict[str, Callable[..., Any]] = {
    "normal_density": normal_density,
    "mills": mills,
    "over": over,
    "gamma_density": gamma_density,
    "beta_density": beta_density,
    "student_by_df": student_by_df,
    "ratio_by_dfn": ratio_by_dfn,
    "ratio_by_dfd": ratio_by_dfd,
    "log1p_quotient": log1p_quotient,
    "logarithmic_remainder": logarithmic_remainder,
    "exponential_remainder": exponential_remainder,
    "quadratic_remainder": quadratic_remainder,
    "stirling_slope": stirling_slope,
}
CALLED = {
    **FUNCTIONS,
    "ive_by_order": BY_REAL_ORDER["ive"],
    "kve_by_order": BY_REAL_ORDER["kve"],
    "gammainc_by_a": gammainc_by_a,
    "betainc_by_a": betainc_by_a,
    "betainc_by_b": betainc_by_b,
    "mean_log_of_next": mean_log_of_next,
}


@dataclass(frozen=True)
class Family:
    """The derivatives that are known of a distribution, each by argument: x, or a shape."""

    name: str
    log_density: Codes = field(default_factory=dict)
    pmf: Codes = field(default_factory=dict)
    cdf: Codes = field(default_factory=dict)
    mean: Codes = field(default_factory=dict)
    var: Codes = field(default_factory=dict)
    entropy: Codes = field(default_factory=dict)
    given: Codes = field(default_factory=dict)
    middle: CodeType = field(default_factory=lambda: _compiled("0.0"))
    constants: frozenset[str] = frozenset()  # shapes that are whole numbers


class Scope(dict[str, Any]):
    """The names of expressions, each found when it is read first; `own` are the functions of the
    distribution itself.
    """

    def __init__(
        self,
        family: Family,
        own: Mapping[str, Callable[..., Any]],
        xp: Any,
        values: Mapping[str, Any],
    ) -> None:
        super().__init__(values)
        self.family, self.own, self.xp = family, own, xp

    def __missing__(self, name: str) -> Any:
        self[name] = found = self._find(name)
        return found

    def evaluate(self, code: CodeType) -> Any:
        """The value of an expression."""
        return eval(code, {"__builtins__": {}}, self)

    def _find(self, name: str) -> Any:
        if name in self.family.given:
            return self.evaluate(self.family.given[name])
        if name in self.own:
            return self.own[name]
        if name in OWN:
            return partial(OWN[name], xp=self.xp)
        return getattr(self.xp, name) if hasattr(np, name) else partial(call, CALLED[name])


FAMILIES: dict[type, Family] = {}


def continuous(name: str, by_x: str, middle: str = "0.0", **derivatives: Any) -> None:
    """Say what is known of a continuous distribution; nothing where this version of SciPy does not
    have it.
    """
    declare(name, {"x": by_x}, middle, **derivatives)


def discrete(name: str, middle: str = "1.0", **derivatives: Any) -> None:
    """Say what is known of a distribution of whole numbers."""
    declare(name, {}, middle, **derivatives)


def declare(
    name: str,
    by_x: Mapping[str, str],
    middle: str,
    *,
    pmf: Mapping[str, str] | None = None,
    cdf: Mapping[str, str] | None = None,
    mean: Mapping[str, str] | None = None,
    var: Mapping[str, str] | None = None,
    entropy: Mapping[str, str] | None = None,
    given: Mapping[str, str] | None = None,
    constants: tuple[str, ...] = (),
    **by_shape: str,
) -> None:
    """Compile the expressions of a distribution, and keep them under its class."""
    if (found := getattr(stats, name, None)) is not None:
        texts = {
            "log_density": {**by_x, **by_shape},
            "cdf": cdf,
            "mean": mean,
            "var": var,
            "entropy": entropy,
            "given": given,
        }
        texts["pmf"] = pmf
        codes = {what: _all_compiled(each) for what, each in texts.items()}
        FAMILIES[type(found)] = Family(
            name, middle=_compiled(middle), constants=frozenset(constants), **codes
        )


def _all_compiled(texts: Mapping[str, str] | None) -> Codes:
    return {name: _compiled(text) for name, text in (texts or {}).items()}


def _compiled(text: str) -> CodeType:
    return compile(text, f"<{text}>", "eval")
