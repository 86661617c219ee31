"""Words for functions along axes.

Lanes are an axis more in front. So all lanes are computed by one call of the function, with its axes
counted from the end. The three kinds differ in what becomes of the entries along an axis, which
sparsity patterns ask; in lanes they are computed alike.
"""

import operator
from math import prod
from typing import Any, ClassVar

import numpy as np

from chainrules_py.annotations import Options
from chainrules_py.batching.lanes import Lanes, behind_lanes, flat_lanes, with_lanes
from chainrules_py.batching.loop import looped
from chainrules_py.batching.words import Axes, Run
from chainrules_py.values.arrays import ArrayLibrary, held_array
from chainrules_py.values.records import Record

SHORT, MANY = 64, 2**12  # entries of a row, and of all rows


class AlongAxes(Axes, Record):
    """The word of a function of one array that runs along the axes which options name.

    `axes` are the names of these options, and `default` is what they are where a call leaves them
    out. None stands for all axes, or for the only axis of the flat array where `flat` says so.
    `in_result` says that axes are counted in the result, which has these axes more than the
    argument, as with `expand_dims`. Options that are named in `beside` hold arrays that broadcast
    against the argument, as `where` does.
    """

    axes: tuple[str, ...] = ("axis",)
    default: Any = None
    flat: bool = False
    in_result: bool = False
    beside: tuple[str, ...] = ()
    arguments: int | None = 1

    vanish: ClassVar[bool] = False

    @property
    def laned_options(self) -> frozenset[str]:  # type: ignore[override]
        """The options that may have lanes."""
        return frozenset(self.beside)

    def bind(self, primal, types: tuple[type, ...], lanes: Lanes, library: ArrayLibrary) -> Run:
        """Count axes from the end."""
        run = self.implementation(primal, library)
        names, default, flat = self.axes, self.default, self.flat
        laned = lanes[1:]
        first = names[0] if names else ""

        def along_axes_batched(x, **options):
            if laned:
                x = with_laned_options(x, lanes[0], laned, options)
            rank = x.ndim - 1
            if flat and options.get(first, default) is None:
                return flat_run(run, x, first, options)
            if rank == 0 and not (self.vanish or self.in_result or laned):
                return looped(run, lanes, (x,), options)  # of a number, as the function has it
            if rank == 0 and self.vanish:
                for name in laned:
                    options[name] = options[name][:, None]
                return run_on_numbers(run, x, names, options)
            for name in names:
                axis = options.get(name, default)
                counted = rank + (np.size(axis) if self.in_result else 0)
                options[name] = from_the_end(axis, counted)
            return run(x, **options)

        return along_axes_batched

    def implementation(self, primal, library: ArrayLibrary) -> Run:
        """The function that computes all lanes, given axes that are counted from the end."""
        return library.implementation(primal)


def with_laned_options(x, lane, names: Lanes, options: Options) -> Any:
    """An array with lanes; and options that have lanes, so that they broadcast against it."""
    if lane is not True:
        x = with_lanes(x, options[names[0]].shape[0])
    for name in names:
        options[name] = behind_lanes(options[name], x.ndim - 1)
    return x


def flat_run(run: Run, x, name: str, options: Options) -> Any:
    """Call a function along the only axis of each lane's flat array."""
    flat = flat_lanes(x)
    y = run(flat, **{**options, name: -1})
    if not options.get("keepdims"):
        return y
    return y.reshape((x.shape[0],) + (1,) * (x.ndim - 1))


def run_on_numbers(run: Run, x, names: tuple[str, ...], options: Options) -> Any:
    """Call a reduction of numbers, each as a vector of one entry."""
    for name in names:
        axis = options.get(name)
        if axis not in (None, (), 0, -1, (0,), (-1,)):
            raise np.exceptions.AxisError(axis, 0)
        options[name] = -1
    return run(x[:, None], **{**options, "keepdims": False})


def from_the_end(axis, rank: int) -> Any:
    """Axes of an array of this rank, counted from the end; None stands for all of them.

    >>> from_the_end((0, -1), 3), from_the_end(None, 2)
    ((-3, -1), (-2, -1))
    """
    if type(axis) is int:
        if not -rank <= axis < rank:
            raise np.exceptions.AxisError(axis, rank)
        return axis if axis < 0 else axis - rank
    if axis is None:
        return tuple(range(-rank, 0))
    if np.ndim(axis):
        return tuple([from_the_end(operator.index(each), rank) for each in axis])
    return from_the_end(operator.index(axis), rank)


class Moves(AlongAxes):
    """Each entry of the result is an entry of the argument, or a constant."""

    kind = "moves"


class Reduces(AlongAxes):
    """All entries along axes become one, and the axes vanish, or stay at length one.

    Where it `adds` them, and does nothing else, many short rows are multiplied with ones.
    """

    kind = "reduces"
    vanish = True
    adds: bool = False

    def implementation(self, primal, library: ArrayLibrary) -> Run:
        """The library's function, or for sums one that is quicker with short rows."""
        run = super().implementation(primal, library)
        return sum_in_lanes(run) if self.adds else run


def sum_in_lanes(run: Run) -> Run:
    """A sum along axes that are counted from the end.

    NumPy adds up row by row. Where rows are short, BLAS takes a third of the time, and less: for
    100,000 x 9 rows of nine 11 ms, where `numpy.add.reduce` takes 36.
    """

    def total(x, *, axis, **options):
        axes = axis if type(axis) is tuple else (axis,)
        if options or not has_many_short_rows(held_array(x), axes):
            return run(x, axis=axis, **options)
        kept, length = x.shape[: -len(axes)], prod(x.shape[-len(axes) :])
        return x.reshape((*kept, length)) @ np.ones(length, x.dtype)

    return total


def has_many_short_rows(x, axes: tuple[int, ...]) -> bool:
    """Whether axes are the last ones of a large NumPy array in one memory, and short together."""
    if type(x) is not np.ndarray or x.size < MANY or x.dtype.char not in "df":
        return False
    if not axes or axes != tuple(range(-len(axes), 0)):
        return False
    is_short = 1 < prod(x.shape[-len(axes) :]) <= SHORT
    return is_short and x.dtype.isnative and x.flags.c_contiguous and x.flags.aligned


class Mixes(AlongAxes):
    """Entries along axes are computed of all entries along these, others apart."""

    kind = "mixes"
