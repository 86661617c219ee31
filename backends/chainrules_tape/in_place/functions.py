"""NumPy's functions and methods that write into an array, and ``out=``.

They write by their rules (`writing` and `placing` in `chainrules_py.rulesets.entries`), or are put
as assignments; nothing here differentiates.
"""

import operator
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.introspection import reference_count
from chainrules_py.table.registry import default_rules
from chainrules_py.values.arrays import shape_of
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.structure import is_container
from chainrules_tape.core.dispatch import as_operand, called_again
from chainrules_tape.core.levels import innermost, writers
from chainrules_tape.in_place.augmented_constants import value_in_place
from chainrules_tape.in_place.first_write import as_stored, can_be_stored
from chainrules_tape.in_place.held_memory import library_holding
from chainrules_tape.in_place.lane_memory import plain_lane
from chainrules_tape.in_place.overlaps import refuse_overlap
from chainrules_tape.in_place.reading import own_index
from chainrules_tape.in_place.results import (
    call_on_memory,
    call_plain,
    has_held,
    in_plain_memory,
)
from chainrules_tape.in_place.writing import write_by_call
from chainrules_tape.refusals.errors import AUGMENTED, InPlaceError
from chainrules_tape.refusals.handles import TracedArray
from chainrules_tape.refusals.instrumented_packages import instead_of_buffer

_BUFFERS = (
    "make the array that is written to by chainrules_tape.numpy: zeros, zeros_like, empty, full,"
    " array or copy"
)
JOINING_INTO = frozenset({np.concatenate, np.stack})


def assign(target, index, values) -> None:
    """Write ``target[index] = values`` into a traced array."""
    write_by_call(operator.setitem, (as_stored(target), index, values), {})


def is_target(x) -> bool:
    """Whether a traced value can be written into: an array that a storage can hold."""
    return issubclass(type(x), TracedArray) and not x.is_number and can_be_stored(x)


def are_plain(operands: tuple[Any, ...]) -> bool:
    """Whether nothing is traced, and NumPy has the numbers: then a plain array can be written to."""
    return innermost(operands) is None and not has_held(operands)


def require_target(primal, target) -> None:
    """Raise where a traced value is to be written into a plain array."""
    if is_target(target):
        return
    got = (
        "a traced value to be written into a plain array, which would hold it without its"
        " derivative"
    )
    instead = instead_of_buffer(_BUFFERS)
    raise InPlaceError(qualified_name(primal), got, instead, operation=primal, value=target)


def by_rule(primal: Function, args: Args, options: Options, position: int) -> Any:
    """Call a function that writes into an argument, as its rule says."""
    target = args[position]
    if is_container(target):
        got = f"a {type(target).__qualname__} to write into, which may hold traced values"
        instead = (
            "give it, and its rule, the array in it that is written to; or return a new object"
        )
        raise InPlaceError(qualified_name(primal), got, instead, operation=primal, value=target)
    require_target(primal, target)
    return write_by_call(primal, args, options, position)


def by_numpys_rule(primal) -> Callable[..., None]:
    """The function that writes into its first argument by the rule of a function of NumPy's."""

    def write_by_rule(*args, **options) -> None:
        if args and not is_target(args[0]) and are_plain((*args, *options.values())):
            call_on_memory(primal, args, options)
            return
        _, (target, *places, values), options = default_rules.canonical(primal, args, options)
        by_rule(primal, (target, *map(own_index, places), as_operand(values)), options, 0)

    return write_by_rule


def at(ufunc, a, indices, *values) -> None:
    """As ``ufunc.at``; but for sums and differences, an index that repeats is refused."""
    if not is_target(a) and are_plain((indices, *values)):
        call_on_memory(ufunc.at, (a, indices, *values), {})
        return
    require_target(ufunc.at, a)
    if ufunc is np.add or ufunc is np.subtract:
        write_by_call(ufunc.at, (a, own_index(indices), as_operand(values[0])), {})
        return
    hits = np.zeros(a.shape, int)
    np.add.at(hits, indices, 1)
    if np.any(hits > 1):  # each factor of a product would need all before it
        where, got = f"numpy.{ufunc.__name__}.at", "an index that repeats"
        raise InPlaceError(where, got, "loop over the repetitions", operation=ufunc, value=a)
    x = as_stored(a)
    assign(x, indices, ufunc(x[indices], *values))


def nan_to_num(x, copy: Any = True, **options) -> Any:
    """As ``numpy.nan_to_num``, which writes into its argument where it makes no copy."""
    level = innermost((x, *options.values()))
    if level is None:
        return call_on_memory(np.nan_to_num, (x, copy), options)
    y = level.call(np.nan_to_num, (x,), options)
    if copy or not isinstance(x, TracedArray) or x.is_number:
        return y
    require_target(np.nan_to_num, x)
    assign(x, ..., y)
    return x


