"""`linearised_rule`: both rules from one function that returns the value and the derivative as linear maps.

    @linearised_rule(np.trapezoid)
    def trapezoid_linearised(y, x, *, axis=-1, xp):
        ...
        return value, LinearMap(y_pushforward, y_pullback), LinearMap(x_pushforward, x_pullback)

One map per positional argument (None where it has no tangent space); a positional argument with a default may be absent. What
both modes need is computed once and written once, and forward and reverse stand next to each other, which is how one sees that
they are adjoint. Only the maps of needed arguments are called, so a map never sees a zero; what they return is brought into the
tangent space of the output or of the argument.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial, reduce
from operator import add
from types import FunctionType
from typing import Any, NamedTuple, TypeVar

from chainrules_py.arrays import ArrayLibrary
from chainrules_py.decorating import require_primals
from chainrules_py.identity import location
from chainrules_py.makers.linear_maps import LinearMap as LinearMap
from chainrules_py.makers.map_errors import LIKELY_ERRORS, blame_map, blame_value_and_maps
from chainrules_py.makers.products import fit_tangent
from chainrules_py.makers.staging import Stage, closed, fitted
from chainrules_py.projection import ProjectTo
from chainrules_py.registry import RuleTable, default_rules
from chainrules_py.rule import MODES, Mode, Rule, rule_from_function, with_defaults
from chainrules_py.structure import fields, is_container
from chainrules_py.tangents import NO_TANGENT, ZERO, AbstractTangent, Tangent
from chainrules_py.tangents.structural import entries, with_entries

F = TypeVar("F", bound=Callable[..., Any])


def linearised_rule(*primals: Any, table: RuleTable = default_rules) -> Callable[[F], F]:
    """Decorator: register both rules of `primals` from a function ``(*args, **options) -> (y, *maps)``.

    >>> import numpy as np
    >>> from chainrules_py import rrule
    >>> def halved(x):
    ...     return x / 2
    >>> @linearised_rule(halved)
    ... def halved_linearised(x):
    ...     return halved(x), LinearMap(halved, halved)
    >>> rrule(halved, np.ones(2))[1](np.array([1.0, 5.0]))
    (array([0.5, 2.5]),)
    """
    require_primals("linearised_rule", primals)

    def register(linearise: F) -> F:
        add_rules(table, primals, linearise, "reverse", (reverse, forward))
        return linearise

    return register


class Form(NamedTuple):
    """One of the two rules that are made of a function, and the function's signature as that of a rule."""

    mode: Mode
    primal: Any
    function: Any
    read: Rule

    def named(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """The rule under the name, and at the place, of what it was made of."""
        stem = self.function.__name__.removesuffix("_linearised").removesuffix("_derivative")
        rule.__name__ = rule.__qualname__ = stem + ("_rrule" if self.mode == "reverse" else "_frule")
        rule.__rule_location__ = location(self.function)  # type: ignore[attr-defined]
        return rule


Make = Callable[[Callable[..., Any], Callable[..., Any], tuple[type, ...], tuple[int, ...]], Callable[..., Any]]


def add_rules(table: RuleTable, primals: Iterable[Any], function: Any, like: Mode, makers: tuple[Make, Make]) -> None:
    """Register what is made of a function, in reverse and in forward; its signature is that of a rule of the mode `like`."""
    for primal in primals:
        table.declare(primal, partial(_both_rules_of, primal, function, like, makers))


def _both_rules_of(primal: Any, function: Any, like: Mode, makers: tuple[Make, Make]) -> Iterator[Rule]:
    read = rule_from_function(like, primal, without_defaults(function))
    for mode, make in zip(MODES, makers, strict=True):
        yield from rules_of(Form(mode, primal, function, read), make)


def rules_of(form: Form, make: Make) -> Iterator[Rule]:
    """One rule for each number of positional arguments that the function takes: those with a default may be absent.

    `make` gets the function with `xp` and `needs` bound, the library's own primal, the classes, and the needed arguments.
    """
    read = form.read
    optional = len(form.function.__defaults__ or ())

    def specialise(types: tuple[type, ...], needs: tuple[bool, ...], library: ArrayLibrary) -> Callable[..., Any]:
        given = {"xp": library.namespace, "needs": needs}
        bound = with_defaults(form.function, {name: given[name] for name in read.wants})
        needed = tuple(i for i, need in enumerate(needs) if need)
        return form.named(make(bound, library.implementation(form.primal), types, needed))

    for count in range(len(read.types) - optional, len(read.types) + 1):
        placeholder = form.named(lambda *args: specialise)
        yield replace(read, mode=form.mode, types=read.types[:count], function=placeholder, specialise=specialise)


def without_defaults(function: Any) -> Any:
    """The function as a reader of signatures may see it: every positional parameter required."""
    copy = FunctionType(function.__code__, function.__globals__, function.__name__, None, function.__closure__)
    copy.__kwdefaults__, copy.__annotations__ = function.__kwdefaults__, function.__annotations__
    copy.__qualname__ = function.__qualname__
    return copy


def reverse(
    linearise: Callable[..., Any], primal: Callable[..., Any], types: tuple[type, ...], needed: tuple[int, ...]
) -> Callable[..., Any]:
    """The reverse rule of what computes the value and the maps at once."""
    if len(needed) == 1 and ProjectTo.is_dense(types[needed[0]]):
        return closed(_stage_of_one(linearise, types, *needed))
    return closed(_stage_of_several(linearise, needed))


def _stage_of_one(linearise: Callable[..., Any], types: tuple[type, ...], index: int) -> Stage:
    """Of one array a cotangent is asked for: its shape and dtype are all that has to be known of its space."""
    cls, before, after = types[index], (NO_TANGENT,) * index, (NO_TANGENT,) * (len(types) - index - 1)

    def linearised_stage(*args: Any, **options: Any) -> tuple[Any, Any, Any]:
        found, x = linearise(*args, **options), args[index]
        try:
            y, *maps = found
            chosen = maps[index]
            return y, linearised_pull, None if chosen is None else (chosen.pull, x.shape, x.dtype)
        except LIKELY_ERRORS as error:
            blame_value_and_maps(linearise, found, len(types), error)
            raise

    def linearised_pull(residuals: Any, y_bar: Any) -> tuple[Any, ...]:
        if residuals is None:
            return (*before, NO_TANGENT, *after)
        pull, shape, dtype = residuals
        try:
            return (*before, fitted(pull(y_bar), cls, shape, dtype), *after)
        except LIKELY_ERRORS as error:
            blame_map(linearise, pull, error)
            raise

    return linearised_stage


def _stage_of_several(linearise: Callable[..., Any], needed: tuple[int, ...]) -> Stage:
    def linearised_stage(*args: Any, **options: Any) -> tuple[Any, Any, Any]:
        found = linearise(*args, **options)
        try:
            y, *maps = found
            pulls = tuple([(i, maps[i].pull, ProjectTo(args[i])) for i in needed if maps[i] is not None])
            return y, linearised_pull, (len(args), pulls)
        except LIKELY_ERRORS as error:
            blame_value_and_maps(linearise, found, len(args), error)
            raise

    def linearised_pull(residuals: Any, y_bar: Any) -> tuple[Any, ...]:
        count, pulls = residuals
        bars: list[Any] = [NO_TANGENT] * count
        for i, pull, project in pulls:
            try:
                bars[i] = project(pull(y_bar))
            except LIKELY_ERRORS as error:
                blame_map(linearise, pull, error)
                raise
        return tuple(bars)

    return linearised_stage


def forward(
    linearise: Callable[..., Any], primal: Callable[..., Any], types: tuple[type, ...], needed: tuple[int, ...]
) -> Callable[..., Any]:
    """The forward rule."""

    def linearised_frule(dots: tuple[Any, ...], *args: Any, **options: Any) -> tuple[Any, Any]:
        found = linearise(*args, **options)
        try:
            y, *maps = found
            terms = [_admitted(maps[i].push(dots[i]), y) for i in needed if maps[i] is not None]
        except LIKELY_ERRORS as error:
            blame_value_and_maps(linearise, found, len(args), error)
            raise
        return y, reduce(add, terms) if terms else ZERO

    return linearised_frule


def _admitted(y_dot: Any, y: Any) -> Any:
    """A tangent brought to its output; entry by entry where there are several outputs."""
    if isinstance(y_dot, AbstractTangent) and not isinstance(y_dot, Tangent):
        return y_dot
    if is_container(y):
        parts = fields(y)
        dots = entries(y_dot) if isinstance(y_dot, Tangent) else dict(zip(parts, y_dot, strict=True))
        return with_entries(type(y), {key: _admitted(dots.get(key, ZERO), part) for key, part in parts.items()})
    return fit_tangent(y_dot, y) if hasattr(y, "dtype") else ProjectTo(y)(y_dot)
