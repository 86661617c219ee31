"""Sparse matrices of derivatives, and matrices that are only multiplied with.

    sparsity             which entries may be other than zero
    sparse_derivatives   the matrix, from one direction for each colour of its pattern
    jacobian_operator    products with the matrix, without the matrix

A matrix has a row per entry of the result and a column per entry of the argument. Where these are
containers, the entries of their arrays follow one another, in the order of the containers.

A pattern that was found elsewhere may not hold here: the function took another branch, or the
pattern is that of another function. So one direction more is taken, a random one, and the matrix
has to give what the function gives along it (the *guard*). An entry that is missing is seen with
probability one, unless it is below the accuracy of the comparison.
"""

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import Any, NamedTuple, NoReturn

import numpy as np
from scipy.sparse import issparse
from scipy.sparse.linalg import LinearOperator

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.batching.failures import note_handled
from chainrules_py.engines.compilers import entry_point
from chainrules_py.errors import BatchingError
from chainrules_py.rules.rule import Mode
from chainrules_py.strong_zeros.strictness import watching
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_py.tangents import NO_TANGENT, ZERO
from chainrules_py.values.arrays import (
    ArrayLibrary,
    as_known,
    library_of,
    making,
    numpy_library,
    stood_for,
)
from chainrules_py.values.identity import qualified_name
from chainrules_sparse.colouring import Matrix
from chainrules_sparse.patterns.detection import detected
from chainrules_sparse.sparsity import DETECT_AGAIN, RecordedMatrix, Sparsity, noise_of
from chainrules_tape.arguments import (
    Arguments,
    chosen_arguments,
    is_several,
    own_constants,
    own_leaf,
    refuse_integers_in_lists,
    restricted_to,
)
from chainrules_tape.core.config import engine_of
from chainrules_tape.core.duals import Pushforward, trace_forward
from chainrules_tape.core.following import follow
from chainrules_tape.core.tracebacks import without_own_frames
from chainrules_tape.core.trees import Rebuild, flatten
from chainrules_tape.core.values import is_differentiable
from chainrules_tape.derivatives import Derivative, named_as_function
from chainrules_tape.gradients import dense, grad, require_derivatives
from chainrules_tape.keeping_memory import let_thresholds_follow
from chainrules_tape.lanes.level import Lanes, trace_in_lanes
from chainrules_tape.lanes.unit_vectors import joined_images, without_handle
from chainrules_tape.overwriting.arguments import copied_leaf
from chainrules_tape.recomputation import require_same_values
from chainrules_tape.refusals.errors import InPlaceError, InputError, OutputError, SparsityError
from chainrules_tape.refusals.handles import plain
from chainrules_tape.refusals.subclasses import refuse_other_arrays
from chainrules_tape.transforms import vjp
from chainrules_tape.units import has_quantities

# On 300 x 300 points seven directions take 26 evaluations in one sweep of 5 MB per array, 28 in two,
# and 33 in five, each of which computes the value again.
CACHE = 2**23
MOST_RECORDED = 8  # patterns of programs that are held
# Bytes from which on it matters what the allocator does with the memory of a sweep.
# A Hessian in 10,000 unknowns takes 2 to 3 times as long where each call fetches it anew.
LARGE = 2**17


