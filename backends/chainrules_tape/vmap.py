"""`vmap`: a function of one example as a function of many, all of which are computed at once."""

import weakref
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from chainrules_py.annotations import Args, Function
from chainrules_py.batching.lanes import with_lanes
from chainrules_py.engines.compilers import entry_point
from chainrules_py.errors import BatchingError, said_by
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_py.values.arrays import common_namespace, library_of_types
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.structure import fields, is_container, kind
from chainrules_tape.arguments import own_copy, own_leaf
from chainrules_tape.core.config import engine_of, in_lanes_by
from chainrules_tape.core.following import see_questions_in
from chainrules_tape.core.tracebacks import without_own_frames
from chainrules_tape.core.trees import flatten, in_order, unshared
from chainrules_tape.derivatives import Derivative, named_as_function
from chainrules_tape.lanes.level import Lanes, trace_in_lanes
from chainrules_tape.refusals.errors import InPlaceError, LostGradientError, note_caught
from chainrules_tape.refusals.handles import TracedArray, is_of_subclass
from chainrules_tape.refusals.subclasses import COMMON, carrying, numbers_of, refuse_other_arrays

Axes = Any  # an int, None, or a tree of these

_DECIDED: WeakKeyDictionary[Any, set[Any]] = WeakKeyDictionary()


def vmap(
    function: Function,
    in_axes: Axes = 0,
    out_axes: Axes = 0,
    *,
    chunk_size: int | None = None,
    rules: RuleTable = default_rules,
) -> Function:
    """The function of many examples, given the function of one.

    `in_axes` says along which axis of the arguments the examples lie: an int; None for an argument
    that is the same for all; or a tuple with an entry per argument, each an int, None or a tree of
    them. `out_axes` says the same of the result. Keyword arguments are the same for all.

    All examples are computed at once; with `chunk_size`, so many at a time. That takes less memory,
    and less time where arrays with all examples are much larger than the processor's cache. The
    function is called once for each chunk.

    >>> import numpy as np
    >>> def distance(x, y):
    ...     return np.sqrt(np.sum((x - y) ** 2))
    >>> points = np.array([[3.0, 4.0], [0.0, 1.0], [6.0, 8.0]])
    >>> vmap(distance, in_axes=(0, None))(points, np.zeros(2))
    array([ 5.,  1., 10.])
    """
    return named_as_function(
        Derivative(all_examples, function, in_axes, out_axes, chunk_size, rules), function
    )


@entry_point
@without_own_frames
def all_examples(
    function: Function,
    in_axes: Axes,
    out_axes: Axes,
    chunk_size: int | None,
    rules: RuleTable,
    /,
    *args,
    **options,
) -> Any:
    """Compute `vmap` of a function; a function of the module, so that it pickles."""
    axes = axes_of_arguments(function, in_axes, args)
    see_questions_in((*args, *options.values()))
    leaves, rebuilt = flatten(args)
    if not COMMON.issuperset(map(type, leaves)):
        refuse_other_arrays(function, leaves)
    size = common_size(function, leaves, axes)
    if chunk_size is not None and is_below(function, chunk_size, size):
        from chainrules_py.values.progress import Progress  # by the first chunks

        def chunk(first: int):
            progress.at(first)
            own = made_of_each(
                leaves,
                axes,
                lambda x, axis: (
                    own_leaf(x) if axis is None else part_of_examples(x, axis, first, chunk_size)
                ),
            )
            own_options = {name: own_copy(option) for name, option in options.items()}
            return all_examples(
                function, in_axes, out_axes, None, rules, *rebuilt(own), **own_options
            )

        with Progress("examples", size) as progress:
            chunks = map(chunk, range(0, size, chunk_size))
            return joined_chunks(function, out_axes, chunks, size)
    level = Lanes(engine_of(rules), size)
    if len(leaves) == 1:
        handles = [level.handle(lanes_first(leaves[0], axes[0]))]
    else:
        own = made_of_each(leaves, axes, lanes_first)
        level.points = [weakref.ref(x) if type(x) is np.ndarray else None for x in own]
        level.given = leaves, []
        handles = [
            leaf if axis is None else level.handle(copy)
            for leaf, axis, copy in zip(leaves, axes, own, strict=True)
        ]
        del own
    y = trace_in_lanes(level, function, rebuilt(handles), options)
    results, made = flatten(y)
    places = axes_of_leaves(function, "out_axes", out_axes, y)
    del y, handles
    return made(unshared(all_out_of_lanes(function, level, results, places)))


def name_of_vmap(function: Function) -> str:
    """The call as its author wrote it, for errors."""
    return f"vmap({qualified_name(function)})"


