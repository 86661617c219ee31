"""Programs that write into their arrays, as PolyBench and NPBench have them: solvers and stencils.

Each is written from the mathematics of the kernel that is named with it, and returns a number. For
JAX it is written by `lax.scan`, with masks where rows grow, since JAX's shapes stay.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.programs.program import Arrays, normal


@dataclass(frozen=True)
class WritingProgram:
    """A real function of arrays, some of which it writes into.

    `kernel` is what PolyBench or NPBench calls it, `by_hand(*arrays)` its gradient by all arrays as
    a person writes it in NumPy, and `in_jax(*arrays)` its value in JAX.
    """

    kernel: str
    name: str
    arrays: Callable[[], tuple[Any, ...]]
    function: Callable[..., Any]
    in_jax: Callable[..., Any] | None = None
    by_hand: Callable[..., tuple[Any, ...]] | None = None


def diagonally_dominant(n: int) -> Any:
    """A matrix that is solved with without pivots."""
    return normal(n, n, scale=0.3 / np.sqrt(n)) + 2.0 * np.eye(n)


# trisolv: a triangular system


def substitution(lower: Any, x: Any, b: Any) -> Any:
    """Solve a lower triangular system row by row."""
    for i in range(len(b)):
        x[i] = (b[i] - lower[i, :i] @ x[:i]) / lower[i, i]
    return np.sum(x * x)


def substitution_in_jax(lower: Any, x: Any, b: Any) -> Any:
    """Solve it by products with whole rows of a triangle."""
    import jax

    def row(x: Any, given: Any) -> Any:
        i, entries, own = given
        return x.at[i].set((own - entries @ x) / lower[i, i]), None

    rows = jax.numpy.arange(len(b)), jax.numpy.tril(lower, -1), b
    x, _ = jax.lax.scan(row, x, rows)
    return (x * x).sum()


def substitution_by_hand(lower: Any, x: Any, b: Any) -> Arrays:
    """The rows from the last one to the first."""
    x = x.copy()
    substitution(lower, x, b)
    lower_bar, b_bar, x_bar = np.zeros_like(lower), np.zeros_like(b), 2 * x
    for i in reversed(range(len(b))):
        b_bar[i] = x_bar[i] / lower[i, i]
        lower_bar[i, i] = -b_bar[i] * x[i]
        lower_bar[i, :i] = -b_bar[i] * x[:i]
        x_bar[:i] -= b_bar[i] * lower[i, :i]
    return lower_bar, np.zeros_like(x), b_bar


# lu, ludcmp: factors of a matrix, in its place


def factorise(a: Any) -> None:
    """Overwrite a matrix by its factors L and U, without pivots."""
    for i in range(len(a)):
        for j in range(i):
            a[i, j] = (a[i, j] - a[i, :j] @ a[:j, j]) / a[j, j]
        for j in range(i, len(a)):
            a[i, j] -= a[i, :i] @ a[:i, j]


def factors(a: Any) -> Any:
    """The sum of the squares of the factors."""
    factorise(a)
    return np.sum(a * a)


def factors_in_jax(a: Any) -> Any:
    """Compute each entry by a product with a row that is zero from there on."""
    import jax

    numbers = jax.numpy.arange(len(a))

    def row(a: Any, i: Any) -> Any:
        def entry(a: Any, j: Any) -> Any:
            left = a[i, j] - jax.numpy.where(numbers < jax.numpy.minimum(i, j), a[i], 0.0) @ a[:, j]
            return a.at[i, j].set(jax.numpy.where(j < i, left / a[j, j], left)), None

        return jax.lax.scan(entry, a, numbers)

    a, _ = jax.lax.scan(row, a, numbers)
    return (a * a).sum()


def factors_by_hand(a: Any) -> Arrays:
    """The entries from the last one to the first."""
    a = a.copy()
    factorise(a)
    bar, n = 2 * a, len(a)
    for i in reversed(range(n)):
        for j in reversed(range(i, n)):
            bar[i, :i] -= bar[i, j] * a[:i, j]
            bar[:i, j] -= bar[i, j] * a[i, :i]
        for j in reversed(range(i)):
            bar[i, j] /= a[j, j]
            bar[j, j] -= bar[i, j] * a[i, j]
            bar[i, :j] -= bar[i, j] * a[:j, j]
            bar[:j, j] -= bar[i, j] * a[i, :j]
    return (bar,)


def solution(a: Any, b: Any) -> Any:
    """Solve a system by the factors, forwards and backwards."""
    factorise(a)
    n = len(a)
    y, x = np.zeros_like(b), np.zeros_like(b)
    for i in range(n):
        y[i] = b[i] - a[i, :i] @ y[:i]
    for i in reversed(range(n)):
        x[i] = (y[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return np.sum(x * x)


# durbin: a Toeplitz system


def toeplitz_solution(r: Any) -> Any:
    """Solve the Yule-Walker equations by Durbin's recursion."""
    y = np.zeros_like(r)
    alpha, beta = -r[0], 1.0
    y[0] = -r[0]
    for k in range(1, len(r)):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return np.sum(y * y)


