"""NumPy's functions and methods that write into an array, by their rules or said by assignments,
and ``out=``.

The rules are in `chainrules_py.rulesets.entries`, `writing` and `placing`; nothing here
differentiates.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.introspection import reference_count
from chainrules_py.table.registry import default_rules
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.structure import is_container
from chainrules_tape.core.dispatch import as_operand, called_again
from chainrules_tape.core.levels import innermost, writers
from chainrules_tape.in_place.augmented_constants import replaced
from chainrules_tape.in_place.first_write import stored
from chainrules_tape.in_place.objects import written_object
from chainrules_tape.in_place.reading import own_index
from chainrules_tape.in_place.results import on_memory
from chainrules_tape.in_place.writing import written
from chainrules_tape.refusals.errors import AUGMENTED, InPlaceError
from chainrules_tape.refusals.handles import TracedArray, plain

_BUFFERS = (
    "make the array that is written to by chainrules_tape.numpy: zeros, zeros_like, empty, full,"
    " array or copy"
)


def assign(target: Any, index: Any, values: Any) -> None:
    """``target[index] = values``; the target is traced or stored."""
    written(operator.setitem, (stored(target), index, values), {})


def require_target(primal: Any, target: Any) -> None:
    """Raise where a traced value is to be written into a plain array."""
    if not issubclass(type(target), TracedArray) or type(plain(target)) is not np.ndarray:
        got = (
            "a traced value to be written into a plain array, which would hold it without its"
            " derivative"
        )
        raise InPlaceError(qualified_name(primal), got, _BUFFERS, operation=primal, value=target)


def by_rule(
    primal: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any], position: int
) -> Any:
    """Call a function that writes into an argument, as its rule says."""
    if is_container(args[position]):
        return written_object(primal, args, options, position)
    require_target(primal, args[position])
    return written(primal, args, options, position)


def by_numpys_rule(primal: Any) -> Callable[..., None]:
    """A function of NumPy that writes into its first argument; there and among the values stand
    arrays or lists.
    """

    def write(*args: Any, **options: Any) -> None:
        _, (target, *others), options = default_rules.canonical(primal, args, options)
        by_rule(primal, (target, *map(own_index, others[:-1]), as_operand(others[-1])), options, 0)

    return write


def at(ufunc: Any, a: Any, indices: Any, *values: Any) -> None:
    """As ``ufunc.at``: sums and differences; of the others, where an index repeats, each factor
    would need all before it.
    """
    require_target(ufunc.at, a)
    if ufunc is np.add or ufunc is np.subtract:
        written(ufunc.at, (a, own_index(indices), as_operand(values[0])), {})
        return
    hits = np.zeros(a.shape, int)
    np.add.at(hits, indices, 1)
    if np.any(hits > 1):
        where, got = f"numpy.{ufunc.__name__}.at", "an index that repeats"
        raise InPlaceError(where, got, "loop over the repetitions", operation=ufunc, value=a)
    x = stored(a)
    assign(x, indices, ufunc(x[indices], *values))


def out(primal: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Call a function whose result goes into arrays that it is given by ``out=``; these are what it
    returns.
    """
    options = dict(options)
    given = options.pop("out")
    targets = given if isinstance(given, tuple) else (given,)
    mask = options.get("where", True)
    for target in targets:
        if target is not None and not (
            issubclass(type(target), TracedArray) and type(plain(target)) is np.ndarray
        ):
            symbol = AUGMENTED.get(primal)
            augments = symbol is not None and args[:1] and args[0] is target
            if augments:
                y = replaced(primal, target, args, reference_count(target))
                if y is not None:
                    return y
                got = "a traced x written into a plain array a, which would lose its derivative"
                raise InPlaceError(
                    f"a {symbol}= x",
                    got,
                    f"write a = a {symbol} x, or {_BUFFERS}",
                    operation=primal,
                    value=target,
                )
            got = "a plain array as out= of traced values, which would lose their derivative"
            raise InPlaceError(
                qualified_name(primal),
                got,
                f"use the result, y = f(x), or {_BUFFERS}",
                operation=primal,
                value=target,
            )
    # plain numbers go into traced memory, or into a buffer
    if innermost((*args, *options.values())) is None:
        y = in_plain_memory(primal, args, options, given)
    else:
        y = called_again(primal, args, options)
    results = y if isinstance(y, tuple) else (y,)
    pairs = list(zip(targets, results, strict=False))
    if any(target is not None and target.shape != np.shape(result) for target, result in pairs):
        # which raises where NumPy does not broadcast the result
        in_plain_memory(primal, args, options, given)
    for target, result in pairs:
        if target is not None:
            where = {"where": mask} if isinstance(primal, np.ufunc) and mask is not True else {}
            writers[np.copyto](target, result, casting=options.get("casting", "same_kind"), **where)
    found = tuple(
        [
            result if target is None else target
            for target, result in zip(targets, results, strict=True)
        ]
    )
    return found if isinstance(y, tuple) else found[0]


def in_plain_memory(
    primal: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any], given: Any
) -> Any:
    """The result as NumPy writes it into plain arrays of the shapes of those that were given by
    ``out=``.
    """
    own_args, own_options = on_memory((args, options))
    return primal(*own_args, **own_options, out=scratch(given))


def scratch(given: Any) -> Any:
    """Arrays of the shapes of those that were given by ``out=``."""
    if isinstance(given, tuple):
        return tuple(map(scratch, given))
    return None if given is None else np.empty_like(plain(given))


FUNCTIONS = (np.copyto, np.put, np.putmask, np.place, np.put_along_axis, np.fill_diagonal)
writers.update({primal: by_numpys_rule(primal) for primal in FUNCTIONS})
writers.update({"at": at, "out": out, "rule": by_rule})


# Methods


def fill(self: Any, value: Any) -> None:
    """As ``numpy.ndarray.fill``."""
    assign(self, ..., value)


def sort(self: Any, axis: int = -1, kind: Any = None, order: Any = None, **options: Any) -> None:
    """As ``numpy.ndarray.sort``."""
    assign(self, ..., np.sort(self, axis, kind, order, **options))


def partition(
    self: Any, kth: Any, axis: int = -1, kind: Any = "introselect", order: Any = None
) -> None:
    """As ``numpy.ndarray.partition``."""
    assign(self, ..., np.partition(self, kth, axis, kind, order))


METHODS: dict[str, Callable[..., Any]] = {
    "fill": fill,
    "sort": sort,
    "partition": partition,
    "put": writers[np.put],
}
