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
from functools import partial, reduce
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from chainrules_py.annotations import Args, Options
from chainrules_py.rulesets.entries.replacing import replaced
from chainrules_py.rulesets.entries.scatter import scatter_add
from chainrules_py.rulesets.formulas.reducing import reduced_axes
from chainrules_py.strong_zeros.strictness import silently
from chainrules_py.values.arrays import shape_of
from chainrules_py.values.structure import fields, is_container, mapped, rebuild
from chainrules_sparse.patterns.contractions import grouped_by_letters
from chainrules_sparse.patterns.rows import (
    MOST_ENTRIES,
    Rows,
    all_columns,
    one_after_the_other,
    same_columns,
)
from chainrules_tape.refusals.handles import TracedArray, plain

UNITS_AT_ONCE = 2**20  # entries of unit vectors: 8 MB
FIRST = 2.0**52 - MOST_ENTRIES  # of the numbers of entries: all of them are floats
FEW = 64  # so many unit vectors are not worth a look at one of them first
Step = Callable[[Any, Any, tuple[Any, ...], dict[str, Any]], Any]


class NotTold(Exception):
    """Nothing is known of what this call does to patterns."""


def step_of(table, primal, args: Args) -> Step:
    """Find the step of a function, by a rule of its own or by its word."""
    own = sparse_product if any(map(sparse.issparse, args)) else STEPS.get(primal)
    if own is not None:
        return own
    rule = table.rule_for("batching", primal, tuple(map(type, args)))
    word = None if rule is None else rule.axes
    if word is not None:
        return BY_WORD[word.kind](word)
    raise NotTold


# The arguments, and the shape of the result


def stand_ins(value) -> Any:
    """A value with zeros in the place of patterns, for calls that ask for shapes."""
    return mapped(lambda x: plain(x) if issubclass(type(x), TracedArray) else x, value)


def result_like(primal, args: Sequence[Any], options: Options) -> Any:
    """The result for zeros: arrays and numbers of the shapes of the true one."""
    try:
        return silently(primal, *map(stand_ins, args), **stand_ins(options))
    except (ArithmeticError, ValueError, TypeError, IndexError) as error:
        raise NotTold from error


def handles_on(level, like, rows_of: Callable[[Any], Rows]) -> Any:
    """The handles on a result, or on each part of it that may have a tangent."""

    def handle_on(part) -> Any:
        if isinstance(part, bool | int | float | complex) and not isinstance(part, np.generic):
            part = np.asarray(part)[()]
        if not isinstance(part, np.ndarray | np.generic):
            raise NotTold
        return level.handle(part, rows_of(part))

    return mapped(handle_on, like)


def numbers_of(x) -> np.ndarray:
    """The numbers of the entries of an array, in its shape."""
    return np.arange(x.size).reshape(x.shape)


def without_memory(shape: tuple[int, ...], dtype) -> np.ndarray:
    """Zeros that share the memory of one, made without the checks of `broadcast_to`."""
    made: np.ndarray = np.ndarray(shape, dtype, np.zeros(1, dtype), strides=(0,) * len(shape))
    made.flags.writeable = False
    return made


def all_of_all(level, primal, args: Sequence[Any], options: Options) -> Any:
    """The result each entry of which depends on all of which the arguments do."""
    like = result_like(primal, args, options)
    handles = list(level.handles_in((*args, *options.values())))
    columns = all_columns([handle.rows for handle in handles])
    return handles_on(level, like, lambda part: same_columns(columns, np.size(part)))


# Steps


def elementwise(level, primal, args: Args, options: Options) -> Any:
    """Unite the rows of the operands, after broadcasting."""
    handles = list(level.handles_in((*args, *options.values())))
    dtypes = dtypes_of(result_like(primal, list(map(one_entry, args)), options))
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


