"""`linearised_rule`: both rules from one function that returns the derivative as linear maps.

    @linearised_rule(np.trapezoid)
    def trapezoid_linearised(y, x, *, axis=-1, xp):
        ...
        return value, LinearMap(y_pushforward, y_pullback), LinearMap(x_pushforward, x_pullback)

    @linearised_rule(np.max, np.min)
    def extreme_linearised(a, *, axis=None, keepdims=False, out, xp):
        ...
        return LinearMap(a_pushforward, a_pullback)

The first computes the value itself, because value and derivative share work, or because the
derivative can do without an argument: a tape keeps what the needed maps hold. The second asks for
the value by a keyword `out`, and the primal computes it: a tape keeps that and the arguments, and
nobody makes a map before a cotangent comes.

One map per positional argument (None where it has no tangent space); a positional argument with a
default may be absent. Forward and reverse stand next to each other, which is how one sees that they
are adjoint. Only the maps of needed arguments are called, so a map never sees a zero; what they
return is brought into the tangent space of the output or of the argument.
"""

from collections.abc import Callable, Iterator
from functools import partial, reduce
from operator import add
from typing import Any, TypeVar

from chainrules_py.annotations import Args, Function
from chainrules_py.calls.decorator_misuse import require_primals
from chainrules_py.makers.linear_maps import (
    LIKELY_ERRORS,
    LinearMap,
    blame_map,
    blame_maps,
    blame_value_and_maps,
    require_constant,
)
from chainrules_py.makers.products import fit_tangent
from chainrules_py.makers.skeleton import both_rules
from chainrules_py.makers.staging import closed
from chainrules_py.projection import ProjectTo
from chainrules_py.projection.dense import dense_space
from chainrules_py.rules.rule import Rule, by_number_of_arguments, rule_from_function
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_py.tangents import NO_TANGENT, ZERO, AbstractTangent, Tangent
from chainrules_py.tangents.structural import entries, with_entries
from chainrules_py.values.arrays import ArrayLibrary
from chainrules_py.values.signatures import parameters_of
from chainrules_py.values.structure import fields, is_container

F = TypeVar("F", bound=Function)


def linearised_rule(*primals: Any, table: RuleTable = default_rules) -> Callable[[F], F]:
    """Register both rules of a function from its derivative, as linear maps with their adjoints.

    The derivative is ``(*args, **options) -> (y, *maps)``. If it takes the keyword `out`, the
    primal computes the value, and it is ``(*args, out, **options) -> maps``. For a single argument,
    it returns the map itself.

    >>> import numpy as np
    >>> from chainrules_py import rrule
    >>> def halved(x):
    ...     return x / 2
    >>> @linearised_rule(halved)
    ... def halved_linearised(x):
    ...     return halved(x), LinearMap(halved, halved)
    >>> rrule(halved, np.ones(2))[1](np.array([1.0, 5.0]))
    (array([0.5, 2.5]),)
    >>> def root(x):
    ...     return np.sqrt(x)
    >>> @linearised_rule(root)
    ... def root_linearised(x, *, out):
    ...     return LinearMap(lambda x_dot: x_dot / (2 * out), lambda y_bar: y_bar / (2 * out))
    >>> rrule(root, np.array([4.0, 1.0]))[1](np.array([1.0, 5.0]))
    (array([0.25, 2.5 ]),)
    """
    require_primals("linearised_rule", primals)

    def register(linearise: F) -> F:
        for primal in primals:
            table.declare(primal, partial(_rules_linearised, primal, linearise))
        return linearise

    return register


def _rules_linearised(primal, linearise: Function) -> Iterator[Rule]:
    """Make two rules for each number of arguments: those with a default may be absent."""
    read = rule_from_function("reverse", primal, linearise, defaults=True)
    from_value = "out" in parameters_of(linearise).keyword_only
    described = read.replaced(options=read.options and read.options - {"out"}, wants=frozenset())
    reverse, forward = (partial(_bound, read, from_value, form) for form in (_reverse, _forward))
    for own in by_number_of_arguments(described):
        yield from both_rules(own, reverse, forward)


