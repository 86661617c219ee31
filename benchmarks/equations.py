"""Functions defined by an equation: their gradients in units of the solve, by the number of
parameters and of unknowns.
"""

from typing import Any

import numpy as np

from benchmarks.measure import ratio
from benchmarks.titles import titled
from chainrules_tape import grad, jacobian

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


def differences(f: Any, x: Any) -> Any:
    """Forward differences, as SciPy takes them: a call for each parameter, and one."""
    value, step = f(x), 1e-4
    return np.stack([(f(x + step * unit) - value) / step for unit in np.eye(x.size)], axis=-1)


def hunt(t: float, y: Any, p: Any) -> Any:
    """The equations of Lotka and Volterra, entry by entry."""
    prey, hunters = y
    return [p[0] * prey - p[1] * prey * hunters, p[3] * prey * hunters - p[2] * hunters]


def variational_hunt(t: float, z: Any, p: Any) -> Any:
    """These, and the equations of their derivatives by four rates, by hand."""
    (prey, hunters), columns = z[:2], z[2:].reshape(2, 4)
    by_state = np.array(
        [[p[0] - p[1] * hunters, -p[1] * prey], [p[3] * hunters, p[3] * prey - p[2]]]
    )
    met = prey * hunters
    by_rates = np.array([[prey, -met, 0.0, 0.0], [0.0, 0.0, -hunters, met]])
    return np.concatenate([hunt(t, z[:2], p), (by_state @ columns + by_rates).reshape(-1)])


class Sensitivities:
    """The Jacobian of a solution of two unknowns by four rates."""

    params = (("RK45", "DOP853", "LSODA"), ("forward differences", "variational equations by hand"))
    param_names = ("method", "beside")

    def setup(self, method: str, beside: str) -> None:
        import scipy.integrate

        from chainrules_tape.scipy import integrate

        rates, start = np.array([1.1, 0.4, 0.4, 0.1]), np.array([10.0, 5.0])
        options: Any = {"method": method, "t_eval": np.linspace(0.0, 10.0, 21), "rtol": 1e-6}

        def solved(module: Any, p: Any) -> Any:
            return module.solve_ivp(hunt, (0.0, 10.0), start, args=(p,), atol=1e-8, **options).y

        def by_hand() -> Any:
            z = np.concatenate([start, np.zeros(8)])
            found = scipy.integrate.solve_ivp(
                variational_hunt, (0.0, 10.0), z, args=(rates,), atol=1e-8, **options
            )
            return found.y[2:].reshape(2, 4, -1).transpose(0, 2, 1)

        ours = jacobian(lambda p: solved(integrate, p))
        self.jacobian = lambda: ours(rates)
        self.other: Any = by_hand
        if beside == "forward differences":
            self.other = lambda: differences(lambda p: solved(scipy.integrate, p), rates)
        np.testing.assert_allclose(self.jacobian(), by_hand(), rtol=1e-3, atol=1e-2)

    @titled("Jacobian of solve-ivp / another way", "ratio")
    def track_jacobian(self, method: str, beside: str) -> float:
        return ratio(self.jacobian, self.other)


class Sums:
    """The gradient of a sum over a solution of six unknowns, in units of the solve."""

    params = ("solve_ivp", "odeint")
    param_names = ("solver",)

    def setup(self, name: str) -> None:
        import scipy.integrate

        from chainrules_tape.scipy import integrate

        random, times = np.random.default_rng(0), np.linspace(0.0, 10.0, 21)
        matrix, start = random.normal(size=(6, 6)) / 3 - 0.5 * np.eye(6), random.normal(size=6)

        def slope(t: float, y: Any, a: Any) -> Any:
            return np.tanh(a @ y) - 0.1 * y

        def total(module: Any, a: Any) -> Any:
            if name == "odeint":
                return np.sum(module.odeint(slope, start, times, args=(a,), tfirst=True))
            options: Any = {"t_eval": times, "args": (a,), "rtol": 1e-6, "atol": 1e-8}
            return np.sum(module.solve_ivp(slope, (0.0, 10.0), start, **options).y)

        gradient = grad(lambda a: total(integrate, a))
        self.gradient: Any = lambda: gradient(matrix)
        self.solve = lambda: total(scipy.integrate, matrix)
        step = 1e-4 * np.ones((6, 6))
        ahead, behind = (total(scipy.integrate, matrix + s) for s in (step, -step))
        np.testing.assert_allclose(2e-4 * np.sum(self.gradient()), ahead - behind, rtol=1e-3)

    @titled("gradient of a sum over times / solve", "ratio")
    def track_gradient(self, name: str) -> float:
        return ratio(self.gradient, self.solve)


