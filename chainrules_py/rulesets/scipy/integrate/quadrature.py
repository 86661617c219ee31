"""Integrals of `scipy.integrate`, differentiated by limits and parameters (Leibniz's rule).

The derivative of an integral is an integral: of the integrand's pullback, a vector with an entry
per parameter. That one is computed by `quad_vec` with the tolerances of the first, and is
differentiated like it, to any order.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import integrate, special

from chainrules_py import composed
from chainrules_py.annotations import Args, Function, Options
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.makers import primitive
from chainrules_py.rules.config import (
    HasForwardsMode,
    HasReverseMode,
    RuleConfig,
    frule_via_ad,
    rrule_via_ad,
)
from chainrules_py.rulesets.formulas.coordinates import Coordinates, pair
from chainrules_py.rulesets.formulas.each_example import (
    has_lanes,
    pullback_of_each,
    tangent_of_each,
)
from chainrules_py.rulesets.formulas.programs import all_cotangents, of_needed, rrule_of_needed
from chainrules_py.rulesets.scipy.integrate.fixed_nodes import (
    Integral,
    limits,
    plain_leaves,
)
from chainrules_py.rulesets.scipy.integrate.jumps import has_jumps, step_inside
from chainrules_py.rulesets.scipy.integrate.nodes import are_numpys
from chainrules_py.rulesets.scipy.integrate.weighted import WEIGHTS
from chainrules_py.rulesets.scipy.options import without_rule
from chainrules_py.table.entry_points import Pullback
from chainrules_py.table.registry import default_rules
from chainrules_py.tangents import NO_TANGENT, ZERO, is_zero, materialize, not_implemented
from chainrules_py.values.arrays import common_namespace
from chainrules_py.values.captured_values import frozen

rrule, frule = default_rules.rrule, default_rules.frule
ERROR = "the derivative of an estimate of the error is not needed by anybody yet"


@primitive
def integral(f: Function, a, b, args, **options) -> Any:
    """The integral of f(x, *args) over x from a to b, a number or an array."""
    return integrate.quad_vec(lambda x: f(x, *args), a, b, **options)[0]


@rrule.register(integral)
def integral_rrule(
    f,
    a,
    b,
    args,
    *,
    config: HasReverseMode,
    needs: tuple[bool, ...],
    **options,
) -> tuple[Any, Pullback]:
    """b_bar = <f(b), y_bar>, and the integral of the integrand's pullback."""
    y, space = integral(f, a, b, args, **options), Coordinates((f, args))

    def integrand(x, f, args, y_bar):
        return space.vector(
            pair(*rrule_via_ad(config, lambda f, args: 1.0 * f(x, *args), f, args)[1](y_bar))
        )

    def end_bar(x, other, needed: bool, sign: float, y_bar) -> Any:
        # the integrand may be infinite at a limit that does not move
        if not (needed and Coordinates(x).size):
            return NO_TANGENT
        if not np.isfinite(ignore_derivatives(x)):
            return ZERO
        value = at_limit(f, x, other, args)
        xp = common_namespace([value, y_bar])
        return sign * xp.sum(xp.real(xp.conj(value) * y_bar))

    def integral_pullback(y_bar) -> tuple[Any, ...]:
        f_bar, args_bar = NO_TANGENT, NO_TANGENT
        if (needs[0] or needs[3]) and space.size:
            refuse_moving_jumps(f, a, b, args, np.ones(space.size))
            f_bar, args_bar = space.tangent(integral(integrand, a, b, (f, args, y_bar), **options))
        a_bar, b_bar = end_bar(a, b, needs[1], -1.0, y_bar), end_bar(b, a, needs[2], 1.0, y_bar)
        return f_bar, a_bar, b_bar, args_bar

    return y, integral_pullback