def _bound(
    read: Rule,
    from_value: bool,
    form: Function,
    types: tuple[type, ...],
    needs: tuple[bool, ...],
    library: ArrayLibrary,
) -> Function:
    """Bind one form of the rule to one pattern.

    `needed` are positions, their classes, and whether shape and dtype are all of their space.
    """
    needed = tuple(
        [(i, types[i], ProjectTo.is_dense(types[i])) for i, need in enumerate(needs) if need]
    )
    run = library.implementation(read.primal) if from_value else None
    return form(read.bind(types, needs, library), run, len(types), needed)


def _reverse(linearise: Function, run, count: int, needed) -> Function:
    def pulls_of(maps, args: Args) -> tuple[Any, ...]:
        pulls: tuple[Any, ...] = ()
        for i, cls, dense in needed:
            if maps[i] is None:
                require_constant(linearise, i, args[i])
                continue
            x, pull = args[i], maps[i].pull
            if dense:
                pulls += ((i, pull, cls, x.shape, x.dtype),)
            else:
                pulls += ((i, pull, None, ProjectTo(x), None),)
        return pulls

    def linearised_pull(pulls, y_bar) -> tuple[Any, ...]:
        bars: list[Any] = [NO_TANGENT] * count
        # the space is a shape or, where no class is given, a projector
        for i, pull, cls, space, dtype in pulls:
            try:
                x_bar = pull(y_bar)
                if cls is None:
                    x_bar = space(x_bar)
                elif type(x_bar) is not cls or x_bar.shape != space or x_bar.dtype is not dtype:
                    x_bar = dense_space(cls, space, dtype)(x_bar)
            except LIKELY_ERRORS as error:
                blame_map(linearise, pull, error)
                raise
            bars[i] = x_bar
        return tuple(bars)

    def linearised_stage(*args, **options) -> tuple[Any, Any, Any]:
        found = linearise(*args, **options)
        try:
            y, *maps = found
            pulls = pulls_of(maps, args)
        except LIKELY_ERRORS as error:
            blame_value_and_maps(linearise, found, count, error)
            raise
        return y, linearised_pull, pulls

    def stage_of_value(*args, **options) -> tuple[Any, Any, Any]:
        y = run(*args, **options)
        return y, linearised_pull_from_value, (y, args, options)

    def linearised_pull_from_value(residuals, y_bar) -> tuple[Any, ...]:
        y, args, options = residuals
        found = linearise(*args, out=y, **options)
        try:
            maps = (found,) if count == 1 and type(found) is LinearMap else found
            pulls = pulls_of(maps, args)
        except LIKELY_ERRORS as error:
            blame_maps(linearise, found, count, error)
            raise
        return linearised_pull(pulls, y_bar)

    return closed(linearised_stage if run is None else stage_of_value)


def _forward(linearise: Function, run, count: int, needed) -> Function:
    blame = blame_value_and_maps if run is None else blame_maps

    def linearised_frule(dots: tuple[Any, ...], *args, **options) -> tuple[Any, Any]:
        y = None if run is None else run(*args, **options)
        found = linearise(*args, **options) if run is None else linearise(*args, out=y, **options)
        try:
            if run is None:
                y, *maps = found
            else:
                maps = (found,) if count == 1 and type(found) is LinearMap else found
            for i, *_ in needed:
                if maps[i] is None:
                    require_constant(linearise, i, args[i])
            terms = [_admitted(maps[i].push(dots[i]), y) for i, *_ in needed if maps[i] is not None]
        except LIKELY_ERRORS as error:
            blame(linearise, found, count, error)
            raise
        return y, reduce(add, terms) if terms else ZERO

    return linearised_frule


def _admitted(y_dot, y) -> Any:
    """A tangent brought to its output; entry by entry where there are several outputs."""
    if isinstance(y_dot, AbstractTangent) and not isinstance(y_dot, Tangent):
        return y_dot
    if is_container(y):
        parts = fields(y)
        dots = (
            entries(y_dot) if isinstance(y_dot, Tangent) else dict(zip(parts, y_dot, strict=True))
        )
        return with_entries(
            type(y), {key: _admitted(dots.get(key, ZERO), part) for key, part in parts.items()}
        )
    return fit_tangent(y_dot, y) if hasattr(y, "dtype") else ProjectTo(y)(y_dot)
