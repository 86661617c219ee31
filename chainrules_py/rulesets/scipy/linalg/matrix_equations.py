"""Linear equations for a matrix (Sylvester, Lyapunov), and Riccati's quadratic ones, of which the
derivative is linear.

With the gain K and the closed loop F = A - B K, let V be the tangent of Riccati's residual by the
coefficients alone. Then X_dot solves a Lyapunov equation in F E^-1 with the constant E^-H V E^-1.
"""

from collections.abc import Callable
from typing import Any

from scipy import linalg

from chainrules_py import composed
from chainrules_py.makers import Linearised, LinearMap, linearised_rule
from chainrules_py.makers.by_source import by_source
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.formulas.matrices import (
    adjoint,
    computed_once,
    hermitian_part,
    solve_by_adjoint,
    solve_right,
)
from chainrules_py.rulesets.scipy.linalg.calling import call, require_finite
from chainrules_py.values.arrays import Array

Map = Callable[[Any], Any]


def summed(linear: LinearMap, shape: tuple[int, ...], xp) -> LinearMap:
    """The map of an argument that was broadcast."""
    return LinearMap(linear.push, lambda bar: unbroadcast(linear.pull(bar), shape, xp))


def of_one_kind(*matrices) -> list[Any]:
    """The matrices, all complex if one is.

    For a mixture SciPy's solutions are wrong: https://github.com/scipy/scipy/issues/26177
    """
    mixed = len({matrix.dtype.kind == "c" for matrix in matrices}) > 1
    return [matrix + 0j if mixed else matrix for matrix in matrices]


def sylvester(a, b, q) -> Any:
    """X with A X + X B = Q."""
    return call(linalg.solve_sylvester, *of_one_kind(a, b, q))


def lyapunov(a, q) -> Any:
    """X with A X + X A^H = Q."""
    return call(linalg.solve_continuous_lyapunov, *of_one_kind(a, q))


def discrete_lyapunov(a, q, method: Any = None) -> Any:
    """X with A X A^H - X + Q = 0."""
    return call(linalg.solve_discrete_lyapunov, *of_one_kind(a, q), method=method)


@linearised_rule(linalg.solve_sylvester)
def solve_sylvester_linearised(a: Array, b: Array, q: Array, *, xp) -> Linearised:
    """A X + X B = Q."""
    x = sylvester(a, b, q)
    x_h = adjoint(x, xp)
    right = computed_once(lambda x_bar: sylvester(adjoint(a, xp), adjoint(b, xp), x_bar))
    by_a = LinearMap(lambda dot: -sylvester(a, b, dot @ x), lambda bar: -right(bar) @ x_h)
    by_b = LinearMap(lambda dot: -sylvester(a, b, x @ dot), lambda bar: -x_h @ right(bar))
    by_q = LinearMap(lambda dot: sylvester(a, b, dot), right)
    maps = zip((by_a, by_b, by_q), (a, b, q), strict=True)
    return x, *(summed(linear, argument.shape, xp) for linear, argument in maps)


@composed(linalg.solve_continuous_lyapunov)
def solve_continuous_lyapunov(a: Array, q: Array, *, xp):
    """A X + X A^H = Q."""
    require_finite(q, xp=xp)
    return sylvester(a, adjoint(a, xp), q)


by_source(linalg.solve_discrete_lyapunov, arguments=2)


def riccati_maps(
    arguments: tuple[Any, ...],
    k,
    along,
    by_e,
    solve: Map,
    solve_adjoint: Map,
    xp,
) -> tuple[LinearMap | None, ...]:
    """The derivative of a solution with respect to all coefficients, where the residual changes by:

    A: Z^H A_dot    B: -Z^H B_dot K    Q: Q_dot / 2    R: K^H R_dot K / 2    E: Y^H E_dot    S: -S_dot K

    plus the adjoint of each: a factor before and one behind. Z is `along`, Y is `by_e`.
    """
    one = xp.eye(k.shape[-1])
    right = computed_once(lambda x_bar: solve_adjoint(hermitian_part(x_bar, xp)))
    factors = (along, one), (-along, k), (0.5 * one, one), (0.5 * k, k), (by_e, one), (-one, k)

    def of_argument(argument, before, behind) -> LinearMap | None:
        if argument is None:
            return None

        def push(dot) -> Any:
            moved = adjoint(before, xp) @ dot @ behind
            return solve(moved + adjoint(moved, xp))

        def pull(x_bar) -> Any:
            return 2 * before @ right(x_bar) @ adjoint(behind, xp)

        return summed(LinearMap(push, pull), argument.shape, xp)

    return tuple([of_argument(x, *both) for x, both in zip(arguments, factors, strict=False)])


def residual_solvers(loop, e, solve: Callable[[Any, Any], Any], xp) -> tuple[Map, Map]:
    """The map from a tangent V of the residual to X_dot, and its adjoint.

    ``solve(f, v)`` solves the Lyapunov equation in a matrix f with the constant v.
    """
    f = loop if e is None else solve_right(loop, e, xp)

    def solved(v):
        constant = v if e is None else solve_right(solve_by_adjoint(e, v, xp), e, xp)
        return solve(adjoint(f, xp), constant)

    def solved_adjoint(x_bar):
        bar = solve(f, x_bar)
        return bar if e is None else solve_right(xp.linalg.solve(e, bar), adjoint(e, xp), xp)

    return solved, solved_adjoint


@linearised_rule(linalg.solve_continuous_are)
def solve_continuous_are_linearised(
    a: Array,
    b: Array,
    q: Array,
    r: Array,
    e: Array | None = None,
    s: Array | None = None,
    *,
    balanced: bool = True,
    out,
    xp,
) -> tuple[LinearMap | None, ...]:
    """A^H X E + E^H X A - (E^H X B + S) R^-1 (B^H X E + S^H) + Q = 0."""
    x_e = out if e is None else out @ e
    k = xp.linalg.solve(r, adjoint(b, xp) @ x_e + (0 if s is None else adjoint(s, xp)))
    loop = a - b @ k
    solvers = residual_solvers(loop, e, lambda f, v: lyapunov(f, -v), xp)
    return riccati_maps((a, b, q, r, e, s), k, x_e, out @ loop, *solvers, xp)


@linearised_rule(linalg.solve_discrete_are)
def solve_discrete_are_linearised(
    a: Array,
    b: Array,
    q: Array,
    r: Array,
    e: Array | None = None,
    s: Array | None = None,
    *,
    balanced: bool = True,
    out,
    xp,
) -> tuple[LinearMap | None, ...]:
    """A^H X A - E^H X E - (A^H X B + S) (R + B^H X B)^-1 (B^H X A + S^H) + Q = 0."""
    x, b_h = out, adjoint(b, xp)
    k = xp.linalg.solve(r + b_h @ x @ b, b_h @ x @ a + (0 if s is None else adjoint(s, xp)))
    loop = a - b @ k
    solvers = residual_solvers(loop, e, discrete_lyapunov, xp)
    return riccati_maps((a, b, q, r, e, s), k, x @ loop, -(x if e is None else x @ e), *solvers, xp)