class Fit:
    """A fit of the rates and first values of decays to a solution, with our Jacobian and with that
    of differences.
    """

    params = (4, 8)
    param_names = ("parameters",)

    def setup(self, count: int) -> None:
        import scipy.integrate
        from scipy.optimize import least_squares

        from chainrules_tape.scipy import integrate

        half, times = count // 2, np.linspace(0.0, 10.0, 21)

        def decayed(module: Any, p: Any) -> Any:
            rates, options = p[half:], {"t_eval": times, "rtol": 1e-7, "atol": 1e-9}
            return module.solve_ivp(
                lambda t, y: 0.1 * np.sum(y) - rates * y, (0.0, 10.0), p[:half], **options
            ).y.reshape(-1)

        true = np.concatenate([np.arange(1.0, half + 1), np.linspace(0.2, 0.9, half)])
        noise = 1e-3 * np.random.default_rng(0).normal(size=half * times.size)
        data = decayed(scipy.integrate, true) + noise

        def residuals(p: Any) -> Any:
            return decayed(scipy.integrate, p) - data

        ours = jacobian(lambda p: decayed(integrate, p))
        self.fit = lambda: least_squares(residuals, 1.15 * true, jac=ours)
        self.other = lambda: least_squares(residuals, 1.15 * true)
        np.testing.assert_allclose(self.fit().x, self.other().x, rtol=1e-4)

    @titled("fit with our Jacobian / differences", "ratio")
    def track_fit(self, count: int) -> float:
        return ratio(self.fit, self.other)


class BesideDifferences:
    """The gradient of what a solver gives by four parameters, in units of forward differences."""

    params = ("quad", "brentq", "minimize", "root")
    param_names = ("solver",)

    def setup(self, name: str) -> None:
        import scipy.integrate
        import scipy.optimize

        from chainrules_tape.scipy import integrate, optimize

        def cubic(x: Any, p: Any) -> Any:
            return p[0] * x**3 + p[1] * x - p[2] * np.cos(p[3] * x)

        def wave(x: Any, p: Any) -> Any:
            return p[0] * np.exp(-p[1] * x) * np.cos(p[2] * x) + p[3]

        def bowl(x: Any, p: Any) -> Any:
            return np.sum(p * (x - 1) ** 2) + 0.1 * np.sum(x[1:] ** 2 * x[:-1] ** 2)

        def force(x: Any, p: Any) -> Any:
            return p * x + x**3 - 1 + 0.1 * np.sum(x)

        def solved(integrals: Any, equations: Any, p: Any) -> Any:
            if name == "quad":
                return integrals.quad(wave, 0.0, 2.0, args=(p,))[0]
            if name == "brentq":
                return equations.brentq(cubic, 0.0, 1.0, args=(p,))
            if name == "minimize":
                return np.sum(equations.minimize(bowl, np.zeros(4), args=(p,), tol=1e-8).x)
            return np.sum(equations.root(force, np.zeros(4), args=(p,)).x)

        p, scipys = np.array([1.0, 1.5, 2.0, 0.7]), (scipy.integrate, scipy.optimize)
        gradient = grad(lambda p: solved(integrate, optimize, p))
        self.gradient: Any = lambda: gradient(p)
        self.differences = lambda: differences(lambda p: solved(*scipys, p), p)
        np.testing.assert_allclose(self.gradient(), self.differences(), rtol=1e-2, atol=1e-3)

    @titled("gradient of a solver / differences", "ratio")
    def track_gradient(self, name: str) -> float:
        return ratio(self.gradient, self.differences)
