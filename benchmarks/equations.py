"""Functions defined by an equation: their gradients in units of the solve, by the number of
parameters and of unknowns.
"""

from typing import Any

import numpy as np

from benchmarks.measure import ratio
from benchmarks.titles import titled
from chainrules_tape import grad

SIZE = 64  # of the grid of a reaction-diffusion equation, 64 x 64


class Adjoint:
    """`solve_ivp` of a reaction and diffusion whose rates are a sum of given fields: one parameter
    for each field.
    """

    params = (10, 100, 1000)
    param_names = ("parameters",)

    def setup(self, count: int) -> None:
        import scipy.integrate

        from chainrules_tape.scipy import integrate

        fields = np.random.default_rng(0).normal(size=(count, SIZE, SIZE)) / np.sqrt(count)
        start, self.rates = np.random.default_rng(1).random((SIZE, SIZE)), np.full(count, 0.1)

        def slope(t: float, y: Any, rate: Any) -> Any:
            u = y.reshape(SIZE, SIZE)
            spread = (
                np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4 * u
            )
            return (spread + rate * u * (1 - u)).reshape(-1)

        def solved(solve: Any, rates: Any) -> Any:
            rate = np.tensordot(rates, fields, 1)
            return solve(
                slope,
                (0.0, 4.0),
                start.reshape(-1),
                t_eval=[4.0],
                args=(rate,),
                rtol=1e-5,
                atol=1e-7,
            ).y[:, 0]

        self.solve = lambda: solved(scipy.integrate.solve_ivp, self.rates)
        self.gradient = grad(lambda rates: np.sum(solved(integrate.solve_ivp, rates) ** 2))
        step = 1e-4 * np.ones(count)
        ahead, behind = (
            np.sum(solved(scipy.integrate.solve_ivp, self.rates + s) ** 2) for s in (step, -step)
        )
        np.testing.assert_allclose(
            2e-4 * np.sum(self.gradient(self.rates)), ahead - behind, rtol=1e-3
        )

    @titled("adjoint of solve-ivp: time / solve", "ratio")
    def track_adjoint(self, count: int) -> float:
        return ratio(lambda: self.gradient(self.rates), self.solve)


class Solvers:
    """`root` and `minimize` on the same stretched chain: what the gradient costs besides the
    solver.
    """

    params = (("root", "minimize"), (10, 100))
    param_names = ("solver", "unknowns")

    def setup(self, name: str, size: int) -> None:
        import scipy.optimize

        from chainrules_tape.scipy import optimize

        def energy(x: Any, a: Any) -> Any:
            return np.sum(0.5 * a * x**2 + 0.25 * x**4 - x) + 0.05 * np.sum((x[1:] - x[:-1]) ** 2)

        def force(x: Any, a: Any) -> Any:
            gap = 0.1 * (x[1:] - x[:-1])
            return (
                a * x
                + x**3
                - 1
                + np.concatenate([-gap, np.zeros(1)])
                + np.concatenate([np.zeros(1), gap])
            )

        def solved(module: Any, a: Any) -> Any:
            if name == "root":
                return module.root(force, np.zeros(size), args=(a,)).x
            return module.minimize(energy, np.zeros(size), args=(a,), jac=force, tol=1e-6).x

        a = np.linspace(1.0, 2.0, size)
        self.solve = lambda: solved(scipy.optimize, a)
        gradient = grad(lambda a: np.sum(solved(optimize, a)))
        self.gradient: Any = lambda: gradient(a)
        self.gradient()

    @titled("gradient of a solver / solver", "ratio")
    def track_gradient(self, name: str, size: int) -> float:
        return ratio(self.gradient, self.solve)


class Integrals:
    """The gradient of an integral in units of SciPy's own call: of one variable, and of two with a
    limit that moves.
    """

    params = ("quad", "dblquad", "dblquad, number by number")
    param_names = ("integral",)

    def setup(self, name: str) -> None:
        import scipy.integrate

        from chainrules_tape.scipy import integrate

        def smooth(y: Any, x: Any, a: Any) -> Any:
            return np.exp(-a * x * y) + y * a

        def by_branches(y: Any, x: Any, a: Any) -> Any:  # which takes no arrays
            return np.exp(-a * x * y) + y * a if y >= 0 else 0.0

        def integral(module: Any, a: Any) -> Any:
            if name == "quad":
                return module.quad(lambda x: smooth(1.0, x, a), 0.0, a)[0]
            f = smooth if name == "dblquad" else by_branches
            return module.dblquad(lambda y, x: f(y, x, a), 0.0, 1.0, 0.0, lambda x: a * x + 0.3)[0]

        self.solve = lambda: integral(scipy.integrate, 1.3)
        gradient = grad(lambda a: integral(integrate, a))
        self.gradient: Any = lambda: gradient(1.3)
        difference = (
            integral(scipy.integrate, 1.3 + 1e-5) - integral(scipy.integrate, 1.3 - 1e-5)
        ) / 2e-5
        np.testing.assert_allclose(self.gradient(), difference, rtol=1e-7)

    @titled("gradient of an integral / integral", "ratio")
    def track_gradient(self, name: str) -> float:
        return ratio(self.gradient, self.solve)


class Stiff:
    """The gradient of a pendulum solved by Radau, with two parameters, in units of the solve."""

    def setup(self) -> None:
        import scipy.integrate

        from chainrules_tape.scipy import integrate

        def swing(module: Any, p: Any) -> Any:
            slope = lambda t, y: np.stack([p[0] * y[1], -p[1] * np.sin(y[0])])  # noqa: E731
            return module.solve_ivp(
                slope, (0.0, 5.0), np.array([1.0, 0.0]), method="Radau", rtol=1e-6
            ).y[0, -1]

        p = np.array([1.0, 1.3])
        self.solve = lambda: swing(scipy.integrate, p)
        gradient = grad(lambda p: swing(integrate, p))
        self.gradient: Any = lambda: gradient(p)
        self.gradient()

    @titled("gradient of a stiff problem / solve", "ratio")
    def track_gradient(self) -> float:
        return ratio(self.gradient, self.solve)