@frule.register(integral)
def integral_frule(
    dots: tuple[Any, ...],
    f,
    a,
    b,
    args,
    *,
    config: HasForwardsMode,
    **options,
) -> tuple[Any, Any]:
    """y_dot = f(b) b_dot - f(a) a_dot, and the integral of the integrand's tangent."""
    space = Coordinates((f, args))

    def integrand(x, f, args, vector):
        value, moved = frule_via_ad(
            config, tuple(space.tangent(vector)), lambda f, args: 1.0 * f(x, *args), f, args
        )
        return materialize(moved, like=value)

    y_dot: Any = ZERO
    if not (is_zero(dots[0]) and is_zero(dots[3])):
        vector = space.vector(pair(dots[0], dots[3]))
        refuse_moving_jumps(f, a, b, args, vector)
        y_dot = integral(integrand, a, b, (f, args, vector), **options)
    for x, other, x_dot in ((a, b, -dots[1]), (b, a, dots[2])):
        if not is_zero(x_dot) and np.isfinite(ignore_derivatives(x)):
            y_dot = y_dot + at_limit(f, x, other, args) * x_dot
    return integral(f, a, b, args, **options), y_dot


def refuse_moving_jumps(f, a, b, args, moving) -> None:
    """Refuse integrals over a jump that moves with some coordinates of f and args."""
    low, high, moving = ignore_derivatives((a, b, moving))
    jumps_between(low, high, plain_leaves((f, args)), moving)


@primitive
def jumps_between(low, high, given, moving) -> bool:
    """Whether an integrand of plain numbers jumps, in any lane."""
    return are_numpys((low, high, given, moving)) and has_jumps(
        lambda x, f, args: f(x, *args), low, high, given, lambda: moving
    )


def at_limit(f, x, other, args) -> Any:
    """The value of an integrand at a limit, approached from the other limit."""
    end, far = ignore_derivatives((x, other))
    return f(x + step_from(end, far, plain_leaves((f, args))), *args)


@primitive
def step_from(end, other, given) -> float:
    """The step from a limit into the range, for an integrand of plain numbers."""
    f, args = given
    is_at_hand = are_numpys((end, other, given)) and np.isfinite(end)
    return step_inside(lambda x: f(x, *args), end, other) if is_at_hand else 0.0


# --- SciPy's functions, which return the value and an estimate of its error ---


@primitive
def quad(func, a, b, args, wvar: Any = None, **options) -> tuple[float, float]:
    """The integral of a number, by QUADPACK."""
    return integrate.quad(func, a, b, args, wvar=wvar, **options)


@primitive
def quad_vec(f, a, b, args, **options) -> tuple[Any, Any]:
    """The integral of an array."""
    return integrate.quad_vec(f, a, b, args=args, **options)


@primitive
def nquad(func, args, *ends, **options) -> Any:
    """The integral of func(x0, x1, ..., *args) over all x, each between two of the ends."""
    return integrate.nquad(func, ranges_of(ends), args, options)


# the integrand, its ranges, the innermost first, and further arguments
Nested = tuple[Any, Any, Any]
DEFAULTS = {"epsabs": 1.49e-8, "epsrel": 1.49e-8}  # of quad; those of quad_vec are other ones


def as_quad(
    f,
    a,
    b,
    args,
    wvar: Any = None,
    *,
    weight: Any = None,
    complex_func: bool = False,
    **options,
):
    """The value of `quad`, as calls of `integral`; the values say whether the integrand is complex."""

    def integrate(f, a, b, args) -> Any:
        return integral(f, a, b, args, **options)

    if weight is None:
        return integrate(f, a, b, args)
    return WEIGHTS[weight](integrate, f, a, b, args, wvar)


@dataclass(frozen=True, eq=False)
class OfOuter:
    """A limit that is a function of the outer variables, outermost first."""

    function: Function
    count: int

    def __call__(self, *x) -> Any:
        """The limit, given the outer variables and further arguments."""
        return self.function(*x[: self.count][::-1])


@dataclass(frozen=True, eq=False)
class OfRange:
    """One of the two limits that a function of outer variables and further arguments returns."""

    function: Function
    number: int

    def __call__(self, *x) -> Any:
        """The limit."""
        return self.function(*x)[self.number]


