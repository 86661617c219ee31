"""Pushforwards and pullbacks by hand: y sin(x), a linear solver, a root finder.

A pushforward gets tangents of the inputs and returns that of the output; a pullback gets a
cotangent of the output and returns those of the inputs. For an algorithm, a rule is more than a
convenience: the derivative of the *solution* of an equation is again the solution of an equation, a
linear one, and has nothing to do with the iterations that found it.

    linear system    A x = b               A x_dot = b_dot - A_dot x            b_bar = A^-T x_bar, A_bar = -b_bar x^T
    root             f(x, theta) = 0       f_x x_dot = -f_theta theta_dot       theta_bar = -f_theta^T f_x^-T x_bar
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py import (
    NO_TANGENT,
    Array,
    HasForwardsMode,
    HasReverseMode,
    ProjectTo,
    RuleTable,
    Scalar,
    default_rules,
    frule_via_ad,
    primitive,
    rrule_via_ad,
    scalar_rule,
)
from chainrules_tape import jacobian, jvp, vjp

Pullback = Callable[[Any], tuple[Any, ...]]
rules = RuleTable(parent=default_rules, name="custom rules")


# y sin(x): both rules written out for equal shapes, and the one line that makes them for all


@primitive
def modulated(x: Any, y: Any) -> Any:
    """y sin(x)."""
    return np.sin(x) * y


@rules.frule.register(modulated)
def modulated_frule(
    dots: tuple[Any, ...], x: Array | Scalar, y: Array | Scalar, *, xp: Any
) -> tuple[Any, Any]:
    x_dot, y_dot = dots
    return xp.sin(x) * y, xp.cos(x) * x_dot * y + xp.sin(x) * y_dot


@rules.rrule.register(modulated)
def modulated_rrule(x: Array | Scalar, y: Array | Scalar, *, xp: Any) -> tuple[Any, Pullback]:
    sin_x, cos_x = xp.sin(x), xp.cos(x)
    project_x, project_y = ProjectTo(x), ProjectTo(y)  # back to each argument's own dtype

    def modulated_pullback(z_bar: Any) -> tuple[Any, ...]:
        return project_x(z_bar * y * cos_x), project_y(z_bar * sin_x)

    return sin_x * y, modulated_pullback


one_line = RuleTable(parent=default_rules, name="one line")
scalar_rule(modulated, "x, y", "y * cos(x)", "sin(x)", table=one_line)


# A linear solver: conjugate gradients for a symmetric positive definite matrix


@primitive
def conjugate_gradients(a: Any, b: Any) -> Any:
    """x with a @ x = b, after Hestenes and Stiefel (1952)."""
    x, residual = np.zeros_like(b), b
    direction, squared = residual, residual @ residual
    while squared > 1e-28:
        image = a @ direction
        step = squared / (direction @ image)
        x, residual = x + step * direction, residual - step * image
        squared, previous = residual @ residual, squared
        direction = residual + squared / previous * direction
    return x


@rules.rrule.register(conjugate_gradients)
def conjugate_gradients_rrule(a: Array, b: Array) -> tuple[Any, Pullback]:
    x = conjugate_gradients(a, b)

    def conjugate_gradients_pullback(x_bar: Any) -> tuple[Any, ...]:
        b_bar = conjugate_gradients(a, x_bar)  # the matrix is symmetric
        return -np.outer(b_bar, x), b_bar

    return x, conjugate_gradients_pullback


@rules.frule.register(conjugate_gradients)
def conjugate_gradients_frule(dots: tuple[Any, ...], a: Array, b: Array) -> tuple[Any, Any]:
    a_dot, b_dot = dots
    x = conjugate_gradients(a, b)
    return x, conjugate_gradients(a, b_dot - a_dot @ x)


# A root finder: Newton's method for any system of equations, differentiated by whichever engine is
# asking


@primitive
def find_root(f: Callable[[Any, Any], Any], guess: Any, theta: Any) -> Any:
    """x with f(x, theta) = 0."""
    x = guess
    for _ in range(50):
        step = np.linalg.solve(jacobian(f)(x, theta), f(x, theta))
        x = x - step
        if np.max(np.abs(step)) < 1e-14:
            break
    return x


@rules.rrule.register(find_root)
def find_root_rrule(
    f: Callable, guess: Array, theta: Array, *, config: HasReverseMode
) -> tuple[Any, Pullback]:
    x = find_root(f, guess, theta)
    _, f_pullback = rrule_via_ad(config, f, x, theta)

    def find_root_pullback(x_bar: Any) -> tuple[Any, ...]:
        jacobian_transposed = np.stack([f_pullback(e)[0] for e in np.eye(len(x))], axis=1)
        _, theta_bar = f_pullback(-np.linalg.solve(jacobian_transposed, x_bar))
        return NO_TANGENT, np.zeros_like(guess), theta_bar  # the root does not move with the guess

    return x, find_root_pullback


@rules.frule.register(find_root)
def find_root_frule(
    dots: tuple[Any, ...], f: Callable, guess: Array, theta: Array, *, config: HasForwardsMode
) -> tuple[Any, Any]:
    *_, theta_dot = dots
    x = find_root(f, guess, theta)
    resting = np.zeros_like(theta)
    columns = [frule_via_ad(config, (e, resting), f, x, theta)[1] for e in np.eye(len(x))]
    _, f_dot = frule_via_ad(config, (np.zeros_like(x), theta_dot), f, x, theta)
    return x, -np.linalg.solve(np.stack(columns, axis=1), f_dot)


def orbit(x: Any, theta: Any) -> Any:
    """Two equations for two unknowns: where a circle of radius theta[0] meets the parabola theta[1]
    x^2.
    """
    return np.stack(
        [x[0] * x[0] + x[1] * x[1] - theta[0] * theta[0], x[1] - theta[1] * x[0] * x[0]]
    )


def main() -> None:
    for table in (rules, one_line):
        z, pullback = vjp(modulated, 0.5, 3.0, rules=table)
        print(table.name, jvp(modulated, (0.5, 3.0), (1.0, 2.0), rules=table), pullback(1.0))
    a, b = np.array([[4.0, 1.0], [1.0, 3.0]]), np.array([1.0, 2.0])
    x, pullback = vjp(conjugate_gradients, a, b, rules=rules)
    print("solution", x, *pullback(np.array([1.0, 0.0])))
    theta = np.array([2.0, 0.5])
    x, pullback = vjp(
        lambda theta: find_root(orbit, np.array([1.0, 1.0]), theta), theta, rules=rules
    )
    print("root", x, *pullback(np.array([1.0, 0.0])))


if __name__ == "__main__":
    main()
