"""The form of `linear_rule` for functions that are linear in the arrays of a sequence.

`np.concatenate` has one argument, a tuple or list of arrays, which the adjoint's annotation says;
or one array, read row by row.

Forward is the same call on the tangents, with zeros in the place of those that are zero; reverse is
the adjoint, which sees shapes and dtypes only.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.makers.skeleton import both_rules
from chainrules_py.makers.staging import Stage, closed
from chainrules_py.projection import ProjectTo, Space
from chainrules_py.projection.dense import dense_space
from chainrules_py.rules.rule import Linearity, Rule
from chainrules_py.tangents import (
    ZERO,
    NotImplementedTangent,
    Tangent,
    entries,
    has_tangent,
    is_zero,
    unthunk,
    with_entries,
)
from chainrules_py.values.arrays import (
    Array,
    ArrayLibrary,
    common_namespace,
    library_of_types,
    shape_of,
)
from chainrules_py.values.structure import fields, is_container

if TYPE_CHECKING:
    Sequences = list[Any] | tuple[Any, ...]
    Spaces = Sequence[Space]
else:
    Sequences = list | tuple  # what rules dispatch on: bare classes
    Spaces = list | tuple | Array  # what an adjoint is given the spaces of

_FLOAT = np.dtype(float)  # stands for the dtype of a Python number, which has tangents


def is_of_sequence(adjoint: Rule) -> bool:
    """Whether an adjoint's argument is annotated as a list or a tuple, maybe among others."""
    return any(
        issubclass(cls, list | tuple) for hint in adjoint.types for cls in get_args(hint) or (hint,)
    )


def rules_of_sequence(adjoint: Rule) -> Iterator[Rule]:
    """Make both rules of a function of a sequence from its adjoint.

    That is called as ``adjoint(y_bar, spaces, **options)``, and returns one cotangent per space.
    """

    def joint_frule(dots: tuple[Any], arrays, **options) -> tuple[Any, Any]:
        y, dot = _implementation(adjoint.primal, arrays)(arrays, **options), dots[0]
        if is_zero(dot):
            return y, ZERO
        if isinstance(dot, Tangent):
            dot = list(map(array_of_parts, dense_dots(dot, arrays)))
        return y, ProjectTo(y)(_implementation(adjoint.primal, dot)(dot, **options))

    stage = _stage_of_sequence(adjoint)
    return both_rules(
        adjoint.replaced(wants=frozenset(), linear=Linearity((True,), together=True)),
        lambda *pattern: closed(stage),
        lambda *pattern: joint_frule,
    )


def _stage_of_sequence(adjoint: Rule) -> Stage:
    dense_pull, joint_pull = _pulls_of_sequence(adjoint)

    @lru_cache(maxsize=1024)
    def known(classes: tuple[type, ...]) -> tuple[Function, bool]:
        """Find what computes the value for parts of these classes, and whether all are arrays."""
        implementation = library_of_types(classes).implementation(adjoint.primal)
        return implementation, all(map(ProjectTo.is_dense, classes))

    def joint_stage(arrays, **options) -> tuple[Any, Any, Any]:
        implementation, dense = known(tuple(map(type, arrays)))
        y = implementation(arrays, **options)
        cls: Any = type(arrays)
        tangent_type = tangent_of(cls)
        if dense and tangent_type and has_tangent(getattr(y, "dtype", _FLOAT)):
            spaces = tuple([dense_space(type(x), x.shape, x.dtype) for x in arrays])
            return y, dense_pull, (tangent_type, spaces, options)
        spaces = tuple(ProjectTo(array_of_parts(array)) for array in arrays)
        return y, joint_pull, (spaces, ProjectTo(arrays), gatherer(arrays), options)

    joint_stage.keeps = frozenset()  # type: ignore[attr-defined]
    return joint_stage


@cache
def tangent_of(cls: type) -> type[Tangent[Any]] | None:
    """The class of the tangents of a list or tuple; None for other classes."""
    return Tangent.__class_getitem__(cls) if cls in (list, tuple) else None


def _pulls_of_sequence(adjoint: Rule) -> tuple[Function, Function]:
    """Make the pullback for a list or tuple of arrays, and that for any other sequence."""

    @cache
    def bound(library: ArrayLibrary) -> Function:
        return adjoint.bind((), (True,), library)

    def found(cls) -> tuple[Function, Any]:
        """The adjoint for cotangents of a class, and their namespace."""
        library = library_of_types((cls,))
        return bound(library), library.namespace

    of_class: Callable[[Any], tuple[Function, Any]] = lru_cache(maxsize=1024)(found)

    def dense_pull(residuals, y_bar) -> tuple[Any]:
        tangent_type, spaces, options = residuals
        bars = of_class(type(y_bar))[0](y_bar, spaces, **options)
        return (tangent_type(*[space(bar) for space, bar in zip(spaces, bars, strict=True)]),)

    def joint_pull(residuals, y_bar) -> tuple[Any]:
        spaces, project, gather, options = residuals
        function, xp = of_class(type(y_bar))
        return (project(gather(function(y_bar, spaces, **options), xp)),)

    return dense_pull, joint_pull


def _implementation(primal, arrays: Iterable[Any]) -> Function:
    return library_of_types(map(type, arrays)).implementation(primal)


# --- Sequences of arrays, and lists of numbers in the place of arrays ---


def dense_dots(dot, x) -> Any:
    """The tangents of the entries of a list, in lists like it, with zeros where there is none."""
    if is_container(x):
        dots = entries(dot) if isinstance(dot, Tangent) else {}
        return [dense_dots(unthunk(dots.get(key, ZERO)), part) for key, part in fields(x).items()]
    if not is_zero(dot):
        return dot
    return common_namespace((x,)).zeros_like(x) if shape_of(x) else 0.0


def array_of_parts(array) -> Any:
    """An array, or the one that NumPy makes of a list of numbers in its place."""
    if not is_container(array):
        return array
    return stacked_parts(list(map(array_of_parts, fields(array).values())))


def stacked_parts(parts: list[Any]) -> Any:
    """Numbers or arrays of one shape, along a new first axis."""
    xp = common_namespace(parts)
    return xp.stack(parts) if parts else xp.zeros(0)


def bar_of(array, bar) -> Any:
    """Return the cotangent of one array; of a list of numbers in its place entry by entry."""
    if not is_container(array) or isinstance(bar, NotImplementedTangent):
        return bar
    return with_entries(
        type(array), {key: bar_of(part, bar[key]) for key, part in fields(array).items()}
    )


def gatherer(arrays) -> Callable[[Any, Any], Any]:
    """Make the function from the cotangents of a sequence's parts to that of the sequence.

    That is a `Tangent` of its class; for rows of an array they are stacked.
    """
    if not is_container(arrays):
        return lambda bars, xp: xp.stack(bars)
    # Lists of numbers are kept, for their structure; arrays and functions are not.
    parts = {
        key: part if is_container(part) and not callable(part) else None
        for key, part in fields(arrays).items()
    }
    primal_type = type(arrays)
    return lambda bars, xp: with_entries(
        primal_type,
        {key: bar_of(part, bar) for (key, part), bar in zip(parts.items(), bars, strict=True)},
    )