def moves(level, primal, args: Args, options: Options) -> Any:
    """Apply the function to the numbers of the entries, and see where they are.

    They are counted from `FIRST` on, where no constant is: these are as in the result for zeros.
    """
    handles = list(level.handles_in(args))
    if level.holds_handles(options):
        raise NotTold
    rows = one_after_the_other([handle.rows for handle in handles])
    starts = np.cumsum([FIRST] + [handle.rows.count for handle in handles])
    start_of = {id(handle): start for handle, start in zip(handles, starts, strict=False)}

    def numbered(x) -> Any:
        if id(x) not in start_of:
            return stand_ins(x)
        first = start_of[id(x)]
        return np.arange(first, first + x.rows.count, dtype=float).reshape(x.shape)[()]

    like = result_like(primal, args, options)
    in_double = {name: option for name, option in options.items() if name != "dtype"}
    try:
        found = primal(*mapped(numbered, args), **in_double)
    except (ArithmeticError, ValueError, TypeError) as error:
        raise NotTold from error
    return moved_handles(level, found, like, rows)


def moved_handles(level, found, like, rows: Rows) -> Any:
    """The handles on a result whose entries have these numbers, or are as in the one for zeros."""
    if is_container(found):
        likes = fields(like)
        parts = {
            key: moved_handles(level, part, likes[key], rows) for key, part in fields(found).items()
        }
        return rebuild(found, parts)
    if not isinstance(found, np.ndarray | np.generic) or found.dtype.kind != "f":
        raise NotTold
    given: Any = np.ravel(found)
    numbers = given - FIRST
    is_within = numbers.min(initial=0) >= 0 and numbers.max(initial=0) < rows.count
    if not is_within:
        is_entry = (numbers >= 0) & (numbers < rows.count)
        if not (is_entry | np.isnan(numbers) | np.ravel(found == like)).all():
            raise NotTold
        numbers = np.where(is_entry, numbers, -1)
    return level.handle(like, rows.taken(numbers.astype(np.intp)))


def reading(level, primal, args: Args, options: Options) -> Any:
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


def reduces(word, level, primal, args: Args, options: Options):
    """Unite the rows along the axes, and spread the union over those of them that stay."""
    x = only_pattern(level, args, options)
    axes = axes_of_call(word, x, options)

    def letters_of(part) -> tuple[list[int], tuple[int, ...]]:
        rank = np.ndim(part)
        if len(axes) == x.ndim:
            return others(rank), np.shape(part)
        letters = [-1 if axis in axes else axis for axis in range(x.ndim)]
        if rank == x.ndim:
            return letters, np.shape(part)
        return [letter for letter in letters if letter >= 0], np.shape(part)

    like = result_like(primal, args, options)
    return by_letters(level, like, [list(range(x.ndim))], [x], letters_of)


def others(count: int) -> list[int]:
    """Letters of axes that no argument has."""
    return [-1] * count


def by_letters(
    level,
    like,
    inputs: list[list[Any]],
    arrays: Sequence[Any],
    letters_of: Callable[[Any], tuple[list[Any], tuple[int, ...]]],
) -> Any:
    """Unite the rows over the letters that vanish, for the letters and shape of each result."""

    def rows_of(part) -> Rows:
        output, shape = letters_of(part)
        if len(output) != len(shape) or int(np.prod(shape)) != np.size(part):
            raise NotTold
        pairs = zip(inputs, arrays, strict=True)
        try:
            rows = [grouped_by_letters(x, own, output, shape) for own, x in pairs if level.owns(x)]
        except ValueError as error:  # the lengths of axes are other ones
            raise NotTold from error
        if not rows:
            raise NotTold
        return reduce(Rows.united_with, rows)

    return handles_on(level, like, rows_of)


def axes_of_call(word, x, options: Options) -> tuple[int, ...]:
    """The axes along which a function with this word works in a call, counted from the front."""
    names = word.axes
    if len(names) > 1 and not options.keys() >= set(names):
        raise NotTold  # what they are by default is known to the function only
    found: set[int] = set()
    for name in names:
        found.update(reduced_axes(options.get(name, word.default), x.ndim))
    return tuple(sorted(found))


def only_pattern(level, args: Args, options: Options) -> Any:
    """The first argument, if it is the only pattern."""
    handles = list(level.handles_in((*args, *options.values())))
    if len(handles) != 1 or handles[0] is not args[0]:
        raise NotTold
    return args[0]


