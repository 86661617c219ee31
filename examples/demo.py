"""A gradient, a Hessian and a graph of a program, then two rules that stand in this file: what
``make demo`` runs.

The derivative of a root finder or of a decomposition should not be traced through its iterations:
it is known in closed form. A rule says so, and every engine that reads the table uses it.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from chainrules_py import ZERO, Array, frule, rrule, scalar_rule
from chainrules_tape import draw, grad, hessian

Pullback = Callable[[Any], tuple[Any, ...]]


def kepler(m: Any, ecc: Any) -> Any:
    """Eccentric anomaly E of an orbit: the root of E - ecc*sin(E) = m, by Newton's method."""
    anomaly = m
    for _ in range(20):
        anomaly = anomaly - (anomaly - ecc * np.sin(anomaly) - m) / (1 - ecc * np.cos(anomaly))
    return anomaly


# By the implicit function theorem; `out` is the output. One line, both modes.
scalar_rule(kepler, "m, ecc", "1 / (1 - ecc*cos(out))", "sin(out) / (1 - ecc*cos(out))")


def log_det(a: Any) -> Any:
    """Logarithm of |det a| of a real matrix."""
    return np.linalg.slogdet(a)[1]


@rrule.register(log_det)
def log_det_rrule(a: Array, *, xp: Any) -> tuple[Any, Pullback]:
    def log_det_pullback(y_bar: Any) -> tuple[Any, ...]:
        return (y_bar * xp.linalg.inv(a).T,)  # Jacobi's formula

    return log_det(a), log_det_pullback


def central_difference(
    f: Callable[..., Any], args: tuple[Any, ...], argnum: int, step: float = 1e-6
) -> Any:
    """The gradient of ``sum(f(*args))`` in one argument, entry by entry."""
    x = np.asarray(args[argnum])
    gradient = np.empty(x.shape)
    for index in np.ndindex(x.shape):
        nudge = np.zeros(x.shape)
        nudge[index] = step
        above, below = (
            f(*args[:argnum], x + sign * nudge, *args[argnum + 1 :]) for sign in (1, -1)
        )
        gradient[index] = np.sum(above - below) / (2 * step)
    return gradient


def show(name: str, rule: Any, difference: Any) -> None:
    """Print one line per entry of a gradient."""
    for index in np.ndindex(np.shape(rule)):
        entry = f"{name}[{', '.join(map(str, index))}]" if index else name
        by_rule, by_difference = np.asarray(rule)[index], difference[index]
        print(
            f"{entry:<24}{by_rule:>14.9f}{by_difference:>20.9f}{abs(by_rule - by_difference):>12.1e}"
        )


def show_gradients(f: Callable[..., Any], names: str, *args: Any) -> None:
    """Print the gradient of ``sum(f(*args))`` by its rule and by differences, for each argument."""
    y, pullback = rrule(f, *args)
    for argnum, (name, x_bar) in enumerate(
        zip(names.split(), pullback(np.ones(np.shape(y))[()]), strict=True)
    ):
        show(f"d {f.__name__} / d {name}", x_bar, central_difference(f, args, argnum))


def show_tangent(m: Any, ecc: float) -> None:
    """Print the tangent of ``kepler`` along m, in forward mode."""
    y, y_dot = frule((np.ones_like(m), ZERO), kepler, m, ecc)
    show("d kepler / d m", y_dot, (kepler(m + 1e-6, ecc) - kepler(m - 1e-6, ecc)) / 2e-6)


def energy(x: Any) -> Any:
    """Energy of a chain of springs that are fixed at zero on the left: plain NumPy, which the
    engine differentiates.
    """
    stretched = np.diff(x, prepend=0.0) - 1.0
    return 0.5 * np.sum(stretched**2) + np.sum(np.cos(x))


def show_program(x: Any) -> None:
    """Print the gradient and the Hessian of `energy`, and where there is a graph of what it
    computes.
    """
    print(
        f"gradient of the energy of a chain at {x}\n{grad(energy)(x)}\n\nits"
        f" Hessian\n{hessian(energy)(x)}"
    )
    graph = draw(energy, x)
    page = Path(tempfile.gettempdir()) / "chainrules_demo.md"
    page.write_text(f"```mermaid\n{graph}\n```\n", encoding="utf-8")
    print(f"\na graph of what it computes and keeps, for GitHub, notebooks and editors: {page}\n")


def main() -> None:
    """Print derivatives of a program, and those of the rules above next to finite differences."""
    np.set_printoptions(precision=4, suppress=True)
    show_program(np.array([0.5, 1.5, 3.5]))
    print("derivatives by the rules in this file")
    print(f"{'reverse mode':<24}{'by the rule':>14}{'finite difference':>20}{'error':>12}")
    show_gradients(kepler, "m ecc", np.array([0.5, 1.0, 2.0]), 0.3)
    show_gradients(log_det, "a", np.array([[2.0, 0.5], [-1.0, 3.0]]))
    print("\nforward mode")
    show_tangent(np.array([0.5, 1.0, 2.0]), 0.3)


if __name__ == "__main__":
    main()
