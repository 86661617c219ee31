"""Find the sparsity pattern of a result from what its function does with axes.

A function is declared by one of these words:

    elementwise   unites the rows of the operands, after broadcasting
    moves         the function, applied to the numbers of the entries, says which is where
    reduces       unites the rows along the axes
    mixes         unites them along an axis, and spreads the union over it
    stacked       the same within each matrix or vector of a stack
    contracts     unites the rows over the letters that vanish

A step is called as ``step(level, primal, args, options)``, and raises `NotTold` where it cannot
tell. A linear function is then applied to unit vectors (`by_units`); and where that does not tell,
each entry of the result depends on all of which the arguments do (`all_of_all`).
"""

import operator
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from chainrules_py.rulesets.entries.replacing import replaced
from chainrules_py.rulesets.entries.scatter import scatter_add
from chainrules_py.values.arrays import shape_of
from chainrules_py.values.structure import fields, is_container, rebuild
from chainrules_sparse.patterns.contractions import LETTERS, grouped_by_letters, letters_of_einsum
from chainrules_sparse.patterns.rows import (
    MOST_ENTRIES,
    Rows,
    all_columns,
    no_columns,
    one_after_the_other,
    same_columns,
)
from chainrules_tape.refusals.handles import TracedArray, plain

NUMBERS = frozenset({bool, int, float, complex})  # Python's
UNITS_AT_ONCE = 2**20  # entries of unit vectors: 8 MB
FEW = 64  # so many unit vectors are not worth a look at one of them first
Step = Callable[[Any, Any, tuple[Any, ...], dict[str, Any]], Any]


class NotTold(Exception):
    """Nothing is known of what this call does to patterns."""


def step_of(table, primal, args: tuple[Any, ...]) -> Step:
    """Find the step of a function, by a rule of its own or by its word."""
    own = STEPS.get(primal)
    if own is not None:
        return own
    rule = table.rule_for("batching", primal, tuple(map(type, args)))
    word = None if rule is None else rule.axes
    if word is not None:
        return BY_WORD[word.kind](word)
    if primal in WITHOUT_WORD:
        return WITHOUT_WORD[primal]
    raise NotTold


# The arguments, and the shape of the result


def stand_ins(value) -> Any:
    """A value with zeros in the place of patterns, for calls that ask for shapes."""
    if issubclass(type(value), TracedArray):
        return plain(value)
    if not is_container(value):
        return value
    return rebuild(value, {key: stand_ins(part) for key, part in fields(value).items()})


def broadcast_read_only(*args, subok: bool = False) -> tuple[Any, ...]:
    """Broadcast arrays against each other; those of NumPy's function warn when their flags are
    read.
    """
    shape = np.broadcast_shapes(*map(np.shape, args))
    return tuple([np.broadcast_to(arg, shape, subok=subok) for arg in args])


READ_ONLY: dict[Any, Any] = {np.broadcast_arrays: broadcast_read_only}


def result_like(primal, args: Sequence[Any], options: dict[str, Any]) -> Any:
    """The result for zeros: arrays and numbers of the shapes of the true one."""
    called = READ_ONLY.get(primal, primal)
    try:
        with np.errstate(all="ignore"):
            return called(*map(stand_ins, args), **stand_ins(options))
    except (ArithmeticError, ValueError, TypeError, IndexError) as error:
        raise NotTold from error


def handles_on(level, like, rows_of: Callable[[Any], Rows]) -> Any:
    """The handles on a result, or on each part of it that may have a tangent."""
    if is_container(like):
        parts = fields(like).items()
        return rebuild(like, {key: handles_on(level, part, rows_of) for key, part in parts})
    if isinstance(like, bool | int | float | complex) and not isinstance(like, np.generic):
        like = np.asarray(like)[()]
    if not isinstance(like, np.ndarray | np.generic):
        raise NotTold
    return level.handle(like, rows_of(like))


def numbers_of(x) -> np.ndarray:
    """The numbers of the entries of an array, in its shape."""
    return np.arange(x.size).reshape(x.shape)


def without_memory(shape: tuple[int, ...], dtype) -> np.ndarray:
    """Zeros that share the memory of one, made without the checks of `broadcast_to`."""
    made: np.ndarray = np.ndarray(shape, dtype, np.zeros(1, dtype), strides=(0,) * len(shape))
    made.flags.writeable = False
    return made