def mixes(word, level, primal, args: Args, options: Options):
    """See what becomes of unit vectors along the axes, or unite the rows."""
    x = only_pattern(level, args, options)
    try:
        return by_units(level, primal, args, options, axes_of_call(word, x, options))
    except NotTold:
        return reduces(word, level, primal, args, options)


def united_in_each_matrix(word, level, primal, args: Args, options: Options) -> Any:
    """Unite the rows within each matrix or vector, and spread the union over that of the result."""
    cores = word.core
    arrays, rest = args[: len(cores)], args[len(cores) :]
    ranks = [len(shape_of(x)) - core for x, core in zip(arrays, cores, strict=False)]
    if level.holds_handles(options) or any(map(level.owns, rest)) or min(ranks) < 0:
        raise NotTold
    rank = max(ranks)
    stack = list(range(rank))
    inputs = [
        [*stack[rank - own :], *range(rank, rank + core)]
        for own, core in zip(ranks, cores, strict=False)
    ]

    def letters_of(part) -> tuple[list[int], tuple[int, ...]]:
        return stack + others(np.ndim(part) - rank), np.shape(part)

    return by_letters(level, result_like(primal, args, options), inputs, arrays, letters_of)


def contracts(word, level, primal, args: Args, options: Options):
    """Unite the rows over the letters that vanish."""
    forms = [x if type(x) is str else shape_of(x) for x in args]  # subscripts come first
    arrays = [x for x in args if type(x) is not str]
    terms, _, output = word.letters(*forms, **options).partition("->")
    inputs = list(map(list, terms.split(",")))
    sizes = {
        letter: length
        for own, x in zip(inputs, arrays, strict=True)
        for letter, length in zip(own, shape_of(x), strict=True)
        if length != 1
    }
    shape = tuple([sizes.get(letter, 1) for letter in output])
    like = result_like(primal, args, options)
    return by_letters(level, like, inputs, arrays, lambda part: (list(output), shape))


def sparse_product(level, primal, args: Args, options: Options) -> Any:
    """Unite the rows that a sparse matrix has entries for, in a product with it."""
    a, b = args
    if options or primal is not np.matmul:
        raise NotTold
    is_first = sparse.issparse(a)
    matrix, x = (a.tocsr(), b) if is_first else (b.T.tocsr(), a)
    if x.ndim > 2:
        raise NotTold
    axis, length = 0 if is_first else x.ndim - 1, matrix.shape[0]
    shape = tuple([length if own == axis else size for own, size in enumerate(x.shape)])
    like = without_memory(shape, np.result_type(matrix.dtype, x.dtype))
    return level.handle(like, rows_by_structure(x, (axis,), matrix, [length]))


# Linear functions, by what they do to unit vectors


def by_units(
    level,
    primal,
    args: Args,
    options: Options,
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
    whole = tuple(range(x.ndim))
    axes = whole if axes is None else axes
    line = tuple([length if axis in axes else 1 for axis, length in enumerate(x.shape)])
    along = list(like.shape)
    if axes != whole:
        if not only_changes(x.shape, like.shape, axes):
            raise NotTold
        along = [like.shape[axis] for axis in axes]
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
    options: Options,
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
            images = silently(run, *given, **options)
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


def convolved(level, primal, args: Args, options: Options) -> Any:
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


def scattered(level, primal, args: Args, options: Options) -> Any:
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


def fact(level, primal, args: Args, options: Options) -> Any:
    """Answer a question about shape or dtype, such as `numpy.ndim`, by calling it on zeros."""
    return result_like(primal, args, options)


BY_WORD: dict[str, Callable[[Any], Step]] = {
    "fact": lambda word: fact,
    "elementwise": lambda word: elementwise,
    "moves": lambda word: moves,
    "reduces": lambda word: partial(reduces, word),
    "mixes": lambda word: partial(mixes, word),
    "stacked": lambda word: partial(united_in_each_matrix, word),
    "contracts": lambda word: partial(contracts, word),
}
# what is told more exactly here than by a word, or has none
STEPS: dict[Any, Step] = {
    scatter_add: scattered,
    replaced: moves,
    operator.getitem: reading,
    np.compress: moves,
    np.where: elementwise,
    np.convolve: convolved,
    np.correlate: convolved,
}
