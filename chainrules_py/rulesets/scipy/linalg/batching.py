"""Functions of `scipy.linalg` for many examples at once: SciPy's own stacks, from 1.16 on.

A function is told by how many axes the vector or matrix in each of its arguments has; those before
them are the stack. Older versions take one matrix at a time, and so one example at a time.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy
from scipy import linalg

from chainrules_py import batched
from chainrules_py.batching.lanes import Lanes, Same, behind_lanes
from chainrules_py.batching.loop import looped, without_lanes
from chainrules_py.rulesets.scipy.linalg.calling import call
from chainrules_py.rulesets.scipy.linalg.matrix_functions import matrix_function
from chainrules_py.values.arrays import shape_of

TAKES_STACKS = np.lib.NumpyVersion(scipy.__version__) >= "1.16.0"

# the argument is a vector, or a matrix of several vectors, by its rank
VECTORS = 0
CONSTANT = None

MATRIX: tuple[Any, ...] = (
    *(linalg.det, linalg.inv, linalg.pinv, linalg.pinvh, linalg.matrix_balance),
    *(linalg.cholesky, linalg.cho_factor, linalg.cholesky_banded, linalg.lu, linalg.lu_factor),
    *(linalg.svd, linalg.svdvals, linalg.qr, linalg.rq, linalg.polar, linalg.schur),
    *(linalg.eig_banded, linalg.eigvals_banded),
    *(linalg.expm, linalg.logm, linalg.sqrtm, linalg.signm, linalg.cosm, linalg.sinm, linalg.tanm),
    *(linalg.coshm, linalg.sinhm, linalg.tanhm),
)
CORES: dict[Any, tuple[int | None, ...]] = {
    **dict.fromkeys(MATRIX, (2,)),
    **dict.fromkeys((linalg.eig, linalg.eigvals, linalg.eigh, linalg.eigvalsh), (2, 2)),
    linalg.rsf2csf: (2, 2),
    linalg.solve_discrete_lyapunov: (2, 2),
    **dict.fromkeys((linalg.solve_continuous_are, linalg.solve_discrete_are), (2, 2, 2, 2, 2, 2)),
    **dict.fromkeys((linalg.eigh_tridiagonal, linalg.eigvalsh_tridiagonal), (1, 1)),
    **dict.fromkeys((linalg.solve, linalg.lstsq, linalg.solve_triangular), (2, VECTORS)),
    linalg.solveh_banded: (2, VECTORS),
    linalg.solve_banded: (CONSTANT, 2, VECTORS),
    linalg.solve_sylvester: (2, 2, 2),
    matrix_function: (CONSTANT, *(2,) * 16),
    linalg.fractional_matrix_power: (2, CONSTANT),
}


# Of functions whose first argument may be a pair: of each of its parts, and of the right-hand side.
PAIRS: dict[Any, tuple[int | None, ...]] = {
    **dict.fromkeys((linalg.cho_solve, linalg.cho_solve_banded), (2, CONSTANT, VECTORS)),
    linalg.lu_solve: (2, 1, VECTORS),
    **dict.fromkeys((linalg.solve_toeplitz, linalg.matmul_toeplitz), (1, 1, VECTORS)),
}
# which row of bands is the diagonal of the matrix
DIAGONAL: dict[Any, Callable[..., int]] = {
    linalg.solve_banded: lambda args, options: args[0][1],
    linalg.solveh_banded: lambda args, options: 0 if options.get("lower") else -1,
    linalg.cholesky_banded: lambda args, options: 0 if options.get("lower") else -1,
}


def in_stacks(primal, cores: tuple[int | None, ...]) -> None:
    """Register a function of stacks of vectors and matrices, which have so many axes."""

    @batched.register(primal)
    def stacked_batched(lanes: Lanes, *args: object, **options):
        return of_stacks_or_one(primal, partial(call, primal), cores, lanes, args, options)


def with_pairs(primal, cores: tuple[int | None, ...]) -> None:
    """Register a function whose first argument is a vector, or a pair."""

    @batched.register(primal)
    def pair_batched(lanes: Lanes, pair: object, b: object, **options):
        if not isinstance(pair, tuple | list):
            run = partial(call, primal)
            return of_stacks_or_one(primal, run, (cores[0], cores[2]), lanes, (pair, b), options)
        own = lanes[0] or (False, False)

        def of_parts(first, second, b, **options):
            return call(primal, (first, second), b, **options)

        parts: tuple[Any, ...] = (*pair, b)
        return of_stacks_or_one(primal, of_parts, cores, (*own, lanes[1]), parts, options)


def of_stacks_or_one(
    primal,
    run: Callable[..., Any],
    cores: tuple[int | None, ...],
    lanes: Lanes,
    args: tuple[Any, ...],
    options: dict[str, Any],
) -> Any:
    """Call a function of stacks, or in a loop."""
    if lane_is_missing(lanes, args) and "subset_by_value" in options and len(args) > 1:
        return of_no_stacks(primal, run, lanes, args, options)  # of ones there is no value at all
    if not TAKES_STACKS or takes_one_by_one(cores, lanes, args, options):
        return looped(run, lanes, args, options)
    if lane_is_missing(lanes, args):
        return of_no_stacks(primal, run, lanes, args, options)
    return of_stacks(primal, run, cores, lanes, args, options)


def takes_one_by_one(
    cores: tuple[int | None, ...], lanes: Lanes, args: tuple[Any, ...], options: dict[str, Any]
) -> bool:
    """Whether examples are computed one by one.

    That is where lists have lanes, or what is no matrix; and where values decide how many results
    there are.
    """
    if options.get("select") in ("v", "value", 1) or "subset_by_value" in options:
        return True
    if len(lanes) > len(cores):
        return True
    for lane, arg, core in zip(lanes, args, cores, strict=False):
        if lane is False:
            continue
        if lane is not True or core is None or len(shape_of(arg)) - 1 < max(core, 1):
            return True
    return False


def of_stacks(
    primal,
    run: Callable[..., Any],
    cores: tuple[int | None, ...],
    lanes: Lanes,
    args: tuple[Any, ...],
    options: dict[str, Any],
) -> Any:
    """Call a function with arguments whose stacks are aligned."""
    ranks = [len(shape_of(arg)) - lane for lane, arg in zip(lanes, args, strict=True)]
    is_vector = any(core == VECTORS and rank == 1 for core, rank in zip(cores, ranks, strict=False))
    moved, stacks = list(args), []
    for place, (core, rank) in enumerate(zip(cores, ranks, strict=False)):
        if core is CONSTANT or args[place] is None:
            continue
        if core == VECTORS and is_vector:
            moved[place] = args[place][..., None]
            rank = 2
        stacks.append((place, core or 2, rank))
    most = max(rank - core for _, core, rank in stacks)
    for place, core, _ in stacks:
        if lanes[place]:
            moved[place] = behind_lanes(moved[place], most + core)
    y = run(*moved, **options)
    if most == 0:
        y = as_of_one(primal, y)
    return without_columns(y) if is_vector else y


def as_of_one(primal, y) -> Any:
    """The result in the containers that it has of one matrix: of several they are lists."""
    if primal is linalg.cho_factor:
        c, lower = y
        return c, Same(bool(np.all(lower)))
    if type(y) is list:
        return tuple(y)
    return (y,) if primal is linalg.qr and type(y) is not tuple else y


def without_columns(y) -> Any:
    """The solutions of systems with one right-hand side, and the squares of their residuals."""
    if type(y) is not tuple:
        return y[..., 0]
    x, squares, *others = y
    return (x[..., 0], squares[..., 0] if squares.shape[-1] else squares, *others)


def of_no_stacks(
    primal,
    run: Callable[..., Any],
    lanes: Lanes,
    args: tuple[Any, ...],
    options: dict[str, Any],
) -> Any:
    """The result without any lane: its shape is that of a call with matrices that are regular."""
    if primal in (linalg.solve_continuous_are, linalg.solve_discrete_are):
        shape = args[0].shape[1 if lanes[0] else 0 :]
        return np.zeros((0, *shape), np.result_type(*[arg for arg in args if arg is not None]))
    row = DIAGONAL[primal](args, options) if primal in DIAGONAL else None
    given = [regular(arg, row) if lane else arg for lane, arg in zip(lanes, args, strict=True)]
    return without_lanes(run(*given, **options))


def regular(x, row: int | None) -> Any:
    """Positive definite matrices in the place of one lane, or the bands of some; or a vector."""
    shape = x.shape[1:]
    if x.dtype.kind in "iub":
        return np.zeros(shape, x.dtype)  # pivots
    if len(shape) < 2:
        return np.arange(shape[0] if shape else 1, 0, -1).astype(x.dtype).reshape(shape)
    if row is None:
        matrix = 0.5 * np.eye(*shape[-2:]) + 0.125
    else:
        matrix = np.zeros(shape[-2:])
        matrix[row] = 1
    return np.broadcast_to(matrix.astype(x.dtype), shape)


def lane_is_missing(lanes: Lanes, args: Sequence[Any]) -> bool:
    """Whether there is no lane at all."""
    return any(lane and shape_of(arg)[0] == 0 for lane, arg in zip(lanes, args, strict=True))


for _primal, _cores in CORES.items():
    in_stacks(_primal, _cores)
for _primal, _cores in PAIRS.items():
    with_pairs(_primal, _cores)
