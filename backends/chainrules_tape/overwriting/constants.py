"""Plain arrays that a program may overwrite after it has used them: what rules keep of them must
not change.

A rule keeps references. Of a traced value nobody else has the array, but a constant of the
operation is the program's own, and a program may use one buffer again for something else before the
sweep. So, of the constants that a rule keeps,

    up to `SMALL` entries   the rule keeps a copy: the gradient is right, whatever is written
    beyond                  a *mark*, some of their entries, which the pullback compares: it raises
                            an `OverwrittenError`, if it is called at all

Of a sparse matrix the numbers are compared, not the rows and columns where they are. The value of
an operation is the same to the last bit: a copy has its entries in the order of the array's.

What a rule keeps is known where a maker wrote it: its stage says so by an attribute `keeps`, the
positions of the arguments of which it keeps more than a shape. For other rules all is taken to be
kept. The pullback of a function that another engine differentiates may read its arguments for some
cotangents only: it says for which by an attribute, `reads_arguments(residuals, y_bar)`.

Constants by themselves are found where a rule is looked up (`owning_stage`); those inside of
containers and among options by slow dispatch (`own_parts`), but for the index ``x[rows,
columns]`` (`reading_by_tuple`).
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from chainrules_py.checks.guards import is_proven
from chainrules_py.rules.rule import Rule
from chainrules_py.values.arrays import library_of
from chainrules_py.values.indices import NORMAL, normal_item
from chainrules_py.values.structure import fields, is_container, rebuild
from chainrules_tape.overwriting.marks import FEW, SMALL, Latest, Mark, Watch

IMMUTABLE = NORMAL - {np.ndarray}
NUMBERS = frozenset({int, float, bool, complex, np.float64, np.int64})

Stage = Callable[..., tuple[Any, Any, Any]]


def owning_stage(
    rule: Rule, stage: Stage, types: tuple[type, ...], needs: tuple[bool, ...]
) -> Stage:
    """Make a stage whose constants may be overwritten as soon as it has run; a stage that keeps no
    array of others is returned as it is.
    """
    positions = kept_constants(rule, stage, types, needs)
    # what NumPy's writes keep is copied by `in_place`
    if not positions or (rule.overwrites is not None and is_proven(rule)):
        return stage
    watch, latest = Watch(rule), Latest(rule)
    if len(types) == 2 and len(positions) == 1 and issubclass(types[positions[0]], np.ndarray):
        return owning_either(stage, positions[0], latest, watch)
    owners = {i: marked if is_sparse(types[i]) else own_array for i in positions}

    def owning(*values, **options) -> tuple[Any, Any, Any]:
        own, marks = list(values), list[Mark]()
        for i, owner in owners.items():
            own[i] = owner(values[i], i, latest, marks)
        y, pull, residuals = stage(*own, **options)
        return watch.over(y, pull, residuals, marks) if marks else (y, pull, residuals)

    return owning


def kept_constants(
    rule: Rule, stage: Stage, types: tuple[type, ...], needs: tuple[bool, ...]
) -> list[int]:
    """The positions of constants, dense or sparse, of which a stage keeps more than a shape."""
    keeps = kept_positions(stage, len(types))
    # shorter than types, where an option is an argument of the rule
    needed = {i for i, need in enumerate(needs) if need}
    arrays = [i for i, cls in enumerate(types) if is_overwritable_class(cls) or is_sparse(cls)]
    return [i for i in arrays if i not in needed and i in keeps and i != rule.overwrites]


def is_overwritable_class(cls: type) -> bool:
    """Whether values of a class are arrays of NumPy's, or stand for them in a program."""
    return issubclass(cls, np.ndarray) or is_in_program(cls)


def is_in_program(cls: type) -> bool:
    """Whether values of a class stand for arrays of NumPy's in a program that is recorded."""
    library = library_of(cls)
    if library is None or library.stands_for is None:
        return False
    return cls not in library.number_types


def is_sparse(cls: type) -> bool:
    """Whether a class is one of `scipy.sparse`, whose matrices have their entries in an attribute
    `data`.
    """
    return cls.__module__.startswith("scipy.sparse")


def marked(matrix, argument, latest: Latest, marks: list[Mark]) -> Any:
    """Mark the entries of a sparse matrix, and return it: to copy it would take as long as a
    product.
    """
    data = getattr(matrix, "data", None)
    if type(data) is np.ndarray and data.dtype.kind in "fc":
        marks.append(latest.mark(data, argument))
    return matrix


def kept_positions(stage: Stage, count: int) -> frozenset[int]:
    """The positions of the arguments of which a stage keeps more than a shape, as far as known."""
    return getattr(stage, "keeps", frozenset(range(count)))


def owning_either(stage: Stage, position: int, latest: Latest, watch: Watch) -> Stage:
    """Make the stage of an operation with two operands, of which one is a constant, as it is nearly
    always where there is one: so each position is written out.
    """

    def owning_first(x1, x2, **options) -> tuple[Any, Any, Any]:
        size = x1.size
        if size <= SMALL:
            return stage(x1.copy("K") if size <= FEW else latest.own(x1), x2, **options)
        mark = latest.mark(x1, 0)
        y, pull, residuals = stage(x1, x2, **options)
        return watch.over(y, pull, residuals, [mark])

    def owning_second(x1, x2, **options) -> tuple[Any, Any, Any]:
        size = x2.size
        if size <= SMALL:
            return stage(x1, x2.copy("K") if size <= FEW else latest.own(x2), **options)
        mark = latest.mark(x2, 1)
        y, pull, residuals = stage(x1, x2, **options)
        return watch.over(y, pull, residuals, [mark])

    return owning_second if position else owning_first


def own_array(array: np.ndarray, argument, latest: Latest, marks: list[Mark]) -> np.ndarray:
    """Return a constant as a rule may keep it: a copy of a small one, or the array itself, with a
    mark of it in `marks`. A program is given a copy, which it does without if nobody writes.
    """
    if not issubclass(type(array), np.ndarray):
        return np.copy(array, order="K")
    if array.size <= SMALL:
        return latest.own(array)
    marks.append(latest.mark(array, argument))
    return array


def own_parts(value, mode_data, argument, latest: Latest, marks: list[Mark]) -> Any:
    """Return an argument or an option as a rule may keep it; `mode_data` says of a container which
    of its parts are no constants.
    """
    if isinstance(mode_data, int):
        return value
    if is_overwritable_class(type(value)):
        return own_array(value, argument, latest, marks)
    if not is_container(value):
        return value
    slots: Mapping[Any, Any] = mode_data or {}

    def own_part(key, part) -> Any:
        if type(part) in NUMBERS:  # as most parts of lists are
            return part
        return own_parts(part, slots.get(key), argument, latest, marks)

    if type(value) is list:  # a new one, because its owner may write to it
        return [own_part(position, part) for position, part in enumerate(value)]
    parts = fields(value)
    own = {key: own_part(key, part) for key, part in parts.items()}
    changed = {key: part for key, part in own.items() if part is not parts[key]}
    return rebuild(value, changed) if changed else value


def reading_by_tuple(stage: Stage) -> Stage:
    """Make the stage of ``x[rows, columns]``: the rule on copies of the arrays in the index, and on
    arrays for lists and the like.
    """

    def reading(x, index) -> tuple[Any, Any, Any]:
        if not IMMUTABLE.issuperset(map(type, index)):
            index = tuple(map(own_item, index))
        return stage(x, index)

    return reading


def own_item(item):
    """An item of an index in the form of all, and a copy of an array."""
    return item.copy("K") if type(item) is np.ndarray else normal_item(item)