class Flat(NamedTuple):
    """A container as a vector: the entries of its real arrays and numbers, one after the other."""

    leaves: list[Any]
    rebuilt: Rebuild
    active: list[int]  # the positions of the leaves that have a tangent space

    @property
    def tree(self) -> Any:
        """The container that this is a vector of."""
        return self.rebuilt(list(self.leaves))

    @property
    def sizes(self) -> list[int]:
        """The number of entries of each leaf that has a tangent space."""
        return [int(np.size(self.leaves[position])) for position in self.active]

    @property
    def differentiated(self) -> list[Any]:
        """The leaves that have a tangent space."""
        return [self.leaves[position] for position in self.active]

    @property
    def size(self) -> int:
        """The number of all entries."""
        return sum(self.sizes)

    @property
    def dtype(self) -> Any:
        """The dtype of a vector that can hold all entries."""
        dtypes = [dtype_of_leaf(self.leaves[position]) for position in self.active]
        return np.result_type(*dtypes) if dtypes else np.dtype(float)

    def tangents(self, vectors: np.ndarray) -> list[Any]:
        """The tangents of the leaves whose entries are those of the rows of an array: each has an
        axis for the rows in front.
        """
        dots: list[Any] = [ZERO] * len(self.leaves)
        if not self.active:
            return dots
        several = len(self.active) > 1
        ends = np.cumsum(self.sizes)[:-1] if several else ()
        parts = np.split(vectors, ends, axis=1) if several else [vectors]
        for position, part in zip(self.active, parts, strict=True):
            leaf = self.leaves[position]
            shape = (len(vectors), *np.shape(leaf))
            dots[position] = np.reshape(part, shape).astype(dtype_of_leaf(leaf), copy=False)
        return dots

    def row(self, tangents: list[Any], row: int) -> list[Any]:
        """The tangents of the leaves from one row of what `tangents` returned."""
        dots = tangents.copy()
        for position in self.active:
            dots[position] = dots[position][row]
        return dots

    def vectors(self, dots: list[Any], count: int) -> np.ndarray:
        """The tangents of the leaves, each with lanes in front, as the rows of an array."""
        if not self.active:
            return np.zeros((count, 0))
        sized = zip(self.active, self.sizes, strict=True)
        parts = [np.reshape(dots[position], (count, size)) for position, size in sized]
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def dtype_of_leaf(leaf) -> Any:
    """The dtype of an array or number."""
    return getattr(leaf, "dtype", None) or np.dtype(type(leaf))


def flat(tree) -> Flat:
    """A container as a vector."""
    return flat_of_leaves(*flatten(tree))


def flat_of_leaves(leaves: list[Any], rebuilt: Rebuild) -> Flat:
    """A container as a vector, given its leaves."""
    active = [position for position, leaf in enumerate(leaves) if is_differentiable(leaf)]
    return Flat(leaves, rebuilt, active)


# Derivatives along many directions


def other_library(leaves: Iterable[Any]) -> ArrayLibrary | None:
    """The library of the first array that is neither NumPy's nor stands for one of NumPy's."""
    found = [library_of(type(plain(leaf))) for leaf in leaves]
    return next((each for each in found if each is not None and is_other(each)), None)


def is_other(library: ArrayLibrary) -> bool:
    """Whether a library has arrays that are not NumPy's, and do not stand for such."""
    return library is not numpy_library() and library.stands_for is None


def recording_of(values: Iterable[Any]) -> Any:
    """What writes down the operations on some of these values; None where nothing does."""
    return next((value.recording for value in values if stood_for(value) is not None), None)


LinearMap = Callable[[list[Any]], list[Any]]  # from the tangents of leaves to those of others


