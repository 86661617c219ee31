"""`scipy.stats` for code that is differentiated: its functions, its distributions, and these with
parameters frozen.

>>> import numpy as np
>>> from chainrules_tape import grad
>>> from chainrules_tape.scipy import stats
>>> grad(lambda mu: stats.norm.logpdf(2.0, mu, scale=1.0))(0.5)
1.5
>>> slope = grad(lambda mu: stats.norm(mu, scale=2.0).logcdf(0.5))(0.5)
>>> bool(np.isclose(slope, -stats.norm.pdf(0.0)))
True

Here are the distributions; `densities` has the class `gaussian_kde`.
"""

from functools import cache, partial
from itertools import takewhile
from typing import Any

from scipy import stats

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.table.registry import default_rules
from chainrules_py.values.signatures import signature_of
from chainrules_tape.core.dispatch import as_operand
from chainrules_tape.core.levels import call_traced, innermost
from chainrules_tape.numpy.namespaces import stand_in
from chainrules_tape.numpy.other_libraries import by_library
from chainrules_tape.refusals.apparent_instances import ApparentInstance
from chainrules_tape.scipy.objects import StandIn
from chainrules_tape.scipy.stats.densities import gaussian_kde as gaussian_kde

_find, __dir__ = stand_in(stats, globals())


class Distribution(ApparentInstance):
    """A distribution of SciPy's, of which the methods that have a rule take traced values.

    It is an instance of SciPy's class for those who ask, and can be pickled; what is assigned to it
    is SciPy's.
    """

    _apparent_class = property(lambda self: type(self.__wrapped__))

    def __init__(self, distribution) -> None:
        object.__setattr__(self, "__wrapped__", distribution)

    def __call__(self, *args, **options) -> Any:
        """The distribution with its parameters: SciPy's own object where these are plain, which
        asks this one.
        """
        if innermost((*args, *options.values())) is None:
            frozen = self.__wrapped__(*args, **options)
            if hasattr(frozen, "dist"):
                frozen.dist = Distribution(frozen.dist)
                return frozen
            return Frozen(self, args, options, type(frozen))
        cls: Any = type(self.__wrapped__)
        return Frozen(self, args, options, class_of_frozen(cls))

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.__wrapped__, name)
        if name == "interval":
            return partial(interval, self)
        return handing_over(method) if has_rule(self.__wrapped__, name) else method

    def __setattr__(self, name: str, value) -> None:
        setattr(self.__wrapped__, name, value)

    def __reduce__(self) -> Any:
        return Distribution, (self.__wrapped__,)

    def __repr__(self) -> str:
        return f"<{self.__wrapped__.name}, interceptable>"


class Frozen(ApparentInstance):
    """A distribution with its parameters, of which some are traced.

    What has no rule is asked of SciPy's own, which takes plain parameters only.
    """

    __chainrules_made_anew__ = True

    def __init__(
        self,
        distribution: Distribution,
        args: Args,
        options: Options,
        cls: type | None,
    ) -> None:
        self.distribution = distribution
        self.parameters, self.options = args, options
        self._apparent_class = cls or Frozen

    def __setattr__(self, name: str, value) -> None:
        if name == "random_state":  # as SciPy takes it: a seed begins one sequence of draws
            of_draws: Any = stats.norm()
            of_draws.random_state = value
            value = of_draws.random_state
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        wrapped = self.distribution.__wrapped__
        if not has_rule(wrapped, name) and name != "interval":
            plain = wrapped(*self.parameters, **self.options)
            if "random_state" in vars(self):
                plain.random_state = self.random_state
            return getattr(plain, name)
        method = getattr(self.distribution, name)
        names = list(signature_of(getattr(wrapped, name)).parameters)
        parameters = dict(self.options)
        if "allow_singular" not in names:  # as entropies do not
            parameters.pop("allow_singular", None)

        def with_parameters(*args, **options):
            if name == "rvs":  # which has these by position where the parameters are frozen
                options |= dict(zip(("size", "random_state"), args, strict=False))
                if "random_state" in vars(self):
                    options.setdefault("random_state", self.random_state)
                args = ()
            by_name = list(takewhile(options.__contains__, names[len(args) :]))
            own = [options.pop(each) for each in by_name]  # they stand before the parameters
            return method(*args, *own, *self.parameters, **parameters, **options)

        return with_parameters

    def __reduce__(self) -> Any:
        given = self.distribution, self.parameters, self.options, self._apparent_class
        return Frozen, given, vars(self)


def made_before(example: Any, *names: str) -> StandIn:
    """What finds the object in the place of one of SciPy's with its parameters, which have names."""

    def in_place_of(own: Any) -> Frozen:
        options = {name: getattr(own, name) for name in names}
        made = Frozen(Distribution(own._dist), (), options, type(own))
        made.random_state = own._dist.random_state  # it draws as that does
        return made

    own = {"made_by": type(example), "in_place_of": staticmethod(in_place_of)}
    return StandIn(type(example).__name__, (), own)


FrozenNormal = made_before(stats.multivariate_normal(), "mean", "cov", "allow_singular")
FrozenStudent = made_before(stats.multivariate_t(), "loc", "shape", "df")
FrozenDirichlet = made_before(stats.dirichlet([1.0, 1.0]), "alpha")
FrozenMultinomial = made_before(stats.multinomial(1, [1.0]), "n", "p")


def interval(distribution: Distribution, confidence, *args, **options) -> tuple[Any, Any]:
    """The quantiles between which a share of the distribution lies, with the same share outside on
    either side.

    >>> stats.norm.interval(0.5) == interval(Distribution(stats.norm), 0.5)
    True
    """
    if innermost((confidence, *args, *options.values())) is None:
        return distribution.__wrapped__.interval(confidence, *args, **options)
    ends = (1 - confidence) / 2, (1 + confidence) / 2
    low, high = (distribution.ppf(end, *args, **options) for end in ends)
    return low, high


@cache
def class_of_frozen(cls) -> type | None:
    """SciPy's class of distributions with their parameters, for distributions in one variable."""
    if issubclass(cls, stats.rv_continuous):
        return type(stats.norm())
    return type(stats.bernoulli(0.5)) if issubclass(cls, stats.rv_discrete) else None


def has_rule(distribution, name: str) -> bool:
    """Whether a distribution has a method of this name that has a rule."""
    method = getattr(type(distribution), name, None)
    return callable(method) and method in default_rules


def handing_over(method: Function) -> Function:
    """A method that hands calls with traced values to the tape, and lists of them as arrays."""

    def intercepted(*args, **options):
        y = by_library(method, args, options)
        if y is not NotImplemented:
            return y
        operands = {name: as_operand(value) for name, value in options.items()}
        return call_traced(method, tuple(map(as_operand, args)), operands)

    return intercepted


def __getattr__(name: str) -> Any:
    found = _find(name)
    if isinstance(found, type) or not hasattr(type(found), "rvs"):
        return found
    globals()[name] = made = Distribution(found)
    return made