def toeplitz_solution_in_jax(r: Any) -> Any:
    """Turn whole arrays, of which a mask leaves the first entries."""
    import jax

    numbers = jax.numpy.arange(len(r))

    def step(state: Any, k: Any) -> Any:
        y, alpha, beta = state
        beta = beta * (1.0 - alpha * alpha)
        y_turned, r_turned = (
            jax.numpy.where(numbers < k, jax.numpy.roll(x[::-1], k), 0.0) for x in (y, r)
        )
        alpha = -(r[k] + r_turned @ y) / beta
        return ((y + alpha * y_turned).at[k].set(alpha), alpha, beta), None

    start = jax.numpy.zeros_like(r).at[0].set(-r[0]), -r[0], 1.0
    (y, _, _), _ = jax.lax.scan(step, start, numbers[1:])
    return (y * y).sum()


# syrk: a symmetric update


def symmetric_update(alpha: Any, beta: Any, c: Any, a: Any) -> Any:
    """The lower triangle of alpha a aᵀ + beta c, row by row."""
    for i in range(len(a)):
        c[i, : i + 1] *= beta
        for k in range(a.shape[1]):
            c[i, : i + 1] += alpha * a[i, k] * a[: i + 1, k]
    return np.sum(c * c)


def symmetric_update_in_jax(alpha: Any, beta: Any, c: Any, a: Any) -> Any:
    """Add whole columns, of which a mask leaves the first entries."""
    import jax

    numbers = jax.numpy.arange(len(a))

    def row(c: Any, i: Any) -> Any:
        def column(own: Any, k: Any) -> Any:
            return own + jax.numpy.where(numbers <= i, alpha * a[i, k] * a[:, k], 0.0), None

        own = jax.numpy.where(numbers <= i, beta, 1.0) * c[i]
        own, _ = jax.lax.scan(column, own, jax.numpy.arange(a.shape[1]))
        return c.at[i].set(own), None

    c, _ = jax.lax.scan(row, c, numbers)
    return (c * c).sum()


def symmetric_update_by_hand(alpha: Any, beta: Any, c: Any, a: Any) -> tuple[Any, ...]:
    """The rows in any order: each has a cotangent that stays."""
    before, c = c, c.copy()
    symmetric_update(alpha, beta, c, a)
    bar, a_bar, alpha_bar, beta_bar = 2 * c, np.zeros_like(a), 0.0, 0.0
    for i in reversed(range(len(a))):
        row = bar[i, : i + 1]
        for k in range(a.shape[1]):
            inner = row @ a[: i + 1, k]
            alpha_bar += a[i, k] * inner
            a_bar[: i + 1, k] += alpha * a[i, k] * row
            a_bar[i, k] += alpha * inner
        beta_bar += row @ before[i, : i + 1]
        row *= beta
    return alpha_bar, beta_bar, bar, a_bar


# jacobi_1d, heat_3d: heat in a rod and in a cube

STEPS = 40


def heat_in_rod(a: Any, b: Any) -> Any:
    """Averages of three neighbours, from either array to the other one."""
    for _ in range(STEPS):
        b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33333 * (b[:-2] + b[1:-1] + b[2:])
    return np.sum(a * a)


def heat_in_rod_in_jax(a: Any, b: Any) -> Any:
    """The steps as a scan."""
    import jax

    def step(state: Any, _: Any) -> Any:
        a, b = state
        b = b.at[1:-1].set(0.33333 * (a[:-2] + a[1:-1] + a[2:]))
        return (a.at[1:-1].set(0.33333 * (b[:-2] + b[1:-1] + b[2:])), b), None

    (a, _), _ = jax.lax.scan(step, (a, b), None, length=STEPS)
    return (a * a).sum()


def heat_in_rod_by_hand(a: Any, b: Any) -> Arrays:
    """The steps backwards, of which nothing has to be kept."""
    a = a.copy()
    heat_in_rod(a, b.copy())
    a_bar, b_bar = 2 * a, np.zeros_like(b)
    for _ in range(STEPS):
        for bar, other in ((a_bar, b_bar), (b_bar, a_bar)):
            share = 0.33333 * bar[1:-1]
            bar[1:-1] = 0.0
            other[:-2] += share
            other[1:-1] += share
            other[2:] += share
    return a_bar, b_bar


CUBE_STEPS = 10
INNER = (slice(1, -1),) * 3
NEIGHBOURS = [
    tuple([slice(1 + d, -1 + d or None) if k == axis else slice(1, -1) for k in range(3)])
    for axis in range(3)
    for d in (-1, 1)
]