def ranges_of(ends) -> tuple[Any, ...]:
    """The ranges of variables between two ends each: pairs, or functions that give pairs."""
    return tuple([range_of(low, high) for low, high in zip(ends[::2], ends[1::2], strict=True)])


def range_of(low, high) -> Any:
    """A pair of limits, or a function that gives one where one of them is a function."""
    if not (callable(low) or callable(high)):
        return low, high
    return lambda *x: tuple([end(*x) if callable(end) else end for end in (low, high)])


def one_range(func, a, b, args, wvar: Any = None) -> Nested:
    """The integrand, ranges and arguments of `quad` without a weight."""
    return func, ((a, b),), args


def any_ranges(func, args, *ends) -> Nested:
    """The integrand, ranges and arguments of `nquad`."""
    return func, ranges_of(ends), args


def as_integrals(func, args, *ends, **options):
    """The value of `nquad`, as integrals in integrals."""

    def over(x, func, args, ends) -> Any:
        if not ends:
            return func(*x, *args)
        low, high = limits(range_of(*ends[-2:]), x, args)
        return integral(
            lambda at, x, func, args, ends: over((at, *x), func, args, ends),
            *(low, high, (x, func, args, ends[:-2])),
            **options,
        )

    return over((), func, args, ends)


@composed(integrate.fixed_quad, one_by_one=True)
def fixed_quad(func, a, b, args=(), *, n=5, xp) -> tuple[Any, None]:
    """The sum over the nodes of Gauss and Legendre, without an estimate of its error."""
    nodes, weights = special.roots_legendre(n)
    half = (b - a) / 2
    values = func(half * (nodes + 1) + a, *args)
    return half * xp.sum(weights * values, axis=-1), None


@dataclass(frozen=True, eq=False)
class Quadrature:
    """A function of SciPy with its options, and `compose`, the program of integrals that is
    differentiated instead.

    Where `nested` is given, a sum over nodes is tried first; not where only the limits of one variable
    move: these want values of the integrand at plain numbers, which compiled code has, too.
    """

    compose: Function
    nested: Callable[..., Nested] | None
    options: dict[str, Any]

    def pullback(
        self, config: RuleConfig, needs: tuple[bool, ...], value, *args
    ) -> Callable[[Any], tuple[Any, ...]]:
        """The pullback of the value, at some arguments."""

        # what nobody differentiates by is a constant: a limit where f is infinite, say
        def pullback(value_bar):
            if self.nested is not None and Coordinates(self.beside_limits(args, needs)).size:
                of_call = Integral(*of_needed(self.nested, args, needs), value, self.options)
                bars = of_call.pulled_back(config, value_bar)
                if bars is not None:
                    return NO_TANGENT, *all_cotangents(bars, needs)
            _, pull = rrule_of_needed(config, self.compose, args, needs, **self.options)
            return NO_TANGENT, *pull(value_bar)

        return pullback

    def beside_limits(self, values, needs: Sequence[bool]) -> tuple[Any, ...]:
        """The needed values for each argument, without the limits of one variable.

        Integrals over more of them take longer for one value than for all nodes.
        """
        limits = (1, 2) if self.nested is one_range else ()
        return tuple([x for k, x in enumerate(values) if needs[k] and k not in limits])

    def tangent(self, config: RuleConfig, dots: tuple[Any, ...], value, *args) -> Any:
        """The tangent of the value along those of itself and of some arguments."""
        moving = self.beside_limits(dots[1:], [not is_zero(dot) for dot in dots[1:]])
        if self.nested is not None and moving:
            of_call = Integral(self.nested, args, value, self.options, dots[1:])
            y_dot = of_call.pushed_forward(config)
            if y_dot is not None:
                return y_dot
        return frule_via_ad(config, dots[1:], self.compose, *args, **self.options)[1]


