"""Results of programs: containers that source code can write down, and others."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from chainrules_programs.recording.program import Program, Value
from chainrules_py.values.structure import fields, is_container
from chainrules_tape.core.trees import flatten
from chainrules_tape.recomputation import is_close

Rebuild = Callable[[Any], Any]


def is_written_down(x) -> bool:
    """Whether a result consists of tuples, lists and dicts, so that its source can be written."""
    if isinstance(x, Value) or not is_container(x):
        return True
    if type(x) not in (tuple, list, dict) and not hasattr(type(x), "_fields"):
        return False
    return all(is_written_down(part) for part in fields(x).values())


def with_plain_result(program: Program) -> Rebuild | None:
    """Make the result of a program a list of leaves, if it has containers of other classes.

    Returns what makes the container of them; None where the result stays as it is.
    """
    if is_written_down(program.result):
        return None
    result = program.result
    parts = fields(result)
    are_recorded = all(isinstance(x, Value) for x in parts.values())
    if are_recorded and hasattr(result, "__chainrules_with_parts__"):
        program.result = [*parts.values()]  # of a sparse matrix: by `rebuild` it takes 8 us more
        return lambda leaves: result.__chainrules_with_parts__(
            dict(zip(parts, leaves, strict=True))
        )
    program.result, rebuilt = flatten(result)
    return rebuilt


def unfit_leaf(result) -> Any:
    """The first leaf of a result that a program cannot return, in a list; None without one."""
    for leaf in flatten(result)[0]:
        is_plain = isinstance(leaf, Value | np.ndarray | np.generic | str | int | float | complex)
        if not is_plain and leaf is not None:
            return [leaf]
    return None


def copies(inputs: Iterable[Any]) -> list[Any]:
    """Inputs with copies of the arrays among them, into which nobody else looks."""
    return [x.copy("K") if type(x) is np.ndarray else x for x in inputs]


def owned(x, arrays: list[Any]) -> Any:
    """A result whose arrays share no memory with these, and may be written to."""
    leaves, rebuilt = flatten(x)
    return rebuilt([owned_leaf(leaf, arrays) for leaf in leaves])


def owned_leaf(x, arrays: list[Any]) -> Any:
    """An array that shares no memory with others, and may be written to; what is none as it is."""
    if type(x) is not np.ndarray:
        return x
    is_free = x.flags.writeable and not any(np.may_share_memory(x, other) for other in arrays)
    return x if is_free else x.copy("K")


def is_same_result(one, other) -> bool:
    """Whether two results have the same structure, and numbers that differ by roundings at most."""
    (ours, _), (theirs, _) = flatten(one), flatten(other)
    return len(ours) == len(theirs) and all(map(is_same_leaf, ours, theirs))


def is_same_leaf(one: Any, other: Any) -> bool:
    """Whether two leaves are of one type and shape, with numbers that differ by roundings at most."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        one, other = np.asarray(one), np.asarray(other)  # a buffer of the tape's is one, too
    if type(one) is not type(other) or np.shape(one) != np.shape(other):
        return False
    if hasattr(one, "tocoo"):  # a sparse matrix: zeros may be entries of one of them alone
        apart, size = (one - other).tocoo().data, np.max(np.abs(other.data), initial=0.0)
        return bool(np.all(np.abs(apart) <= np.sqrt(np.finfo(other.dtype).eps) * size))
    dtype = np.result_type(one) if isinstance(one, np.ndarray | np.inexact | float) else None
    if dtype is None or dtype.kind not in "fc":
        return bool(np.all(one == other))
    return dtype == np.result_type(other) and is_close(one, other)