class PointOfFunction(NamedTuple):
    """A function of one argument at a point, and its derivatives along many directions at once."""

    function: Function
    x: Flat
    rules: RuleTable
    where: str  # who asks, for errors
    max_bytes: int  # of the directions that are taken at once

    @classmethod
    def of(
        cls, function: Function, x, rules: RuleTable, caller: str, max_bytes: int = CACHE
    ) -> "PointOfFunction":
        """The point, if its entries are real numbers of NumPy's or Python's."""
        where = f"{caller}({qualified_name(function)})"
        made = cls(function, flat(x), rules, where, max(1, min(max_bytes, CACHE)))
        refuse_other_arrays(function, made.x.leaves)
        got = instead = ""
        if any(map(issparse, made.x.leaves)):
            got, instead = "a sparse matrix as argument", "pass its entries, matrix.data"
        elif made.x.dtype.kind == "c":
            got, instead = "a complex argument", "pass its real and imaginary part"
        elif has_quantities(x):
            got, instead = "a quantity, whose unit a sparse matrix has not", "pass its number"
        elif (other := other_library(made.x.leaves)) is not None:
            got = f"an array of {other.name}, and the matrices of SciPy are NumPy's"
            instead = "pass its numbers as an array of NumPy's, or leave sparse out"
        if got:
            raise InputError(where, got, instead, function=function, argument=0, value=x)
        return made

    def forward(self, seeds: np.ndarray) -> tuple[Flat, np.ndarray]:
        """The value, and the derivative along each row of `seeds`."""
        engine, x = engine_of(self.rules), self.x
        value: list[Flat] = []

        def as_only_argument(leaves: list[Any]) -> tuple[Any]:
            return (x.rebuilt(leaves),)

        def pushed(tangents: list[Any]) -> list[Any]:
            level = Pushforward(engine)
            own = own_constants(x.leaves, tangents)
            leaves, dots, made = watching(
                trace_forward, level, self.function, own, tangents, as_only_argument
            )
            if value:
                require_same_values(self.function, value[0].leaves, leaves)
            value[:] = [flat_of_leaves(leaves, made)]
            return dense(dots, leaves)

        found = images(pushed, x, seeds, self.rules, self.max_bytes)
        self.refuse_quantity(value[0].tree)
        require_derivatives(self.function, value[0].leaves, self.where)
        return value[0], value[0].vectors(found, len(seeds))

    def reverse(self, seeds: np.ndarray, known: Sparsity) -> tuple[Flat, np.ndarray]:
        """The value, and the cotangent of the argument for each row of `seeds`."""
        y, pullback = vjp(self.function, self.x.tree, rules=self.rules)
        value = flat(y)
        self.refuse_quantity(y)
        require_derivatives(self.function, value.leaves, self.where)
        self.require_real(value)
        self.require_shape(known, (value.size, self.x.size))
        return value, pulled_back(pullback, value, self.x, seeds, self.rules, self.max_bytes)

    def is_recorded(self) -> bool:
        """Whether what is done with the entries is written down, for a program that does it again."""
        return recording_of(self.x.leaves) is not None

    def matrix(self, known: Sparsity, entries) -> Matrix:
        """The matrix with these entries; of a program, what that makes it of."""
        if not self.is_recorded():
            return known.with_entries(entries)
        is_constant = stood_for(entries) is None
        return RecordedMatrix(known, making.made(np.copy, entries) if is_constant else entries)

    def refuse_quantity(self, y) -> None:
        """Raise for a quantity as the result, whose unit the matrix would not have."""
        if has_quantities(y):
            got = "a quantity as the result"
            instead = "return its number, in a unit of your choice"
            raise OutputError(self.where, got, instead, function=self.function, value=y)

    def require_real(self, value: Flat) -> None:
        """Raise for a complex result, each entry of which has two directions in reverse."""
        if value.dtype.kind != "c":
            return
        got, instead = "a complex result", "return its real and imaginary part"
        raise OutputError(self.where, got, instead, function=self.function, value=value.tree)

    def require_shape(self, known: Sparsity, shape: tuple[int, int]) -> None:
        """Raise where the matrix of derivatives has another shape than a pattern."""
        if shape == known.shape:
            return
        (height, width), (rows, columns) = known.shape, shape
        got = f"a pattern of {height} x {width} for a matrix of {rows} x {columns}"
        raise SparsityError(self.where, got, DETECT_AGAIN, sparsity=known, shape=shape)


def pulled_back(
    pullback: Callable[[Any], Any],
    value: Flat,
    x: Flat,
    seeds: np.ndarray,
    rules: RuleTable,
    max_bytes: int = CACHE,
) -> np.ndarray:
    """The cotangent of the argument for each row of `seeds`, as rows."""

    def pulled(bars: list[Any]) -> list[Any]:
        return flatten(pullback(value.rebuilt(bars))[0])[0]

    return x.vectors(images(pulled, value, seeds, rules, max_bytes), len(seeds))