def declare_quadrature(
    run,
    compose: Function,
    defaults: dict[str, Any],
    nested: Callable[..., Nested] | None,
) -> None:
    """Rules of a function whose value is what `compose` computes."""

    @rrule.register(run)
    def quadrature_rrule(
        *args, config: HasReverseMode, needs: tuple[bool, ...], **options
    ) -> tuple[Any, Pullback]:
        y, args = run(*args, **options), frozen(args)
        make = partial(Quadrature(compose, nested, {**defaults, **options}).pullback, config, needs)
        if has_lanes(args):
            make = partial(pullback_of_each, make)
        pullback = make(y[0], *args)

        def quadrature_pullback(y_bar) -> tuple[Any, ...]:
            value_bar, error_bar = y_bar
            if not is_zero(error_bar):
                return (not_implemented(ERROR),) * len(args)
            return pullback(value_bar)[1:]

        return y, quadrature_pullback

    @frule.register(run)
    def quadrature_frule(
        dots: tuple[Any, ...], *args, config: HasForwardsMode, **options
    ) -> tuple[Any, Any]:
        y, args = run(*args, **options), frozen(args)  # its tangent may be pulled back later
        tangent = partial(Quadrature(compose, nested, {**defaults, **options}).tangent, config)
        if has_lanes(args):
            tangent = partial(tangent_of_each, tangent, y[0])
        return y, pair(tangent((ZERO, *dots), y[0], *args), not_implemented(ERROR))


TAKEN = frozenset(
    {"epsabs", "epsrel", "limit", "points", "norm", "quadrature", "complex_func", "weight"}
)


def adapting(
    function, count: int, arranged: Callable[..., tuple[Any, ...]]
) -> Callable[..., tuple[Args, Options]]:
    """Convert a call of SciPy's function to ours: integrand, limits and args by position, without
    options that change it.
    """
    signature = inspect.signature(function)

    def adapt(*args, **options) -> tuple[Args, Options]:
        given = signature.bind(*args, **options).arguments
        own = given.pop("args", ())
        own = () if own is None else own
        (*required,) = (given.pop(name) for name in list(signature.parameters)[:count])
        further = (given.pop("wvar"),) if "wvar" in given else ()
        rest = {
            name: value
            for name, value in given.items()
            if value is not signature.parameters[name].default
        }
        for name in rest.keys() - TAKEN:
            instead = "leave it out inside a derivative"
            raise without_rule(function, name, rest[name], instead)
        return arranged(*required, own if isinstance(own, tuple) else (own,), *further), rest

    return adapt


def as_they_are(*given) -> tuple[Any, ...]:
    """The arguments of SciPy's function, unchanged."""
    return given


def in_more_variables(func, a, b, *given) -> tuple[Any, ...]:
    """The arguments of `dblquad` or `tplquad` as those of `nquad`."""
    *outer_first, args = given
    ends = [OfOuter(end, 1 + k // 2) if callable(end) else end for k, end in enumerate(outer_first)]
    inner_first = [end for k in reversed(range(0, len(ends), 2)) for end in ends[k : k + 2]]
    return func, args, *inner_first, a, b


def over_ranges(func, ranges, args) -> tuple[Any, ...]:
    """The arguments of SciPy's `nquad` as those of ours."""
    ends: list[Any] = []
    for each in ranges:
        ends += [OfRange(each, 0), OfRange(each, 1)] if callable(each) else each
    return func, args, *ends


declare_quadrature(quad, as_quad, DEFAULTS, one_range)
declare_quadrature(quad_vec, integral, {}, None)
declare_quadrature(nquad, as_integrals, DEFAULTS, any_ranges)
for _scipys, _ours, _count, _arrange in (
    (integrate.quad, quad, 3, as_they_are),
    (integrate.quad_vec, quad_vec, 3, as_they_are),
    (integrate.nquad, nquad, 2, over_ranges),
    (integrate.dblquad, nquad, 5, in_more_variables),
    (integrate.tplquad, nquad, 7, in_more_variables),
):
    default_rules.alias(_scipys, _ours, adapting(_scipys, _count, _arrange))