def conducted(a: Any) -> Any:
    """The inner part after a step."""
    inner = a[1:-1, 1:-1, 1:-1]
    return (
        0.125 * (a[2:, 1:-1, 1:-1] - 2.0 * inner + a[:-2, 1:-1, 1:-1])
        + 0.125 * (a[1:-1, 2:, 1:-1] - 2.0 * inner + a[1:-1, :-2, 1:-1])
        + 0.125 * (a[1:-1, 1:-1, 2:] - 2.0 * inner + a[1:-1, 1:-1, :-2])
        + inner
    )


def heat_in_cube(a: Any, b: Any) -> Any:
    """The heat equation in three dimensions, from either array to the other one."""
    for _ in range(CUBE_STEPS):
        b[1:-1, 1:-1, 1:-1] = conducted(a)
        a[1:-1, 1:-1, 1:-1] = conducted(b)
    return np.sum(a * a)


def heat_in_cube_in_jax(a: Any, b: Any) -> Any:
    """The steps as a scan."""
    import jax

    def step(state: Any, _: Any) -> Any:
        a, b = state
        b = b.at[INNER].set(conducted(a))
        return (a.at[INNER].set(conducted(b)), b), None

    (a, _), _ = jax.lax.scan(step, (a, b), None, length=CUBE_STEPS)
    return (a * a).sum()


def heat_in_cube_by_hand(a: Any, b: Any) -> Arrays:
    """The steps backwards, of which nothing has to be kept."""
    a = a.copy()
    heat_in_cube(a, b.copy())
    a_bar, b_bar = 2 * a, np.zeros_like(b)
    for _ in range(CUBE_STEPS):
        for bar, other in ((a_bar, b_bar), (b_bar, a_bar)):
            share = bar[INNER].copy()
            bar[INNER] = 0.0
            other[INNER] += 0.25 * share
            share *= 0.125
            for neighbour in NEIGHBOURS:
                other[neighbour] += share
    return a_bar, b_bar


# softmax


def attention(x: Any) -> Any:
    """The softmax of the last axis."""
    largest = np.max(x, axis=-1, keepdims=True)
    powers = np.exp(x - largest)
    shares = powers / np.sum(powers, axis=-1, keepdims=True)
    return np.sum(shares * shares)


def attention_in_jax(x: Any) -> Any:
    """The softmax of the last axis."""
    import jax

    shares = jax.nn.softmax(x)
    return (shares * shares).sum()


def attention_by_hand(x: Any) -> Arrays:
    """What each share gives, less what all give together."""
    powers = np.exp(x - np.max(x, axis=-1, keepdims=True))
    powers /= np.sum(powers, axis=-1, keepdims=True)
    bar = 2 * powers * powers
    return (bar - powers * np.sum(bar, axis=-1, keepdims=True),)


WRITING = {
    program.name: program
    for program in (
        WritingProgram(
            "trisolv",
            "triangular system, 200 rows",
            lambda: (diagonally_dominant(200), np.zeros(200), normal(200)),
            substitution,
            substitution_in_jax,
            substitution_by_hand,
        ),
        WritingProgram(
            "lu",
            "LU factors, 24 rows",
            lambda: (diagonally_dominant(24),),
            factors,
            factors_in_jax,
            factors_by_hand,
        ),
        WritingProgram(
            "ludcmp",
            "solution by LU, 20 rows",
            lambda: (diagonally_dominant(20), normal(20)),
            solution,
        ),
        WritingProgram(
            "durbin",
            "Toeplitz system, 150 rows",
            lambda: (normal(150, scale=0.02),),
            toeplitz_solution,
            toeplitz_solution_in_jax,
        ),
        WritingProgram(
            "syrk",
            "symmetric update, 24 rows",
            lambda: (1.5, 1.2, normal(24, 24), normal(24, 20, seed=1)),
            symmetric_update,
            symmetric_update_in_jax,
            symmetric_update_by_hand,
        ),
        WritingProgram(
            "jacobi_1d",
            "heat in a rod, 3200 points",
            lambda: (normal(3200), normal(3200, seed=1)),
            heat_in_rod,
            heat_in_rod_in_jax,
            heat_in_rod_by_hand,
        ),
        WritingProgram(
            "heat_3d",
            "heat in a cube, 25 x 25 x 25",
            lambda: (normal(25, 25, 25), normal(25, 25, 25, seed=1)),
            heat_in_cube,
            heat_in_cube_in_jax,
            heat_in_cube_by_hand,
        ),
        WritingProgram(
            "softmax",
            "softmax, 8 x 8 x 64 x 64",
            lambda: (normal(8, 8, 64, 64),),
            attention,
            attention_in_jax,
            attention_by_hand,
        ),
    )
}
