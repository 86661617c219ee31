"""The derivatives of distributions as a table of expressions, an entry for each distribution.

    continuous("gamma", "(a - 1) / x - 1", a="log(x) - psi(a)", cdf={"a": "gammainc_by_a(a, x)"})

Everything is said of the standard form, location 0 and scale 1. The first expression is the
derivative of the logarithm of the density by x, the others are those by the shapes; `cdf`, `mean`,
`var` and `entropy` are derivatives by shapes, too; `pmf` is that of a probability that is 0 at the
edge of the parameters. `middle` is a point inside of the support.

A distribution whose `logcdf` or `logsf` is elementary has derivatives of that by x and by shapes,
`log_cdf` or `log_sf`, in the place of those by `cdf`: they hold far in the tails, too, where the
density and the probability are both too small for a quotient.

Expressions use names of NumPy and of `scipy.special`, of functions that are `named`, and of the distribution
itself: `log_density(x)`, `below(x)`, `above(x)`; `given` names parts that several of them have in
common. A name that is none of these is refused where the distribution is declared. The 600 expressions
of this package are known to be right, and each is compiled when it is first read: all of them take
30 ms.
"""

import ast
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from types import CodeType
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.introspection import caller_location
from chainrules_py.makers.expressions import mathematical, mathematical_names, parse

# these have functions that expressions name
from chainrules_py.rulesets.scipy.special import (
    bessel_orders as bessel_orders,
    distributions as distributions,
    error_functions as error_functions,
)
from chainrules_py.rulesets.scipy.special.declaring import FUNCTIONS, named
from chainrules_py.rulesets.scipy.special.series import near_zero
from chainrules_py.rulesets.scipy.stats import poisson_sums as poisson_sums
from chainrules_py.rulesets.scipy.stats.module import stats
from chainrules_py.values.arrays import call
from chainrules_py.values.discovery import importing
from chainrules_py.values.signatures import takes_namespace


@named
def normal_density(x, xp):
    """exp(-x^2 / 2) / sqrt(2 pi)."""
    return 0.3989422804014327 * xp.exp(-0.5 * x * x)


_QUADRATIC = tuple((-1) ** (k + 1) * (k + 1) / (k + 3) for k in range(16))
_STIRLING = (-1 / 12, 1 / 120, -1 / 252, 1 / 240, -1 / 132, 691 / 32760)


@named
def quadratic_remainder(u, xp):
    """The derivative of (u - log(1 + u)) / u^2."""
    return near_zero(u, _QUADRATIC, 0.05, lambda u: (2 * xp.log1p(u) - u - u / (1 + u)) / u**3, xp)


@named
def stirling_slope(a, xp):
    """a^2 times the derivative of what Stirling's formula lacks of log gamma(a): DLMF 5.11.2."""

    def exact(v):
        return (call(FUNCTIONS["psi"], v**-0.5) + 0.5 * xp.log(v) + 0.5 * v**0.5) / v

    return near_zero(1 / (a * a), _STIRLING, 0.01, exact, xp)


_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730)
# of 1 / a: DLMF 5.15.8
_TRIGAMMA = (0.0, -0.5, -1 / 3, -1 / 6, *(s * b for b in _BERNOULLI[1:] for s in (1, -1)))


@named
def trigamma_excess(a, xp):
    """(a - 1) * polygamma(1, a) - 1, whose terms cancel for large a."""

    def exact(v):
        return (1 / v - 1) * call(FUNCTIONS["zeta"], 2.0, 1 / v) - 1

    return near_zero(1 / a, _TRIGAMMA, 0.05, exact, xp)


# Methods of the distribution itself, in its standard form.
METHODS = {"log_density": "logpdf", "below": "cdf", "above": "sf"}


MIDDLE = "middle"  # the name among the given parts of the point inside of the support


