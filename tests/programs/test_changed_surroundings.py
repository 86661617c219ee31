"""Functions that are handed to another function, and whose surroundings change afterwards: loop
variables, entries of lists and arrays, attributes. Derivatives are those of the call as it was.
"""

import numpy as np
import pytest
import scipy.sparse.linalg

import chainrules_tape.numpy as tnp
from chainrules_tape import compiled, grad, hvp, jvp, taylor, vjp
from chainrules_tape.scipy import integrate, optimize
from chainrules_tape.scipy.sparse.linalg import cg

X = np.array([0.3, 0.8, 0.5])
TIMES = np.array([0.5, 1.0])


def integral(rate, x):
    return integrate.quad(lambda t: np.cos(rate() * t * x[0]), 0.0, 1.0)[0]


def integral_to_a_limit(rate, x):
    return integrate.quad(lambda t: np.cos(rate() * t), 0.0, x[0])[0]


def integral_with_args(rate, x):
    return integrate.quad(lambda t, a: np.cos(rate() * t * a), 0.0, 1.0, args=(x[0],))[0]


def double_integral(rate, x):
    return integrate.dblquad(lambda s, t: np.cos(rate() * t * s * x[0]), 0, 1, 0, lambda t: t)[0]


def integral_of_a_vector(rate, x):
    return np.sum(integrate.quad_vec(lambda t: np.cos(rate() * t * x), 0.0, 1.0)[0])


def solution(rate, x, method="RK45"):
    return integrate.solve_ivp(
        lambda t, y: -rate() * y + x[0],
        (0.0, 1.0),
        x[1:],
        t_eval=TIMES,
        method=method,
        rtol=1e-9,
        atol=1e-11,
    ).y[0, -1]


def stiff_solution(rate, x):
    return solution(rate, x, "Radau")


def solution_by_odeint(rate, x):
    def slope(y, t):
        return -rate() * y + x[0]

    return integrate.odeint(slope, x[1:], np.array([0.0, 1.0]), rtol=1e-9, atol=1e-11)[-1, 0]


def system(rate, x):
    operator = scipy.sparse.linalg.LinearOperator((3, 3), matvec=lambda v: v * rate())
    return np.sum(np.sin(cg(operator, x, rtol=1e-12)[0]))


def root(rate, x):
    return optimize.brentq(lambda z: z**3 + rate() * z - x[0], -4.0, 4.0)


def along_an_axis(rate, x):
    return np.sum(np.apply_along_axis(lambda v: np.sin(v * rate()), 0, x))


PROGRAMS = (
    *(integral, integral_to_a_limit, integral_with_args, double_integral, integral_of_a_vector),
    *(solution, stiff_solution, solution_by_odeint, system, root, along_an_axis),
)


class Settings:
    """An object whose attribute is assigned to."""

    rate = 0.0


def by_variable():
    rate = 0.0

    def change(new):
        nonlocal rate
        rate = new

    return lambda: rate, change


def by_list():
    rates = [0.0]
    return lambda: rates[0], lambda new: rates.__setitem__(0, new)


def by_array():
    rates = np.zeros(2)
    return lambda: rates[1], lambda new: rates.__setitem__(1, new)


def by_attribute():
    settings = Settings()
    return lambda: settings.rate, lambda new: setattr(settings, "rate", new)


def by_bound_attribute():
    settings = Settings()

    class Reads:
        def __init__(self):
            self.settings = settings

        def rate(self):
            return self.settings.rate

    return Reads().rate, lambda new: setattr(settings, "rate", new)


FORMS = {
    form.__name__: form
    for form in (by_variable, by_list, by_array, by_attribute, by_bound_attribute)
}
WAYS = {
    "grad": lambda f: grad(f)(X),
    "vjp": lambda f: vjp(f, X)[1](2.0)[0],
    "jvp": lambda f: jvp(f, (X,), (np.cos(X),))[1],
    "hvp": lambda f: hvp(f, X, np.cos(X)),
    "taylor": lambda f: taylor(f, X, 2, np.cos(X)),
    "compiled": lambda f: [compiled(f)(x) for _ in range(2) for x in (X, X, X + 0.1)],
}


def summed(program, form):
    """A sum over rates, each of which is gone when the next one comes."""

    def f(x):
        rate, change = form()
        total = 0.0
        for new in (0.5, 1.5):
            change(new)
            total = total + program(rate, x)
        change(70.0)
        return total

    return f


def as_it_should_be(program):
    return lambda x: program(lambda: 0.5, x) + program(lambda: 1.5, x)


def same_results(f, like, way):
    with np.errstate(all="ignore"):
        found, expected = WAYS[way](f), WAYS[way](like)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("way", [way for way in WAYS if way != "hvp"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_loop_variable(program, way):
    same_results(summed(program, by_variable), as_it_should_be(program), way)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("program", [integral, solution, system], ids=lambda p: p.__name__)
def test_other_surroundings(program, form):
    same_results(summed(program, FORMS[form]), as_it_should_be(program), "grad")


def test_second_derivatives():
    same_results(summed(integral, by_variable), as_it_should_be(integral), "hvp")


def test_a_variable_without_a_value_yet():
    """A first step that has no predecessor."""

    def f(x):
        rate, before, total = 0.0, None, 0.0

        def integrand(t):
            return np.cos(t * rate * x[0]) * (1.0 if before is None else before)

        for new in (1.0, 2.0):
            rate = new
            total = total + integrate.quad(integrand, 0.0, 1.0)[0]
            before = 3.0
        return total

    def parts(x):
        return integral(lambda: 1.0, x) + 3 * integral(lambda: 2.0, x)

    np.testing.assert_allclose(grad(f)(X), grad(parts)(X), rtol=1e-8)


def test_what_a_function_writes_arrives():
    calls, count = [], 0

    def integrand(t, x):
        nonlocal count
        count += 1
        calls.append(t)
        return np.sin(t * x[0])

    def f(x):
        return integrate.quad(lambda t: integrand(t, x), 0.0, 1.0)[0]

    f(X)
    once, calls[:] = len(calls), []
    grad(f)(X)
    assert len(calls) >= once
    assert count >= 2 * once


# --- arguments and options that are lists ---


def indexed(x, kept):
    return x[kept]


def taken(x, kept):
    return np.take(x, kept)


def rolled(x, kept):
    return np.roll(x.reshape(1, 3), kept, axis=(0, 1)) * x


def repeated(x, kept):
    return np.repeat(x, [*kept, 1])


def padded(x, kept):
    return np.pad(x, kept)


def scaled(x, kept):
    return np.multiply(x[:2], kept)


def with_pieces(x, kept):
    return np.concatenate([x * k for k in kept])


LISTS = (indexed, taken, rolled, repeated, padded, scaled, with_pieces)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("program", LISTS, ids=lambda program: program.__name__)
def test_lists_that_change(program, way):
    def f(x):
        kept = [0, 2]
        y = program(x, kept)
        kept.reverse()
        kept[1] = 1
        return np.sum(y**3)

    same_results(f, lambda x: np.sum(program(x, [0, 2]) ** 3), way)


def test_a_list_of_traced_values_that_changes():
    def f(x):
        rows = [x, x**2]
        y = np.stack(rows)
        rows[0] = x**3
        return np.sum(y**3)

    for way in WAYS:
        same_results(f, lambda x: np.sum(tnp.array([x, x**2]) ** 3), way)