def all_of_all(level, primal, args: Sequence[Any], options: dict[str, Any]) -> Any:
    """The result each entry of which depends on all of which the arguments do."""
    like = result_like(primal, args, options)
    handles = list(level.handles_in((*args, *options.values())))
    columns = all_columns([handle.rows for handle in handles])
    return handles_on(level, like, lambda part: same_columns(columns, np.size(part)))


# Steps


def elementwise(level, primal, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Unite the rows of the operands, after broadcasting."""
    kinds = tuple(map(kind_of, args))
    if options or any(kind is None for kind in kinds):
        handles = list(level.handles_in((*args, *options.values())))
        dtypes = dtypes_of(result_like(primal, [one_entry(x) for x in args], options))
    else:
        handles = list(filter(level.owns, args))
        dtypes = dtypes_of_result(primal, kinds)

    shape = common_shape([shape_of(x) for x in (*args, *options.values())])
    rows = broadcast_rows(handles[0], shape)
    for other in handles[1:]:
        rows = rows.united_with(broadcast_rows(other, shape))
    if isinstance(dtypes, tuple):
        return tuple([level.handle(broadcast_zeros(shape, dtype), rows) for dtype in dtypes])
    return level.handle(broadcast_zeros(shape, dtypes), rows)


def broadcast_zeros(shape: tuple[int, ...], dtype) -> Any:
    """The value of an elementwise function of zeros: a number where the arguments have no axes."""
    return without_memory(shape, dtype) if shape else np.zeros((), dtype)[()]


def common_shape(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape to which arrays are broadcast, at once where all have one or are numbers."""
    different = set(shapes) - {()}
    if len(different) > 1:
        return np.broadcast_shapes(*different)
    return different.pop() if different else ()


def kind_of(x) -> Any:
    """The dtype of an array, or the class of a number of Python's; None for anything else."""
    if hasattr(x, "dtype") and hasattr(x, "shape"):
        return x.dtype
    return type(x) if type(x) in NUMBERS else None


@lru_cache(maxsize=1024)
def dtypes_of_result(primal, kinds: tuple[Any, ...]) -> Any:
    """The dtype of the result for arguments of these kinds; a tuple of them for several results."""
    ones = [np.ones((), kind)[()] if isinstance(kind, np.dtype) else kind(1) for kind in kinds]
    return dtypes_of(result_like(primal, ones, {}))


def dtypes_of(like) -> Any:
    """The dtype of a result, or of each of several."""
    return tuple(map(dtypes_of, like)) if isinstance(like, tuple) else np.asarray(like).dtype


def one_entry(x) -> Any:
    """An array without axes, of the dtype of another: enough to find the dtype of a result."""
    return np.ones((), x.dtype)[()] if hasattr(x, "dtype") and hasattr(x, "shape") else x


def broadcast_rows(x, shape: tuple[int, ...]) -> Rows:
    """The rows of a pattern that is broadcast."""
    rows: Rows = x.rows
    if x.shape == shape:
        return rows
    return rows.taken(np.broadcast_to(numbers_of(x), shape).ravel())


def moves(level, primal, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Apply the function to the numbers of the entries, and see where they are.

    It is applied to their squares, too: what is the square of the number is that entry, and what is
    the same both times is a constant. For anything else it does not move entries.
    """
    handles = list(level.handles_in(args))
    if level.holds_handles(options):
        raise NotTold
    rows = one_after_the_other([handle.rows for handle in handles])
    starts = np.cumsum([2] + [handle.rows.count for handle in handles])  # 0 and 1 are constants
    start_of = {id(handle): start for handle, start in zip(handles, starts, strict=False)}

    def numbered(value, power: int) -> Any:
        if id(value) in start_of:
            numbers = start_of[id(value)] + np.arange(value.rows.count, dtype=float)
            return np.reshape(numbers**power, value.shape)[()]
        if not is_container(value):
            return stand_ins(value)
        parts = fields(value).items()
        return rebuild(value, {key: numbered(part, power) for key, part in parts})

    try:
        found = primal(*[numbered(arg, 1) for arg in args], **options)
        squares = primal(*[numbered(arg, 2) for arg in args], **options)
    except (ArithmeticError, ValueError, TypeError) as error:
        raise NotTold from error
    return moved_handles(level, found, squares, rows, result_like(primal, args, options))


def moves_exactly(level, primal, args: tuple[Any, ...], options: dict[str, Any]):
    """Apply a function that is known to move what it is given, to the numbers of the entries as
    integers: 0 stands for what is constant.
    """
    first, *others = args
    is_list = isinstance(first, list | tuple)
    parts = list(first) if is_list else [first]
    handles = list(level.handles_in(args))
    is_plain = all(level.owns(part) or not is_container(part) for part in parts)
    if not is_plain or any(not any(x is part for part in parts) for x in handles):
        return moves(level, primal, args, options)
    if {"dtype", "casting"} & options.keys() or level.holds_handles(options):
        return moves(level, primal, args, options)

    own = [x for x in parts if level.owns(x)]
    rows = one_after_the_other([x.rows for x in own])
    starts = iter(np.cumsum([1] + [x.rows.count for x in own]))
    numbers = [numbers_from(next(starts), x) if level.owns(x) else zeros_of(x) for x in parts]
    try:
        found = primal(numbers if is_list else numbers[0], *others, **options)
    except (ValueError, TypeError) as error:
        raise NotTold from error
    dtype = np.result_type(*[x.dtype if hasattr(x, "dtype") else np.asarray(x) for x in parts])
    return level.handle(without_memory(found.shape, dtype), rows.taken(found.ravel() - 1))


def numbers_from(first: int, x) -> np.ndarray:
    """The numbers of the entries of an array, from one on."""
    return np.arange(first, first + x.size).reshape(x.shape)


def zeros_of(x) -> np.ndarray:
    """As many zeros as an array has entries."""
    return np.zeros(np.shape(x), np.intp)


def padded(level, primal, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """`pad`: by entries or zeros, unless options say that it computes."""
    is_exact = options.keys() <= {"mode"} and options.get("mode", "constant") in MOVING_MODES
    step = moves_exactly if is_exact and len(args) == 2 else moves
    return step(level, primal, args, options)


def moved_handles(level, found, squares, rows: Rows, like) -> Any:
    """The handles on a result whose entries have these numbers, from 2 on, and these squares."""
    if is_container(found):
        others, likes = fields(squares), fields(like)
        return rebuild(
            found,
            {
                key: moved_handles(level, part, others[key], rows, likes[key])
                for key, part in fields(found).items()
            },
        )
    if not isinstance(found, np.ndarray | np.generic):
        raise NotTold
    numbers: Any = np.ravel(found)
    powers: Any = np.ravel(squares)
    if numbers.dtype.kind != "f":
        raise NotTold
    is_entry = (numbers >= 2) & (powers == numbers * numbers)
    if not is_entry.all():
        is_constant = (powers == numbers) | np.isnan(numbers)
        if not (is_entry | is_constant).all():
            raise NotTold
        numbers = np.where(is_entry, numbers, 1)
    return level.handle(like, rows.taken(numbers.astype(np.intp) - 2))


def reading(level, primal, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Read entries: those with the numbers that the index reads."""
    x, index = args
    if not level.owns(x) or level.holds_handles(index):
        raise NotTold
    if x.rows.length:
        return read_at_once(level, x, index)
    numbers = numbers_of(x)[index]
    like = without_memory(np.shape(numbers), x.dtype)
    is_number = not isinstance(numbers, np.ndarray)
    return level.handle(like[()] if is_number else like, x.rows.taken(np.ravel(numbers)))


def read_at_once(level, x, index) -> Any:
    """Read entries of an array whose rows have as many columns each: the index reads the columns,
    which have an axis more at the end. Where it is a slice, they share their memory.
    """
    rows = x.rows
    items = index if type(index) is tuple else (index,)
    has_ellipsis = any(item is Ellipsis for item in items)
    behind = slice(None) if has_ellipsis else Ellipsis
    columns = rows.columns.reshape(*x.shape, rows.length)[(*items, behind)]
    like = without_memory(columns.shape[:-1], x.dtype)
    read = Rows(columns.ravel(), length=rows.length)
    return level.handle(like if like.ndim or has_ellipsis else like[()], read)


def reduces(word, level, primal, args: tuple[Any, ...], options: dict[str, Any]):
    """Unite the rows along the axes."""
    x = only_pattern(level, args, options)
    rows = united_along(x, axes_of_call(word, x, options))
    return handles_on(level, result_like(primal, args, options), lambda part: rows)


def axes_of_call(word, x, options: dict[str, Any]) -> tuple[int, ...]:
    """The axes along which a function with this word works in a call, counted from the front."""
    names = word.axes
    if len(names) > 1 and not options.keys() >= set(names):
        raise NotTold  # what they are by default is known to the function only
    found: set[int] = set()
    for name in names:
        found.update(axes_of(options.get(name, word.default), x.ndim))
    return tuple(sorted(found))


def only_pattern(level, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The first argument, if it is the only pattern."""
    handles = list(level.handles_in((*args, *options.values())))
    if len(handles) != 1 or handles[0] is not args[0]:
        raise NotTold
    return args[0]


def axes_of(axis, rank: int) -> tuple[int, ...]:
    """Axes, counted from the front; None stands for all of them."""
    if axis is None:
        return tuple(range(rank))
    axes = axis if isinstance(axis, tuple | list) else (axis,)
    return tuple([int(each) % rank for each in axes])


def united_along(x, axes: tuple[int, ...]) -> Rows:
    """The rows of an array united along axes, in the order of the other axes."""
    rows: Rows = x.rows
    if not axes:
        return rows
    size = int(np.prod([x.shape[axis] for axis in axes]))
    count = rows.count // size if size else int(np.prod(np.delete(x.shape, axes)))
    if not size:
        return no_columns(count)
    if axes != tuple(range(x.ndim - len(axes), x.ndim)):
        rows = rows.taken(np.moveaxis(numbers_of(x), axes, range(-len(axes), 0)).ravel())
    return rows.grouped(np.arange(0, rows.count + 1, size))


def mixes(word, level, primal, args: tuple[Any, ...], options: dict[str, Any]):
    """Unite the rows along an axis, and spread the union over that of the result."""
    x = only_pattern(level, args, options)
    axes = axes_of_call(word, x, options)
    try:
        return by_units(level, primal, args, options, axes)
    except NotTold:
        rows = united_along(x, axes)

    def spread(part) -> Rows:
        if len(axes) == x.ndim:
            return rows.taken(np.zeros(np.size(part), np.intp))
        if np.ndim(part) != x.ndim:
            raise NotTold
        kept = [1 if axis in axes else length for axis, length in enumerate(x.shape)]
        if any(own not in (1, length) for own, length in zip(kept, np.shape(part), strict=True)):
            raise NotTold
        numbers = np.arange(rows.count).reshape(kept)
        return rows.taken(np.broadcast_to(numbers, np.shape(part)).ravel())

    return handles_on(level, result_like(primal, args, options), spread)


def rows_of_stack(x, rank: int, stack: tuple[int, ...]) -> Rows:
    """The rows of each matrix or vector of an array, united, for all places of a larger stack.

    The first `rank` axes of the array are those of its stack.
    """
    within = tuple(range(rank, x.ndim))
    rows = united_along(x, within)
    numbers = np.arange(rows.count).reshape(x.shape[:rank])
    return rows.taken(np.broadcast_to(numbers, stack).ravel())


def stacked(word, level, primal, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Unite the rows within each matrix or vector, and spread the union over that of the result."""
    cores = word.core
    arrays, others = args[: len(cores)], args[len(cores) :]
    ranks = [len(shape_of(x)) - core for x, core in zip(arrays, cores, strict=False)]
    has_traced_options = level.holds_handles(options)
    if has_traced_options or any(map(level.owns, others)) or min(ranks) < 0:
        raise NotTold

    pairs = list(zip(arrays, ranks, strict=True))
    stack = np.broadcast_shapes(*[shape_of(x)[:rank] for x, rank in pairs])
    united: Rows | None = None
    for x, rank in pairs:
        if level.owns(x):
            rows = rows_of_stack(x, rank, stack)
            united = rows if united is None else united.united_with(rows)
    if united is None:
        raise NotTold

    def spread(part) -> Rows:
        if np.shape(part)[: len(stack)] != stack:
            raise NotTold
        core = int(np.prod(np.shape(part)[len(stack) :]))
        return united.taken(np.repeat(np.arange(united.count), core))

    return handles_on(level, result_like(primal, args, options), spread)


def contracts(word, level, primal, args: tuple[Any, ...], options: dict[str, Any]):
    """Unite the rows over the letters that vanish."""
    if word is None and any(map(sparse.issparse, args)):
        return sparse_product(level, primal, args, options)
    if word is None:
        letters = LETTERS[primal](*args, **options)
    else:
        subscripts = word.letters(*map(shape_of, args), **options)
        letters = letters_of_einsum(subscripts, *args)
    if letters is None:
        raise NotTold
    inputs, output, arrays = letters
    like = result_like(primal, args, options)
    sizes = {
        letter: length
        for own, x in zip(inputs, arrays, strict=True)
        for letter, length in zip(own, shape_of(x), strict=True)
        if length != 1
    }
    shape = tuple([sizes.get(letter, 1) for letter in output])
    united: Rows | None = None
    for own, x in zip(inputs, arrays, strict=True):
        if level.owns(x):
            rows = grouped_by_letters(x, own, output, shape)
            united = rows if united is None else united.united_with(rows)
    if united is None or int(np.prod(shape)) != np.size(like):
        raise NotTold
    return handles_on(level, like, lambda part: united)


def sparse_product(level, primal, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Unite the rows that a sparse matrix has entries for, in a product with it."""
    a, b = args
    if options or primal is not np.matmul:
        raise NotTold
    is_first = sparse.issparse(a)
    matrix, x = (a.tocsr(), b) if is_first else (b.T.tocsr(), a)
    if x.ndim > 2:
        raise NotTold
    numbers = numbers_of(x).reshape(x.shape[0], -1) if is_first else numbers_of(x).T
    if not is_first and x.ndim == 1:
        numbers = numbers[:, None]

    width = numbers.shape[1]
    order = numbers[matrix.indices].T.ravel()  # column by column
    starts = np.arange(width)[:, None] * matrix.nnz + matrix.indptr[:-1]
    ends = np.append(starts.ravel(), len(order))
    united = x.rows.taken(order).grouped(ends)

    by_columns = np.arange(united.count).reshape(width, matrix.shape[0])
    found = by_columns.T if is_first else by_columns
    shape = found.shape if x.ndim == 2 else (matrix.shape[0],)
    dtype = np.result_type(matrix.dtype, x.dtype)
    like = without_memory(shape, dtype)
    return level.handle(like, united.taken(found.ravel()))


# Linear functions, by what they do to unit vectors


def by_units(
    level,
    primal,
    args: tuple[Any, ...],
    options: dict[str, Any],
    axes: tuple[int, ...] | None = None,
) -> Any:
    """Apply a linear function to unit vectors, and see which entries of its results are not zero.

    It does to each line along `axes` what it does to any other; None stands for all axes. That
    takes as long as one matrix by the dense pattern would, and is done once. Factors are integers
    drawn at random, so that it makes no difference which of them are zero here, and that roundoff
    is told from entries.
    """
    rule = level.engine.table.rule_for("reverse", primal, tuple(map(type, args)))
    places = [place for place, arg in enumerate(args) if level.holds_handles(arg)]
    if rule is None or rule.linear is None or len(places) != 1 or level.holds_handles(options):
        raise NotTold
    (place,) = places
    x, linear, like = args[place], rule.linear, result_like(primal, args, options)
    if not level.owns(x) or not linear.arguments[place] or not isinstance(like, np.ndarray):
        raise NotTold
    axes = tuple(range(x.ndim)) if axes is None else axes
    line = tuple([length if axis in axes else 1 for axis, length in enumerate(x.shape)])
    if axes != tuple(range(x.ndim)) and not only_changes(x.shape, like.shape, axes):
        raise NotTold
    along = [np.shape(like)[axis] for axis in axes] if len(axes) < x.ndim else list(like.shape)
    require_few_units(int(np.prod(line)), int(np.prod(along)))

    own = [
        arg if other == place or not linear.arguments[other] else factor_like(arg, linear.together)
        for other, arg in enumerate(args)
    ]
    options = {name: value for name, value in options.items() if name not in linear.value_only}
    structure = structure_of_units(level, primal, own, options, place, line, x.dtype)
    return level.handle(like, rows_by_structure(x, axes, structure, along))


def only_changes(shape: tuple[int, ...], other: tuple[int, ...], axes: tuple[int, ...]) -> bool:
    """Whether two shapes differ along some axes only."""
    pairs = enumerate(zip(shape, other, strict=False))
    is_same = all(axis in axes or one == two for axis, (one, two) in pairs)
    return len(shape) == len(other) and is_same


def require_few_units(units: int, results: int) -> None:
    """Raise `NotTold` where unit vectors and their images are too many to be computed."""
    if not units or units * max(units, results) > MOST_ENTRIES:
        raise NotTold


def factor_like(arg, is_added: bool) -> Any:
    """A factor in the place of a constant: random integers, or zeros where it is a summand."""
    known = np.asarray(arg)
    if known.dtype.kind not in "fciu":
        return arg
    made: Any = np.random.default_rng(0).integers(2**19, 2**20, known.shape) * 1.0
    return made * 0.0 if is_added else made


def is_not_zero(images) -> np.ndarray:
    """Which entries are other than zero, beyond roundoff where all are integers but for that."""
    whole = np.rint(images.real) + 1j * np.rint(images.imag)
    is_whole = np.max(np.abs(images - whole), initial=0) <= 1e-12 * np.max(
        np.abs(images), initial=0
    )
    is_set: np.ndarray = (whole if is_whole else images) != 0
    return is_set


def structure_of_units(
    level,
    primal,
    args: list[Any],
    options: dict[str, Any],
    place: int,
    line: tuple[int, ...],
    dtype,
) -> Any:
    """The matrix of the images of unit vectors, of which only the places of its entries count.

    Where one in the middle reaches all entries, most do, and nothing more is told than is known.
    """
    count = int(np.prod(line))
    unit = 0.7 + 1.3j if dtype.kind == "c" else 1.0  # with a real and an imaginary part

    def reached(first: int, end: int) -> np.ndarray:
        numbers = np.arange(end - first)
        units = np.zeros((len(numbers), count), dtype)
        units[numbers, first + numbers] = unit
        given = [*args[:place], units.reshape(len(numbers), *line), *args[place + 1 :]]
        lanes = tuple([other == place for other in range(len(args))])
        try:
            run = level.engine.table.in_lanes(primal, tuple(map(type, given)), lanes)
            with np.errstate(all="ignore"):
                images = run(*given, **options)
        except (ArithmeticError, ValueError, TypeError, IndexError) as error:
            raise NotTold from error
        if not isinstance(images, np.ndarray) or len(images) != len(numbers):
            raise NotTold
        images = images.reshape(len(numbers), -1)
        return is_not_zero(images) if len(args) > 1 else images != 0

    middle, chunk = count // 2, max(1, UNITS_AT_ONCE // count)
    if count > FEW and reached(middle, middle + 1).all():
        raise NotTold
    bounds = [*range(0, count, chunk), count]
    parts = [sparse.csr_array(reached(first, end)) for first, end in pairwise(bounds)]
    return sparse.vstack(parts).T.tocsr()


def rows_by_structure(x, axes: tuple[int, ...], structure, along: list[int]) -> Rows:
    """The rows that a matrix unites along axes of an array, whose lengths become `along`."""
    ends = tuple(range(-len(axes), 0))
    lines = np.moveaxis(numbers_of(x), axes, ends).reshape(-1, structure.shape[1])
    numbers = lines[:, structure.indices].ravel()
    starts = np.arange(len(lines))[:, None] * structure.nnz + structure.indptr[:-1]
    united: Rows = x.rows.taken(numbers).grouped(np.append(starts.ravel(), len(numbers)))
    if len(axes) == x.ndim:
        return united
    others = [length for axis, length in enumerate(x.shape) if axis not in axes]
    found = np.arange(united.count).reshape(*others, *along)
    reordered: Rows = united.taken(np.moveaxis(found, ends, axes).ravel())
    return reordered


# Functions with a step of their own


def convolved(level, primal, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """`convolve` and `correlate`: unite neighbours, as many as the other factor has entries.

    Which these are say the function's results for ones and for the numbers of the entries: how many
    there are, and the sum of their numbers.
    """
    handles = list(level.handles_in(args))
    if len(handles) != 1 or any(len(shape_of(arg)) != 1 for arg in args[:2]):
        raise NotTold
    (x,) = handles
    ones = [np.ones(shape_of(arg), np.int64) for arg in args[:2]]
    counts = primal(*ones, *args[2:], **options)
    numbered = [numbers_of(x) if arg is x else one for arg, one in zip(args, ones, strict=False)]
    firsts = (2 * primal(*numbered, *args[2:], **options) // counts - counts + 1) // 2

    ends = np.append(0, np.cumsum(counts))
    numbers = np.repeat(firsts - ends[:-1], counts) + np.arange(ends[-1])
    return level.handle(result_like(primal, args, options), x.rows.taken(numbers).grouped(ends))


def scattered(level, primal, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """`scatter_add`: unite what arrives at the same place."""
    values, *rest = args
    given = dict(zip(("index", "shape", "dtype"), rest, strict=False)) | options
    if not level.owns(values) or level.holds_handles(given):
        raise NotTold
    shape = tuple(np.atleast_1d(given["shape"]).tolist())
    places = np.arange(int(np.prod(shape))).reshape(shape)[given["index"]]
    places = np.ravel(places)
    rows = broadcast_rows(values, np.shape(places)) if values.ndim == 0 else values.rows
    if rows.count != len(places):
        raise NotTold

    order = np.argsort(places, kind="stable")
    ends = np.searchsorted(places[order], np.arange(int(np.prod(shape)) + 1))
    rows = rows.taken(order).grouped(ends)
    return level.handle(without_memory(shape, given["dtype"]), rows)


def differences(level, primal, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """`diff`: unite neighbours along an axis, as often as it says."""
    x, *rest = args
    times = rest[0] if rest else options.get("n", 1)
    axis = rest[1] if len(rest) > 1 else options.get("axis", -1)
    if not level.owns(x) or {"prepend", "append"} & options.keys() or len(rest) > 2:
        raise NotTold
    for _ in range(times):
        numbers = np.moveaxis(numbers_of(x), axis, -1)
        before, after = numbers[..., :-1], numbers[..., 1:]
        shape = np.shape(np.moveaxis(before, -1, axis))
        one, other = [x.rows.taken(np.moveaxis(each, -1, axis).ravel()) for each in (before, after)]
        like = without_memory(shape, x.dtype)
        x = level.handle(like, one.united_with(other))
    return x


class Along(NamedTuple):
    """A word for a function along an axis."""

    default: int | None
    axes: tuple[str, ...] = ("axis",)


def fact(level, primal, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Answer a question about shape or dtype, such as `numpy.ndim`, by calling it on zeros."""
    return result_like(primal, args, options)


BY_WORD: dict[str, Callable[[Any], Step]] = {
    "fact": lambda word: fact,
    "elementwise": lambda word: elementwise,
    "moves": lambda word: moves,
    "reduces": lambda word: partial(reduces, word),
    "mixes": lambda word: partial(mixes, word),
    "stacked": lambda word: partial(stacked, word),
    "contracts": lambda word: partial(contracts, word),
}
# functions of one array, or of a list of arrays, that copy entries whatever these are
MOVE_EXACTLY = (
    np.concatenate,
    np.stack,
    np.roll,
    np.reshape,
    np.ravel,
    np.transpose,
    np.swapaxes,
    np.moveaxis,
    np.flip,
    np.squeeze,
    np.expand_dims,
    np.broadcast_to,
    np.repeat,
    np.tile,
)
MOVING_MODES = frozenset({"constant", "edge", "reflect", "symmetric", "wrap"})  # of `pad`
# what is told more exactly here than by a word
STEPS: dict[Any, Step] = {
    **dict.fromkeys(LETTERS, partial(contracts, None)),
    **dict.fromkeys(MOVE_EXACTLY, moves_exactly),
    np.pad: padded,
    scatter_add: scattered,
    replaced: moves,
    operator.getitem: reading,
    np.matrix_transpose: moves,
    np.diff: differences,
    np.convolve: convolved,
    np.correlate: convolved,
}
MOVES = (np.compress, np.choose, np.select)
# where the rule for batching is written by hand, so that there is no word
WITHOUT_WORD: dict[Any, Step] = {
    **dict.fromkeys((np.where, np.clip), elementwise),
    **dict.fromkeys(MOVES, moves),
    np.gradient: partial(mixes, Along(None)),
}
