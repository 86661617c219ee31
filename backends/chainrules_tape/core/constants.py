"""Plain arrays that a program may overwrite after it has used them: what rules keep of them must
not change.

A rule keeps references. Of a traced value nobody else has the array, but a constant of the
operation is the program's own, and a program may use one buffer again for something else before the
way back. So, of the constants that a rule keeps,

    up to `SMALL` entries   the rule keeps a copy: the gradient is right, whatever is written
    beyond                  a *mark* is kept beside them, some of their entries, and the pullback compares: what was overwritten
                            raises an `OverwrittenError`, and only if the pullback is called at all

Of a sparse matrix the entries, not their places, are compared, all where they are few. The values
of an operation are those of the array itself or of a copy in the same order of entries.

What a rule keeps is known where a maker wrote it: its stage says so by an attribute `keeps`, the
positions of the arguments of which it keeps more than a shape. Of other rules all is taken to be
kept. What another engine differentiates may read its arguments again for some cotangents only: then
the pullback says for which, by a function `reads_arguments` of the cotangent.

Constants by themselves are found where a rule is looked up (`owning_stage`); those inside of
containers and among options come the general way (`own_parts`), but for the index ``x[rows,
columns]`` (`reading_by_tuple`).
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from chainrules_py.checks.contract import contract_error
from chainrules_py.checks.guards import is_proven
from chainrules_py.errors import OverwrittenError
from chainrules_py.rules.rule import Rule
from chainrules_py.strong_zeros.strictness import careful_form
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.structure import fields, is_container, rebuild

# entries, up to which a copy takes less time (0.4 us for 4096) than a mark that is compared later
# (2 us)
SMALL = 8192
FEW = 64  # entries, up to which the copy is not worth being shared with the next operation
# constants per rule, of which copies are shared: a loop that uses a matrix again keeps it once
REMEMBERED = 4
ENTRIES = 256  # at least so many make a mark
MUTABLE = frozenset({list, np.ndarray})
NUMBERS = frozenset({int, float, bool, complex, np.float64, np.int64})

Stage = Callable[..., tuple[Any, Any, Any]]


class Mark(NamedTuple):
    """What a large constant held when a rule was given it; `argument` is its position or its name."""

    array: np.ndarray
    entries: bytes
    argument: Any


class Latest:
    """The constants that a rule kept last: while nobody writes to them, copies and marks are kept
    once, not per use.

    Copies are shared by rules of this library only: others may hand one on as a part of their
    value, into which people write.
    """

    __slots__ = ("copies", "entries", "unshared")

    def __init__(self, rule: Rule) -> None:
        self.unshared = FEW if is_proven(rule) else SMALL  # entries
        self.copies: dict[int, tuple[bytes, Any, Any, Any, np.ndarray]] = {}
        self.entries = b""

    def own(self, array: np.ndarray) -> np.ndarray:
        """A copy of a small array, in the same order of entries."""
        if array.size <= self.unshared:
            return array.copy("K")
        held, known = array.tobytes(), self.copies.get(id(array))
        if known is not None:
            held_then, shape, strides, dtype, shared = known
            if (
                held == held_then
                and array.shape == shape
                and array.strides == strides
                and array.dtype == dtype
            ):
                return shared
        copy = array.copy("K")
        if len(self.copies) >= REMEMBERED:
            self.copies = {}
        self.copies[id(array)] = (held, array.shape, array.strides, array.dtype, copy)
        return copy

    def mark(self, array: np.ndarray, argument: Any) -> Mark:
        """The mark of a large array."""
        entries, known = some_entries(array), self.entries
        if entries == known:
            entries = known
        else:
            self.entries = entries
        return Mark(array, entries, argument)


def some_entries(array: np.ndarray) -> bytes:
    """The entries of a small array, or at least `ENTRIES` of those of a large one, evenly spread;
    as bytes: nan equals nan.
    """
    if array.size <= SMALL:
        return array.tobytes()
    flat: Any = (
        array.reshape(-1, order="A")
        if type(array) is np.ndarray and array.flags.forc
        else array.flat
    )
    entries: bytes = flat[:: step_through(array.size)].tobytes()
    return entries


@cache
def step_through(size: int) -> int:
    """A prime step through the entries of a large array, so that it meets all columns of a matrix
    in turn.
    """
    step = max(size // ENTRIES, 2)
    while any(step % divisor == 0 for divisor in range(2, int(step**0.5) + 1)):
        step -= 1
    return step


def owning_stage(
    rule: Rule, stage: Stage, types: tuple[type, ...], needs: tuple[bool, ...]
) -> Stage:
    """A stage whose constants may be overwritten as soon as it has run; the stage itself where it
    keeps no array of others.
    """
    kept = kept_positions(stage, len(types))
    # shorter than types, where an option is an argument of the rule
    needed = {i for i, need in enumerate(needs) if need}
    arrays = [i for i, cls in enumerate(types) if issubclass(cls, np.ndarray) or is_sparse(cls)]
    positions = [i for i in arrays if i not in needed and i in kept and i != rule.overwrites]
    # what NumPy's writes keep is copied by `in_place`
    if not positions or (rule.overwrites is not None and is_proven(rule)):
        return stage
    watch, latest, sparse = Watch(rule), Latest(rule), [i for i in positions if is_sparse(types[i])]
    if len(types) == 2 and len(positions) == 1 and issubclass(types[positions[0]], np.ndarray):
        return owning_either(stage, positions[0], latest, watch)

    def owning(*values: Any, **options: Any) -> tuple[Any, Any, Any]:
        own, marks = list(values), list[Mark]()
        for i in positions:
            own[i] = (
                own_array(values[i], i, latest, marks)
                if i not in sparse
                else marked(values[i], i, latest, marks)
            )
        y, pull, kept = stage(*own, **options)
        return watch.over(y, pull, kept, marks) if marks else (y, pull, kept)

    return owning


def is_sparse(cls: type) -> bool:
    """Whether a class is one of `scipy.sparse`, whose matrices have their entries in an attribute
    `data`.
    """
    return cls.__module__.startswith("scipy.sparse")


def marked(matrix: Any, argument: Any, latest: Latest, marks: list[Mark]) -> Any:
    """A sparse matrix, with a mark of its entries: to copy one would take as long as a product."""
    data = getattr(matrix, "data", None)
    if type(data) is np.ndarray and data.dtype.kind in "fc":
        marks.append(latest.mark(data, argument))
    return matrix


def kept_positions(stage: Stage, count: int) -> frozenset[int]:
    """The positions of the arguments of which a stage keeps more than a shape, as far as is known."""
    keeps: frozenset[int] = getattr(stage, "keeps", frozenset(range(count)))
    return keeps


def owning_either(stage: Stage, position: int, latest: Latest, watch: "Watch") -> Stage:
    """The stage of an operation of two, of which one is a constant: nearly all constants are met
    here.
    """

    def owning_first(x1: Any, x2: Any, **options: Any) -> tuple[Any, Any, Any]:
        size = x1.size
        if size <= SMALL:
            return stage(x1.copy("K") if size <= FEW else latest.own(x1), x2, **options)
        mark = latest.mark(x1, 0)
        y, pull, kept = stage(x1, x2, **options)
        return watch.over(y, pull, kept, [mark])

    def owning_second(x1: Any, x2: Any, **options: Any) -> tuple[Any, Any, Any]:
        size = x2.size
        if size <= SMALL:
            return stage(x1, x2.copy("K") if size <= FEW else latest.own(x2), **options)
        mark = latest.mark(x2, 1)
        y, pull, kept = stage(x1, x2, **options)
        return watch.over(y, pull, kept, [mark])

    return owning_second if position else owning_first


class Watch:
    """Makes the pullbacks of a rule compare marks first; one function for each of its pullbacks,
    not for each call.
    """

    __slots__ = ("pulls", "rule")

    def __init__(self, rule: Rule) -> None:
        self.rule, self.pulls = rule, dict[Any, Any]()

    def over(self, y: Any, pull: Any, kept: Any, marks: list[Mark]) -> tuple[Any, Any, Any]:
        """What a stage returned, with a pullback that compares."""
        if pull is None:
            return y, pull, kept
        watching = self.pulls.get(pull)
        if watching is None:
            watching = self.pulls[pull] = watching_pull(self.rule, pull)
        return y, watching, (kept, *marks)


def watching_pull(rule: Rule, pull: Any) -> Any:
    """A pullback that raises where a constant that it reads was overwritten, as far as the mark
    tells.
    """
    reads_arguments: Callable[[Any, Any], bool] = getattr(
        pull, "reads_arguments", lambda kept, y_bar: True
    )

    def pull_if_unchanged(watched: Any, y_bar: Any) -> Any:
        kept, *marks = watched
        for array, entries, argument in marks:
            if some_entries(array) != entries and reads_arguments(kept, y_bar):
                raise_overwritten(rule, array, argument)
        return pull(kept, y_bar)

    if careful_form(pull) is not pull:
        pull_if_unchanged.careful = lambda watched, y_bar: careful_form(pull)(watched[0], y_bar)  # type: ignore[attr-defined]
    if hasattr(pull, "takes_products"):
        pull_if_unchanged.takes_products = True  # type: ignore[attr-defined]
    return pull_if_unchanged


def raise_overwritten_argument(function: Any, array: np.ndarray) -> None:
    """Raise: a function overwrote an array that it was differentiated at."""
    raise OverwrittenError(
        f"the derivative of {qualified_name(function)}",
        f"the function overwrote its argument, an array of shape {array.shape}, by another name"
        " of it",
        "write into a copy (buffer = buffer.copy()), or into the argument that it is given, which"
        " is traced",
        rule=None,
        location=None,
        argument="of the function",
        value=array,
        expected="what it held",
    )


def raise_overwritten(rule: Rule, array: np.ndarray, argument: Any) -> None:
    """Raise: a large constant was overwritten before the way back."""
    what = f"argument {argument}" if isinstance(argument, int) else f"option {argument!r}"
    raise contract_error(
        rule,
        argument,
        f"{what}, an array of shape {array.shape}, was overwritten after the rule had run, and"
        " before its pullback",
        "write into a copy (buffer = buffer.copy()), or make a new array each time",
        array,
        "what it held",
        OverwrittenError,
    )


def own_array(array: np.ndarray, argument: Any, latest: Latest, marks: list[Mark]) -> np.ndarray:
    """What a rule may keep of a constant: a copy of a small one, or the array, of which the mark is
    added to `marks`.
    """
    if array.size <= SMALL:
        return latest.own(array)
    marks.append(latest.mark(array, argument))
    return array


def own_parts(value: Any, carried: Any, argument: Any, latest: Latest, marks: list[Mark]) -> Any:
    """An argument or an option as a rule may keep it; `carried` says of a container which of its
    parts are no constants.
    """
    if isinstance(carried, int):
        return value
    if issubclass(type(value), np.ndarray):
        return own_array(value, argument, latest, marks)
    if not is_container(value):
        return value
    slots: Mapping[Any, Any] = carried or {}
    if type(value) is list:  # a new one, because its owner may write to it; of numbers, mostly
        return [
            (
                part
                if type(part) in NUMBERS
                else own_parts(part, slots.get(position), argument, latest, marks)
            )
            for position, part in enumerate(value)
        ]
    parts = fields(value)
    own = {
        key: own_parts(part, slots.get(key), argument, latest, marks) for key, part in parts.items()
    }
    changed = {key: part for key, part in own.items() if part is not parts[key]}
    return rebuild(value, changed) if changed else value


def reading_by_tuple(stage: Stage) -> Stage:
    """What ``x[rows, columns]`` runs: the rule on copies of the arrays and lists in the index."""

    def reading(x: Any, index: Any) -> tuple[Any, Any, Any]:
        if not MUTABLE.isdisjoint(map(type, index)):
            index = own_index(index)
        return stage(x, index)

    return reading


def own_index(index: Any) -> Any:
    """An index of which nobody else holds the arrays and lists."""
    if type(index) is tuple or type(index) is list:
        return type(index)(map(own_index, index))
    return index.copy("K") if type(index) is np.ndarray else index