@dataclass(frozen=True, eq=False)
class Family:
    """The derivatives that are known of a distribution: tables of expressions by argument, x or a
    shape; the `variables` that these read, and parts of them that are `given`.
    """

    name: str
    tables: Mapping[str, Mapping[str, str]]
    given: Mapping[str, str]
    variables: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()  # shapes that are whole numbers
    where: str = ""  # its row


@cache
def code_of(text: str, name: str, variables: tuple[str, ...]) -> CodeType:
    """Check and compile an expression of a distribution."""
    own = getattr(stats, name, None), variables, 0, function_named, function_names
    expression = parse(text, *own, f"scipy.stats.{name}")
    return compile(ast.Expression(expression.tree), f"<{text}>", "eval")


class Scope(dict[str, Any]):
    """The values of the names in expressions, each of them found when it is first read.

    `methods` are functions of the distribution itself.
    """

    def __init__(
        self,
        family: Family,
        methods: Mapping[str, Function],
        xp,
        values: Mapping[str, Any],
    ) -> None:
        super().__init__(values)
        self.family, self.methods, self.xp = family, methods, xp

    def __missing__(self, name: str) -> Any:
        self[name] = found = self._find(name)
        return found

    def evaluate(self, text: str) -> Any:
        """Compute the value of an expression."""
        code = code_of(text, self.family.name, self.family.variables)
        return eval(code, {"__builtins__": {}}, self)

    def _find(self, name: str) -> Any:
        if name in self.family.given:
            return self.evaluate(self.family.given[name])
        if name in self.methods:
            return self.methods[name]
        if name not in FUNCTIONS or hasattr(np, name):
            return getattr(self.xp, name)
        function = FUNCTIONS[name]
        return (
            partial(function, xp=self.xp) if takes_namespace(function) else partial(call, function)
        )


def function_named(name: str) -> Any | None:
    """Find the function or constant that a name in an expression stands for; None if there is none."""
    return METHODS.get(name) or FUNCTIONS.get(name, mathematical(name))


def function_names() -> frozenset[str]:
    """List all names that expressions may use, for suggestions."""
    return frozenset((*METHODS, *FUNCTIONS, *mathematical_names()))


def shape_names(distribution) -> tuple[str, ...]:
    """List the names of a distribution's shapes."""
    names = (name.strip() for name in (distribution.shapes or "").split(","))
    return tuple(name for name in names if name)


FAMILIES: dict[type, Family] = {}


def continuous(name: str, by_x: str, middle: str = "0.0", **derivatives) -> None:
    """Declare the derivatives of a continuous distribution, if this version of SciPy has it."""
    declare_family(name, {"x": by_x}, middle, **derivatives)


def discrete(name: str, **derivatives) -> None:
    """Declare the derivatives of a distribution of whole numbers."""
    declare_family(name, {}, "1.0", **derivatives)


def declare_family(
    name: str,
    by_x: Mapping[str, str],
    middle: str,
    *,
    given: Mapping[str, str] | None = None,
    constants: tuple[str, ...] = (),
    **derivatives: str | Mapping[str, str],
) -> None:
    """Keep the expressions of a distribution under its class, those of others checked and compiled.

    `derivatives` are those of the log-density by a shape, and tables of those of a method.
    """
    distribution = getattr(stats, name, None)
    if distribution is None:
        return
    by_shape = {key: text for key, text in derivatives.items() if isinstance(text, str)}
    tables = defaultdict[str, Mapping[str, str]](dict, log_density={**by_x, **by_shape})
    tables |= {key: table for key, table in derivatives.items() if not isinstance(table, str)}
    parts = given or {}
    variables = ("x", *shape_names(distribution), *parts)
    parts = {**parts, MIDDLE: middle}
    if not importing.shipped:
        for text in [text for table in (*tables.values(), parts) for text in table.values()]:
            code_of(text, name, variables)
    FAMILIES[type(distribution)] = Family(
        name, tables, parts, variables, constants, caller_location(2)
    )