# Results that go into arrays


def out(primal: Function, args: Args, options: Options) -> Any:
    """Call a function whose results go into the arrays of ``out=``; return these."""
    options = dict(options)
    given = options.pop("out")
    targets = given if isinstance(given, tuple) else (given,)
    is_into_plain = not all(target is None or is_target(target) for target in targets)
    if is_into_plain and are_plain((*args, *options.values(), *targets)):
        return call_on_memory(primal, args, {**options, "out": given})
    for target in targets:
        if target is None or is_target(target) or target.dtype.kind == "b":
            continue  # booleans have no derivative that could be lost
        if primal in AUGMENTED and args[:1] and args[0] is target:
            # counted in this call, which `references_of_one_holder` repeats
            y = value_in_place(primal, target, args, reference_count(target))
            if y is not None:
                return y
        refuse_plain_target(primal, target, args)

    if primal in JOINING_INTO and is_target(given):

        def write(target, arrays) -> None:
            primal(arrays, *args[1:], **options, out=target)

        refuse_overlap(qualified_name(primal), write, given, args[0])
    y = computed_apart(primal, args, options, given)
    results = y if isinstance(y, tuple) else (y,)
    pairs = list(zip(targets, results, strict=True))
    if any(target is not None and target.shape != shape_of(result) for target, result in pairs):
        # which raises where NumPy does not broadcast the result
        into_scratch(primal, args, options, given)
    copy_into_targets(primal, pairs, options)
    found = [result if target is None else target for target, result in pairs]
    return tuple(found) if isinstance(y, tuple) else found[0]


def computed_apart(primal: Function, args: Args, options: Options, given) -> Any:
    """Compute the results of a call, which are copied into the arrays `given` later."""
    operands = (*args, *options.values())
    if innermost(operands) is not None:
        return called_again(primal, args, options)
    if has_held(operands):
        return call_plain(primal, args, options)
    return into_scratch(primal, args, options, given)


def copy_into_targets(primal: Function, pairs: list[tuple[Any, Any]], options: Options) -> None:
    """Write each result into its target, if it has one, as the call casts and selects."""
    copying = {"casting": options.get("casting", "same_kind")}
    if isinstance(primal, np.ufunc) and options.get("where", True) is not True:
        copying["where"] = options["where"]
    for target, result in pairs:
        if target is not None:
            writers[np.copyto](target, result, **copying)


def refuse_plain_target(primal, target, args: Args) -> NoReturn:
    """Raise where the result of traced values is to go into a plain array."""
    symbol, buffers = AUGMENTED.get(primal), instead_of_buffer(_BUFFERS)
    if symbol is not None and args[:1] and args[0] is target:
        where = f"a {symbol}= x"
        got = "a traced x written into a plain array a, which would lose its derivative"
        instead = f"write a = a {symbol} x, or {buffers}"
    else:
        where = qualified_name(primal)
        got = "a plain array as out= of traced values, which would lose their derivative"
        instead = f"use the result, y = f(x), or {buffers}"
    raise InPlaceError(where, got, instead, operation=primal, value=target)


def into_scratch(primal: Function, args: Args, options: Options, given) -> Any:
    """The result as NumPy writes it into plain arrays like those of ``out=``."""
    plain_args, plain_options = in_plain_memory((args, options))
    return primal(*plain_args, **plain_options, out=scratch(given))


def scratch(given) -> Any:
    """New plain arrays of the shapes and dtypes of those that were given by ``out=``."""
    if isinstance(given, tuple):
        return tuple(map(scratch, given))
    if given is None:
        return None
    memory = plain_lane(given)
    if library_holding(memory) is not None:
        return np.empty(memory.shape, memory.dtype)
    return np.empty_like(memory)


FUNCTIONS = (np.copyto, np.put, np.putmask, np.place, np.put_along_axis, np.fill_diagonal)
writers.update({primal: by_numpys_rule(primal) for primal in FUNCTIONS})
writers[np.nan_to_num] = nan_to_num
writers.update({"at": at, "out": out, "rule": by_rule})


# Methods


def fill(self, value) -> None:
    """As ``numpy.ndarray.fill``."""
    assign(self, ..., value)


def sort(self, axis: int = -1, kind: Any = None, order: Any = None, **options) -> None:
    """As ``numpy.ndarray.sort``."""
    assign(self, ..., np.sort(self, axis, kind, order, **options))


def partition(self, kth, axis: int = -1, kind: Any = "introselect", order: Any = None) -> None:
    """As ``numpy.ndarray.partition``."""
    assign(self, ..., np.partition(self, kth, axis, kind, order))