def images(
    linear_map: LinearMap,
    space: Flat,
    seeds: np.ndarray,
    rules: RuleTable,
    max_bytes: int = CACHE,
) -> list[Any]:
    """Apply a linear map to tangents whose entries are the rows of `seeds`.

    Returns a list of arrays, whose first axis counts the rows. As many lanes are taken at once as
    `max_bytes` hold, by default the processor's cache: more are slower.
    """
    if not len(seeds):  # a matrix without rows or columns, whose value is asked for all the same
        found = images_at_once(linear_map, space, np.zeros((1, space.size)), rules)
        return [part if part is NO_TANGENT else part[:0] for part in found]
    keep_memory_of(seeds.nbytes)
    chunks = min(len(seeds), -(-seeds.nbytes // max_bytes))
    parts = np.array_split(seeds, chunks) if chunks > 1 else [seeds]
    found = [images_at_once(linear_map, space, part, rules) for part in parts]
    return [joined_images(parts) for parts in zip(*found, strict=True)]


def keep_memory_of(size: int) -> None:
    """Have the allocator keep what arrays of so many bytes have freed, if it is worth it."""
    if size >= LARGE:
        let_thresholds_follow()


def images_at_once(
    linear_map: LinearMap,
    space: Flat,
    seeds: np.ndarray,
    rules: RuleTable,
) -> list[Any]:
    """`images` of few rows, in lanes.

    Where a rule decides something by a tangent, which lanes cannot answer, one row follows the
    other.
    """
    tangents = space.tangents(seeds)
    try:
        if len(seeds) > 1:
            return images_in_lanes(linear_map, space, tangents, Lanes(engine_of(rules), len(seeds)))
    except (BatchingError, InPlaceError) as error:
        note_handled(error)
    found = [linear_map(space.row(tangents, row)) for row in range(len(seeds))]
    return [
        rows[0] if rows[0] is NO_TANGENT else np.stack(rows) for rows in zip(*found, strict=True)
    ]


def images_in_lanes(
    linear_map: LinearMap, space: Flat, tangents: list[Any], level: Lanes
) -> list[Any]:
    """Apply a linear map to tangents with lanes as first axis: `vmap` without copies."""
    handles = tangents.copy()
    for position in space.active:
        handles[position] = level.handle(tangents[position])
    found = trace_in_lanes(level, linear_map, (handles,), {}, is_resolved=True)
    return [without_handle(level, image) for image in found]


# The matrix


def sparse_jacobian(
    function: Function,
    argnums: Arguments,
    mode: Mode | None,
    known,
    max_bytes: int,
    rules: RuleTable,
) -> Function:
    """The function x -> all derivatives of f at x as a sparse matrix.

    `known` is what `jacobian` was given as `sparse`: True, or a pattern.
    """
    known = pattern_given(function, known, "jacobian")
    if isinstance(known, Sparsity):
        known = known.coloured_for(mode)
    options = (argnums, mode, known, max_bytes, rules)
    return named_as_function(Derivative(all_sparse_derivatives, function, *options), function)


def sparse_hessian(
    function: Function, argnums: Arguments, known, max_bytes: int, rules: RuleTable
) -> Function:
    """The function x -> all second derivatives of f at x as a sparse matrix."""
    known = pattern_given(function, known, "hessian")
    options = (argnums, known, max_bytes, rules)
    return named_as_function(
        Derivative(all_sparse_second_derivatives, function, *options), function
    )


def pattern_given(function: Function, known, caller: str) -> Any:
    """A pattern as it was given; True as a `Detected`, which has none yet."""
    if isinstance(known, Sparsity):
        return known
    if known is True:
        return Detected()
    where, got = f"{caller}({qualified_name(function)}, sparse=...)", f"sparse={known!r}"
    instead = "write True, or pass what sparsity(f, x) returns, or Sparsity(pattern)"
    raise InputError(where, got, instead, function=function, argument=None, value=known)


@entry_point
@without_own_frames
def all_sparse_derivatives(
    function: Function,
    argnums: Arguments,
    mode: Mode | None,
    sparse,
    max_bytes: int,
    rules: RuleTable,
    /,
    *args,
    **options,
) -> Matrix:
    """Compute `jacobian` of a function as a sparse matrix."""
    restricted, x = of_one_argument(function, argnums, args, options)
    point = PointOfFunction.of(restricted, x, rules, "jacobian", max_bytes)
    return sparse_derivatives(point, sparse, mode)


@entry_point
@without_own_frames
def all_sparse_second_derivatives(
    function: Function,
    argnums: Arguments,
    sparse,
    max_bytes: int,
    rules: RuleTable,
    /,
    *args,
    **options,
) -> Matrix:
    """Compute `hessian` of a function as a sparse matrix."""
    restricted, x = of_one_argument(function, argnums, args, options)
    gradient = named_as_function(grad(restricted, rules=rules), function)
    point = PointOfFunction.of(gradient, x, rules, "hessian", max_bytes)
    return sparse_derivatives(point, sparse, symmetric=True)


class Detected:
    """The pattern that a function had when it was last detected; none before its first call.

    `recorded` are those of programs, two recordings of which have one object.
    """

    __chainrules_guarded__ = True

    def __init__(self) -> None:
        self.last: Sparsity | None = None
        self.recorded: list[Sparsity] = []

    def __repr__(self) -> str:
        return "True"

    def known(self, found: Sparsity, mode: Mode | None) -> Sparsity:
        """A pattern of a recording: that of an earlier one, if it is the same."""
        for other in self.recorded:
            if other == found:
                return other
        made = found if found.symmetric else found.coloured_for(mode)
        self.recorded = [made, *self.recorded[: MOST_RECORDED - 1]]
        return made


def sparse_derivatives(
    point: PointOfFunction, known, mode: Mode | None = None, *, symmetric: bool = False
) -> Matrix:
    """All derivatives of a function of one argument, along the directions of its pattern.

    `known` is the pattern, or a `Detected`: then the pattern of the last call is taken where the
    guard finds that it holds, and a new one is detected where it does not.
    """
    if isinstance(known, Sparsity):
        return guarded_matrix(point, known)
    if point.is_recorded():
        # two recordings of other branches first differ in what they ask, then in the pattern
        point.function(point.x.rebuilt(list(map(own_leaf, point.x.leaves))))
        found = known.known(pattern_at(point, symmetric), mode)
        return guarded_matrix(point, found)
    if known.last is not None:
        try:
            return guarded_matrix(point, known.last)
        except SparsityError:  # another branch, or other sizes
            pass
    found = pattern_at(point, symmetric)
    known.last = found = found if symmetric else found.coloured_for(mode)
    return point.matrix(found, entries_along(point, found, is_guarded=False)[0])


def entries_along(
    point: PointOfFunction, known: Sparsity, is_guarded: bool
) -> tuple[Any, np.ndarray, Flat]:
    """The entries of the matrix by a pattern, the derivatives along its directions, with that of the
    guard behind them where it is asked for, and the value.
    """
    keep_memory_of(8 * known.pattern.nnz)
    seeds = known.guarded_seeds if is_guarded else known.guarded_seeds[:-1]
    value, along = derivatives_along(point, known, seeds)
    apart = None
    if known.apart is not None:
        again, apart = point.reverse(known.seeds_apart, known)
        require_same_values(point.function, value.leaves, again.leaves)
    return known.entries(along, apart), along, value


def derivatives_along(
    point: PointOfFunction, known: Sparsity, seeds: np.ndarray
) -> tuple[Flat, np.ndarray]:
    """The value, and the derivatives along directions."""
    if known.by_columns:
        point.require_shape(known, (known.shape[0], point.x.size))
        value, along = point.forward(seeds)
    else:
        value, along = point.reverse(seeds, known)
    point.require_shape(known, (value.size, point.x.size))
    return value, along


# The guard


def guarded_matrix(point: PointOfFunction, known: Sparsity) -> Matrix:
    """The matrix by a pattern that may not hold; SparsityError if an entry is missing in it."""
    entries, along, value = entries_along(point, known, is_guarded=True)
    own = entries, along[-1]
    recording = recording_of(own)
    if recording is not None:  # a program asks at each of its calls
        recording.guard(known.holds, own)
    values, points = [
        list(map(as_known, some)) for some in (value.differentiated, point.x.differentiated)
    ]
    missing = known.missing(as_known(own[0]), as_known(own[1]), noise_of(values, points))
    if len(missing):
        raise_entries_missing(point, known, missing)
    return point.matrix(known, entries)


def raise_entries_missing(point: PointOfFunction, known: Sparsity, missing: np.ndarray) -> NoReturn:
    """Raise: the function depends on entries that the pattern leaves out."""
    kind = "rows" if known.by_columns else "columns"
    few = ", ".join(map(str, missing[:5])) + (", ..." if len(missing) > 5 else "")
    got = f"the pattern lacks entries in {len(missing)} {kind}: {few}"
    raise SparsityError(point.where, got, DETECT_AGAIN, sparsity=known, shape=known.shape)


# Detection


@entry_point
@without_own_frames
def sparsity(
    function: Function,
    *args: Any,
    argnums: Arguments = 0,
    symmetric: bool = False,
    rules: RuleTable = default_rules,
    **options: Any,
) -> Sparsity:
    """Find which entries of the Jacobian of a function may be other than zero.

    `symmetric` is for gradients: ``hessian(f, sparse=sparsity(grad(f), x, symmetric=True))``.

    All that a product, `where` or `maximum` reads counts, whatever the values are. Branches, sorts
    and integer indices are those at these arguments.

    >>> found = sparsity(np.diff, np.arange(4.0))
    >>> found.pattern.toarray().astype(int)
    array([[1, 1, 0, 0],
           [0, 1, 1, 0],
           [0, 0, 1, 1]])
    >>> found.directions
    2
    """
    restricted, x = of_one_argument(function, argnums, args, options)
    point = PointOfFunction.of(restricted, x, rules, "sparsity")
    return pattern_at(point, symmetric)


def of_one_argument(
    function: Function, argnums: Arguments, args: Args, options: Options
) -> tuple[Function, Any]:
    """The function of the chosen arguments alone, several of them as a tuple; and their values."""
    chosen, points = chosen_arguments(function, argnums, args, options)
    refuse_integers_in_lists(function, points, chosen)
    is_whole = chosen == (0,) and len(args) == 1 and not (options or is_several(argnums))
    if is_whole:
        return function, points[0]
    restricted = restricted_to(function, chosen, args, options, runs_often=True)
    if is_several(argnums):
        return named_as_function(lambda some: restricted(*some), function), points
    return named_as_function(restricted, function), points[0]


def pattern_at(point: PointOfFunction, symmetric: bool) -> Sparsity:
    """The pattern of a function at a point."""
    x = point.x
    recording = recording_of(x.leaves)
    # a program asks whether the pattern holds: it need not be found again
    with nullcontext() if recording is None else recording.left_out():
        own = list(map(own_leaf, x.leaves))
        pattern, dense_because = detected(point.function, own, x.rebuilt, point.rules)
    return Sparsity(pattern, symmetric=symmetric, dense_because=dense_because)


# Products with the matrix


class JacobianOperator(LinearOperator):  # type: ignore[misc]
    """Products with the Jacobian of a function at a point, and with its adjoint."""

    def __init__(self, point: PointOfFunction) -> None:
        y, self.pullback = vjp(point.function, point.x.tree, rules=point.rules)
        self.point, self.value = point, flat(y)
        require_derivatives(point.function, self.value.leaves, point.where)
        dtype = np.result_type(self.value.dtype, point.x.dtype)
        super().__init__(dtype, (self.value.size, point.x.size))

    def _matmat(self, X: np.ndarray) -> np.ndarray:
        if not X.shape[1]:
            return np.zeros((self.shape[0], 0), self.dtype)
        if np.iscomplexobj(X):
            return self._matmat(np.real(X)) + 1j * self._matmat(np.imag(X))
        rows = np.ascontiguousarray(X.T)
        along: np.ndarray = follow(lambda _: self.point.forward(rows)[1], self.point.function)
        return along.T

    def _rmatmat(self, X: np.ndarray) -> np.ndarray:
        if not X.shape[1]:
            return np.zeros((self.shape[1], 0), self.dtype)
        if np.iscomplexobj(X) or self.value.dtype.kind == "c":
            return self.real_rmatmat(X) + 1j * self.real_rmatmat(-1j * X)
        return self.real_rmatmat(X)

    def real_rmatmat(self, X: np.ndarray) -> np.ndarray:
        """The real part of a product with the adjoint: a pullback to a real argument gives that."""
        pullback, value, x = self.pullback, self.value, self.point.x
        rows = np.ascontiguousarray((X if value.dtype.kind == "c" else np.real(X)).T)
        along: np.ndarray = pulled_back(pullback, value, x, rows, self.point.rules)
        return along.T


@entry_point
@without_own_frames
def jacobian_operator(
    function: Function, x: Any, *rest: Any, rules: RuleTable = default_rules
) -> JacobianOperator:
    """The Jacobian of ``f(x, *rest)`` in x as a linear operator of SciPy's: its products with
    vectors, and those of its transpose, without its entries.

    >>> operator = jacobian_operator(np.sin, np.zeros(3))
    >>> operator @ np.array([1.0, 2.0, 3.0])
    array([1., 2., 3.])
    >>> operator.rmatvec(np.ones(3))
    array([1., 1., 1.])
    """
    restricted, own = of_one_argument(function, 0, (x, *rest), {})
    point = PointOfFunction.of(restricted, own, rules, "jacobian_operator")
    kept = list(map(copied_leaf, point.x.leaves))  # the caller may overwrite them before a product
    return JacobianOperator(point._replace(x=point.x._replace(leaves=kept)))
