"""Functions that write into an object, a list or a dict, by their rules.

The rule writes into a copy, so that no residual is changed. Afterwards, arrays that it left in
their fields, and wrote into perhaps, are written into the memory of the old ones, for all who share
that; other fields are assigned.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.strong_zeros.strictness import careful_by_first_residual
from chainrules_py.tangents import ZERO, materialize, with_entries
from chainrules_py.tangents.plain_containers import tangents_of_parts
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.structure import fields, is_container, is_mutable, kind, rebuild
from chainrules_tape.core.levels import innermost
from chainrules_tape.in_place.first_write import as_stored
from chainrules_tape.in_place.writing import write
from chainrules_tape.refusals.errors import InPlaceError
from chainrules_tape.refusals.handles import TracedArray, plain


def write_object(
    primal: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any], position: int
) -> Any:
    """Call a function that writes into an object, as its rule says; return that object."""
    target: Any = args[position]
    level: Any = innermost((*args, *options.values()))
    require_mutable(primal, target)
    before: Any = None
    after: Any = None

    def run(
        primal,
        plan,
        values: tuple[Any, ...],
        options: dict[str, Any],
        mode_data: tuple[Any, ...],
    ) -> Any:
        nonlocal before, after
        given = values[position]
        before = tree(given)
        if level.mode == "forward":
            dots = list(mode_data)
            dots[position] = own_tangent(mode_data[position], given)
            y, y_dot = plan.run(tuple(dots), *values, **options)
            made = level.wrap(primal, y, y_dot)
        else:
            y, pull, residuals = plan.stage(*values, **options)
            made = level.wrap(primal, y, object_pull, (pull, residuals, y), mode_data)
        after = tree(y)
        return made

    own_args = list(args)
    own_args[position] = own_copy(level.resolved(target))
    result = level.applied(primal, tuple(own_args), options, run)
    put_back(primal, target, result, before, after)
    return target


def require_mutable(primal, target) -> None:
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


def tree(value) -> Any:
    """The fields of a container as a dict, and so of containers in it; other values as they are."""
    if not is_container(value):
        return value
    return {key: tree(part) for key, part in fields(value).items()}


def own_copy(value) -> Any:
    """A copy of a container with copies of the arrays in it."""
    if is_container(value):
        return rebuild(value, {key: own_copy(part) for key, part in fields(value).items()})
    return value.copy("K") if isinstance(value, np.ndarray) else value


def own_tangent(t, like) -> Any:
    """A tangent of a container that a rule may write into: no zero stands for an array in it."""
    if is_container(like):
        parts = fields(like)
        dots = tangents_of_parts(t, parts)
        own = {key: own_tangent(dots.get(key, ZERO), part) for key, part in parts.items()}
        return with_entries(type(like), own)
    t = materialize(t, like=like)
    return t.copy() if isinstance(t, np.ndarray) else t


@careful_by_first_residual
def object_pull(residuals, y_bar) -> Any:
    """The cotangents of the arguments of a write into an object, from a copy of `y_bar`."""
    pull, residuals, y = residuals
    return pull(residuals, own_tangent(y_bar, y))


def put_back(primal, target, result, before, after) -> None:
    """Write into an object what the rule made of its copy.

    `before` and `after` are the plain fields of the copy at the call of the rule.
    """
    has_attributes = kind(type(target)) in ("object", "dataclass", "attrs")
    assign = setattr if has_attributes else operator.setitem
    old, new = fields(target), fields(result)
    value: Any
    for key, value in after.items():
        is_nested = type(value) is dict
        if key not in old or (value is not before.get(key) and not is_nested):
            assign(target, key, new[key])
        elif is_nested:
            put_back(primal, old[key], new[key], before[key], value)
        elif isinstance(old[key], TracedArray) and type(value) is not float and np.ndim(value):
            write(operator.setitem, (as_stored(old[key]), ..., new[key]), {})
        elif isinstance(value, np.ndarray):
            require_unchanged(primal, target, key, plain(old[key]), plain(value))


def require_unchanged(primal, target, key, old, new) -> None:
    """Raise where a rule wrote into a plain array of an object."""
    if np.array_equal(old, new, equal_nan=True):
        return
    got = f"a write into {key!r}, a plain array, which has no place for a derivative"
    instead = "make the array by chainrules_tape.numpy: zeros, empty, full, array or copy"
    raise InPlaceError(qualified_name(primal), got, instead, operation=primal, value=target)