def is_below(function: Function, chunk_size: int, size: int) -> bool:
    """Whether chunks of a size are smaller than all examples; BatchingError where it is none."""
    if not isinstance(chunk_size, int) or chunk_size < 1:
        got = f"chunk_size={chunk_size!r}"
        raise BatchingError(
            name_of_vmap(function), got, "write a number of examples from 1 on, or None for all"
        )
    return chunk_size < size


def part_of_examples(leaf, axis: int, first: int, count: int) -> Any:
    """Some examples of an argument, from the first one given on."""
    before = axis if axis >= 0 else len(np.shape(leaf)) + axis
    return leaf[(*[slice(None)] * before, slice(first, first + count))]


def joined_chunks(function: Function, out_axes: Axes, chunks: Iterator[Any], size: int) -> Any:
    """The result for all examples, given those of some after the other.

    Each chunk of a plain array is copied while it is in the processor's cache, and let go.
    """
    y = next(chunks)
    places = axes_of_leaves(function, "out_axes", out_axes, y)
    leaves, rebuilt = flatten(y)
    results = [Joined(leaf, axis, size) for leaf, axis in zip(leaves, places, strict=True)]
    del y, leaves
    for y in chunks:
        for result, leaf in zip(results, flatten(y)[0], strict=True):
            result.add(leaf)
    return rebuilt([result.joined() for result in results])


class Joined:
    """One array of the result, of which chunks are added one after the other."""

    def __init__(self, first, axis: int | None, size: int) -> None:
        self.axis, self.parts, self.size = axis, [first], size
        self.made: Any = None
        self.filled = 0
        if axis is not None and type(first) is np.ndarray:
            shape = list(first.shape)
            shape[axis] = size
            self.made = np.empty(shape, first.dtype)
            self.parts.clear()
            self.add(first)

    def add(self, part) -> None:
        """Add a chunk; where it fits not into what has been made, all are joined at the end."""
        if self.axis is None:
            return
        made = self.made
        if made is None:
            self.parts.append(part)
            return
        count = part.shape[self.axis]
        place = part_of_examples(made, self.axis, self.filled, count)
        if type(part) is np.ndarray and part.dtype == made.dtype and part.shape == place.shape:
            place[...] = part
            self.filled += count
            return
        self.parts = [part_of_examples(made, self.axis, 0, self.filled), part]
        self.made = None

    def joined(self) -> Any:
        """All chunks in one array; of what is the same for all examples, the first one."""
        if self.made is not None:
            return self.made
        if self.axis is None:
            return self.parts[0]
        return common_namespace(self.parts).concatenate(self.parts, self.axis)


def each_example(
    function: Function,
    lanes: tuple[bool, ...],
    args: Args,
    rules: RuleTable = default_rules,
    *,
    of: Any = None,
    kind: Any = None,
) -> Any:
    """Compute a function of arrays for all examples, which lie along the first axis of some.

    In lanes; or one after the other, where the function decides by the values of an example or
    takes plain arrays only, of which compiled code says TypeError. That is found out by running it,
    once for each `kind` of call of the function `of`: further ones are made one by one from the
    start.
    """
    from chainrules_py.engines import one_by_one  # which few programs need

    if kind in decided_by(of):
        return one_by_one(function, lanes, args)
    try:
        return examples_in_lanes(function, lanes, args, rules)
    except BatchingError:
        decided_by(of).add(kind)
        return one_by_one(function, lanes, args)


def examples_in_lanes(
    function: Function, lanes: tuple[bool, ...], args: Args, rules: RuleTable
) -> Any:
    """Compute a function of arrays for all examples at once; BatchingError where it decides by the
    values of an example or takes plain arrays only, of which compiled code says TypeError.
    """
    try:
        return vmap(function, tuple([0 if lane else None for lane in lanes]), rules=rules)(*args)
    except BatchingError as error:
        note_caught(error)
        raise
    except (LostGradientError, InPlaceError, TypeError) as error:
        note_caught(error)
        raise BatchingError(name_of_vmap(function), said_by(error), "compute one by one") from error


in_lanes_by.append(examples_in_lanes)


def decided_by(function) -> set[Any]:
    """The kinds of calls of a function that decide by values, as far as it is known."""
    try:
        return _DECIDED.setdefault(function, set())
    except TypeError:  # a function that cannot be hashed, or referred to weakly
        return set()


