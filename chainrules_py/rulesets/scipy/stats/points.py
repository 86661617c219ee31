"""A call of a method of a distribution: its density, and derivatives from the tables."""

from collections import defaultdict
from collections.abc import Callable
from functools import cached_property
from typing import Any

from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.rulesets.scipy.stats.families import (
    FAMILIES,
    METHODS,
    MIDDLE,
    Family,
    Scope,
    shape_names,
)
from chainrules_py.rulesets.scipy.stats.module import stats
from chainrules_py.tangents import AbstractTangent, not_implemented
from chainrules_py.values.arrays import call

UNKNOWN = Family("", defaultdict(dict), {MIDDLE: "0.0"})
OF_DISTRIBUTION_FUNCTION = ("cdf", "log_cdf", "log_sf")  # which moves between whole numbers, too


class Point:
    """A call of a method: the distribution, the parameters, and where its density is asked."""

    def __init__(self, distribution, x, parameters: tuple[Any, ...], xp) -> None:
        count = distribution.numargs
        self.distribution, self.x, self.parameters, self.xp = distribution, x, parameters, xp
        self.continuous = isinstance(distribution, stats.rv_continuous)
        self.family = FAMILIES.get(type(distribution), UNKNOWN)
        self.shapes = dict(zip(shape_names(distribution), parameters, strict=False))
        self.loc, self.scale = (*parameters[count:], *(0, 1)[len(parameters) - count :])[:2]

    def ask(self, name: str) -> Any:
        """A method of the same distribution with the same parameters."""
        return call(
            getattr(type(self.distribution), name), self.distribution, self.x, *self.parameters
        )

    @cached_property
    def log_density(self) -> Any:
        """The logarithm of the density, or of the probability of a whole number."""
        return self.ask("logpdf" if self.continuous else "logpmf")

    @cached_property
    def density(self) -> Any:
        """The density of a continuous distribution."""
        return self.ask("pdf")

    @cached_property
    def inside(self) -> Any:
        """Where the density is positive."""
        return self.log_density > -self.xp.inf

    @cached_property
    def z(self) -> Any:
        """The argument in the standard form; of a discrete distribution the whole number below it."""
        if self.continuous:
            return (self.x - self.loc) / self.scale
        return self.xp.floor(self.x - self.loc)

    @cached_property
    def counted(self) -> Any:
        """Where the distribution function moves: inside of the support.

        That of whole numbers moves between these, too.
        """
        if self.continuous:
            return self.inside
        shapes = map(ignore_derivatives, self.shapes.values())
        first, last = call(type(self.distribution).support, self.distribution, *shapes)
        return (self.z >= first) & (self.z < last)

    @cached_property
    def scope(self) -> Scope:
        """The names of expressions of the density.

        Outside of the support they are evaluated at a point inside.
        """
        return self.scope_of(self.inside)

    @cached_property
    def scope_of_cdf(self) -> Scope:
        """The names of expressions of the distribution function."""
        return self.scope if self.continuous else self.scope_of(self.counted)

    def scope_of(self, known) -> Scope:
        """The names of expressions, with the argument where it is known and a point inside
        elsewhere.
        """
        scope = self.scope_at(None)
        scope["x"] = self.xp.where(known, self.z, scope.evaluate(self.family.given[MIDDLE]))
        return scope

    def scope_at(self, x) -> Scope:
        """The names of expressions at an argument of the standard form."""
        names = METHODS if self.continuous else METHODS | {"log_density": "logpmf"}
        methods = {name: self._standard(method) for name, method in names.items()}
        return Scope(self.family, methods, self.xp, {**self.shapes, "x": x})

    def _standard(self, method: str) -> Callable[[Any], Any]:
        function = getattr(type(self.distribution), method)
        shapes = tuple(self.shapes.values())
        return lambda x: call(function, self.distribution, x, *shapes)

    def within(self, slope, known) -> Any:
        """A derivative where it is known.

        Zero elsewhere, and nan where the parameters are those of no distribution.
        """
        nothing = self.xp.where(self.log_density == self.log_density, 0.0, self.log_density)
        return self.xp.where(known, slope, nothing)

    def has(self, method: str, name: str) -> bool:
        """Whether a derivative of a method is in the table."""
        return name in self.family.tables[method]

    def known(self, method: str, name: str) -> Any:
        """A derivative from the table, or the value that says that it is not there."""
        if not self.has(method, name):
            got = f"the derivative of scipy.stats.{self.distribution.name} by {name}"
            return not_implemented(got)
        scope = self.scope_of_cdf if method in OF_DISTRIBUTION_FUNCTION else self.scope
        return scope.evaluate(self.family.tables[method][name])


def times_if_implemented(factor, slope) -> Any:
    """A product, which is the second factor where that says that a derivative is not implemented."""
    return slope if isinstance(slope, AbstractTangent) else factor * slope
