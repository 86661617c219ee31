"""The rules of `heat_rod`: `pyproject.toml` names this module, and nobody imports it by hand."""

from chainrules_py import Array, ProjectTo, composed, frule, materialize, rrule, scalar_rule
from heat_rod import conductivity, solve_tridiagonal, stored_heat

scalar_rule(conductivity, "temperature", "out * (1 - out)")


@composed(stored_heat)
def stored_heat_body(temperature: Array, position: Array, *, xp):
    """Half of the sum of neighbours, times the steps between them."""
    return xp.sum((temperature[1:] + temperature[:-1]) * xp.diff(position)) / 2


def product(lower, diagonal, upper, x, xp):
    """A x, of a tridiagonal A."""
    above, below = xp.pad(upper * x[1:], (0, 1)), xp.pad(lower * x[:-1], (1, 0))
    return diagonal * x + above + below


# Both rules call the primitive, and not the kernel: at second order its arguments are traced values.


@frule.register(solve_tridiagonal)
def solve_tridiagonal_frule(dots, lower: Array, diagonal: Array, upper: Array, b: Array, *, xp):
    """x_dot = A^-1 (b_dot - A_dot x)."""
    x = solve_tridiagonal(lower, diagonal, upper, b)
    args = (lower, diagonal, upper, b)
    lower_dot, diagonal_dot, upper_dot, b_dot = [
        materialize(dot, like=arg)  # zeros in the place of ZERO, which has no entries to take
        for dot, arg in zip(dots, args, strict=True)
    ]
    a_dot_x = product(lower_dot, diagonal_dot, upper_dot, x, xp)
    return x, solve_tridiagonal(lower, diagonal, upper, b_dot - a_dot_x)


@rrule.register(solve_tridiagonal)
def solve_tridiagonal_rrule(lower: Array, diagonal: Array, upper: Array, b: Array):
    """b_bar = A^-T x_bar, and A_bar = -b_bar x^T, of which the three diagonals are kept."""
    x = solve_tridiagonal(lower, diagonal, upper, b)
    projections = [ProjectTo(arg) for arg in (lower, diagonal, upper, b)]

    def solve_tridiagonal_pullback(x_bar):
        b_bar = solve_tridiagonal(upper, diagonal, lower, x_bar)  # A transposed
        bars = (-b_bar[1:] * x[:-1], -b_bar * x, -b_bar[:-1] * x[1:], b_bar)
        return tuple([project(bar) for project, bar in zip(projections, bars, strict=True)])

    return x, solve_tridiagonal_pullback