def axes_of_arguments(function: Function, in_axes: Axes, args: Args) -> list[int | None]:
    """The axis of the examples of each leaf of the arguments."""
    if isinstance(in_axes, list):
        in_axes = tuple(in_axes)
    if isinstance(in_axes, tuple) and len(in_axes) != len(args):
        got = f"in_axes={in_axes!r} for {len(args)} arguments"
        raise BatchingError(name_of_vmap(function), got, "write one entry for each argument")
    return axes_of_leaves(function, "in_axes", in_axes, args)


def axes_of_leaves(
    function: Function, name: str, axes: Axes, tree, whole: Axes = None
) -> list[int | None]:
    """The axis of each leaf of a tree, given a tree of axes that begins as that tree does; it may be
    part of the `whole` that was given.
    """
    if axes is None or type(axes) is int:
        return [axes] * len(flatten(tree)[0])
    whole = axes if whole is None else whole
    parts = fields(tree) if is_container(tree) else {}
    each = fields(axes) if is_container(axes) else {}
    if not (parts.keys() == each.keys() and kind(type(axes)) == kind(type(tree)) is not None):
        wrong = f"{axes!r} in the place of a {type(tree).__name__}"
        got = f"{name}={whole!r}, which has another structure than the values: {wrong}"
        raise BatchingError(name_of_vmap(function), got, "write an int, None, or a tree of them")
    keys = in_order(parts) if type(tree) in (dict, defaultdict) else parts
    found = [axes_of_leaves(function, name, each[key], parts[key], whole) for key in keys]
    return [axis for some in found for axis in some]


def common_size(function: Function, leaves: list[Any], axes: list[int | None]) -> int:
    """The number of examples, which all leaves with an axis agree in."""
    sizes: dict[int, Any] = {}
    for leaf, axis in zip(leaves, axes, strict=True):
        if axis is None:
            continue
        shape = np.shape(leaf)
        if not -len(shape) <= axis < len(shape):
            got = f"an argument of shape {shape}, and examples along axis {axis}"
            raise BatchingError(
                name_of_vmap(function), got, "write in_axes=None for what is the same for all"
            )
        sizes[shape[axis]] = shape
    if len(sizes) == 1:
        (count,) = sizes
        return int(count)
    got = "no argument with examples"
    if sizes:
        got = f"arguments of {' and '.join(map(str, sizes))} examples"
    raise BatchingError(
        name_of_vmap(function), got, "pass arrays of as many examples each, and at least one array"
    )


def lanes_first(x, axis: int | None) -> Any:
    """A copy of an array, into which the function may write, with the examples in front; None for
    what is the same for all.
    """
    if axis is None:
        return None
    if axis == 0 and type(x) is np.ndarray:
        return x.copy()
    if is_of_subclass(type(x)) and not issubclass(type(x), TracedArray):
        return carrying(lanes_first(numbers_of(x), axis), x)
    xp = library_of_types((type(x),)).namespace
    return xp.moveaxis(x, axis, 0).copy()


def made_of_each(
    leaves: list[Any], axes: list[int | None], make: Callable[[Any, int | None], Any]
) -> list[Any]:
    """Make something of each argument and its axis, once of an array that is an argument twice:
    what is written into it is seen by both names.
    """
    made: dict[Any, Any] = {}
    for leaf, axis in zip(leaves, axes, strict=True):
        if (id(leaf), axis) not in made:
            made[id(leaf), axis] = make(leaf, axis)
    return [made[id(leaf), axis] for leaf, axis in zip(leaves, axes, strict=True)]


def all_out_of_lanes(
    function: Function, level: Lanes, results: list[Any], axes: list[int | None]
) -> list[Any]:
    """The results without handles, which are let go one by one: nobody else holds their arrays.

    Empties the list of results.
    """
    results.reverse()
    return [out_of_lanes(function, level, results.pop(), axis) for axis in axes]


def out_of_lanes(function: Function, level: Lanes, y, axis: int | None) -> Any:
    """A result with its examples along an axis, or as it is where that is None."""
    if not level.owns(y):
        if axis is None:
            return y
        repeated = with_lanes(y, level.size)
    elif axis is None:
        got = "out_axes=None for a result that differs from example to example"
        raise BatchingError(
            name_of_vmap(function), got, "name the axis where the examples are to lie"
        )
    else:
        repeated = y.value
    if not axis:
        return repeated
    rank = np.ndim(repeated)
    if not -rank <= axis < rank:
        got = f"out_axes={axis} for results of shape {np.shape(repeated)[1:]}"
        raise BatchingError(
            name_of_vmap(function), got, f"write an axis from {-rank} to {rank - 1}"
        )
    xp = library_of_types((type(repeated),)).namespace
    return xp.moveaxis(repeated, 0, axis)
