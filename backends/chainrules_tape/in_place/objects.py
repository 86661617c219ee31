"""Functions that write into an object, a list or a dict: their rule does so with a copy, whose
fields are put back afterwards.

What the rule left where it was, arrays into which it wrote perhaps, goes into the memory of the
field, for all who share that; what it assigned is assigned.
"""

import operator
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from chainrules_py.strong_zeros.strictness import careful_form
from chainrules_py.tangents import ZERO, materialize, with_entries
from chainrules_py.tangents.plain_containers import tangents_of_parts
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.structure import fields, is_container, is_mutable, kind, rebuild
from chainrules_tape.core.levels import innermost
from chainrules_tape.in_place.first_write import stored
from chainrules_tape.in_place.writing import written
from chainrules_tape.refusals.errors import InPlaceError
from chainrules_tape.refusals.handles import TracedArray, plain


def written_object(
    primal: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any], position: int
) -> Any:
    """Call a function that writes into an object, as its rule says; returns that object."""
    target: Any = args[position]
    level: Any = innermost((*args, *options.values()))
    require_mutable(primal, target)
    parts: list[Any] = []  # of what the rule is given, before and after

    def run(
        primal: Any,
        plan: Any,
        values: tuple[Any, ...],
        options: dict[str, Any],
        carried: tuple[Any, ...],
    ) -> Any:
        given = values[position]
        parts.append(tree(given))
        if level.mode == "forward":
            own = own_tangent(carried[position], given)
            y, y_dot = plan.run(
                (*carried[:position], own, *carried[position + 1 :]), *values, **options
            )
            made = level.wrap(primal, y, y_dot)
        else:
            y, pull, kept = plan.stage(*values, **options)
            made = level.wrap(primal, y, object_pull, (pull, kept, y), carried)
        parts.append(tree(y))
        return made

    own_args = (*args[:position], own_copy(level.settled(target)), *args[position + 1 :])
    put_back(primal, target, level.applied(primal, own_args, options, run), *parts)
    return target


def require_mutable(primal: Any, target: Any) -> None:
    """Raise for an object that cannot be assigned to."""
    if not is_mutable(type(target)):
        got = f"a {type(target).__qualname__} to write into, which cannot be assigned to"
        raise InPlaceError(
            qualified_name(primal),
            got,
            "pass an object of a mutable class",
            operation=primal,
            value=target,
        )


def tree(value: Any) -> Any:
    """The fields of a container, and of containers in it."""
    return (
        {key: tree(part) for key, part in fields(value).items()} if is_container(value) else value
    )


def own_copy(value: Any) -> Any:
    """A copy of a container with copies of the arrays in it."""
    if is_container(value):
        return rebuild(value, {key: own_copy(part) for key, part in fields(value).items()})
    return value.copy("K") if isinstance(value, np.ndarray) else value


def own_tangent(t: Any, like: Any) -> Any:
    """A tangent of a container that a rule may write into: no zero stands for an array in it."""
    if is_container(like):
        parts = tangents_of_parts(t, fields(like))
        return with_entries(
            type(like),
            {key: own_tangent(parts.get(key, ZERO), part) for key, part in fields(like).items()},
        )
    t = materialize(t, like=like)
    return t.copy() if isinstance(t, np.ndarray) else t


def object_pull(kept: Any, y_bar: Any) -> Any:
    """The cotangents of the arguments, given that of an object after it was written to, of which
    the rule gets a copy.
    """
    pull, own, y = kept
    return pull(own, own_tangent(y_bar, y))


def careful_object_pull(kept: Any, y_bar: Any) -> Any:
    """What `object_pull` gives, by the careful form of the rule's pullback."""
    return object_pull((careful_form(kept[0]), *kept[1:]), y_bar)


object_pull.careful = careful_object_pull  # type: ignore[attr-defined]


def put_back(primal: Any, target: Any, result: Any, before: Any, after: Any) -> None:
    """Have an object hold what the rule made of its copy, of which the fields before and after the
    call are given.
    """
    assign = setattr if kind(type(target)) in ("object", "dataclass", "attrs") else operator.setitem
    old, new = fields(target), fields(result)
    for key, value in after.items():
        if key not in old or (value is not before.get(key) and type(value) is not dict):
            assign(target, key, new[key])
        elif type(value) is dict:
            put_back(primal, old[key], new[key], before[key], value)
        elif (
            isinstance(old[key], TracedArray)
            and type(value) is not float
            and np.ndim(cast(Any, value))
        ):
            written(operator.setitem, (stored(old[key]), ..., new[key]), {})
        elif isinstance(value, np.ndarray) and not np.array_equal(
            plain(old[key]), plain(value), equal_nan=True
        ):
            got = f"a write into {key!r}, a plain array, which has no place for a derivative"
            instead = "make the array by chainrules_tape.numpy: zeros, empty, full, array or copy"
            raise InPlaceError(qualified_name(primal), got, instead, operation=primal, value=target)
