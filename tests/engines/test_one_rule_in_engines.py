"""A rule, written once, in NumPy, autograd, JAX and PyTorch code, in each mode: by expressions, by
functions on `xp`, and by what takes NumPy's own arrays alone; the latter to third order.
"""

import numpy as np
import pytest

from chainrules_py import Array, frule, linear_rule, primitive, rrule, scalar_rule
from engines_by_name import ENGINES, SECOND, close, each_adapter, ways_of
from slopes import quotients

pytestmark = pytest.mark.usefixtures("double_precision")
X = np.array([0.3, 0.9, 1.4])
MATRIX = np.array([[2.0, 1.0, 0.0], [0.0, 3.0, 1.0], [1.0, 0.0, 4.0]])


@primitive
def smoothed(x):
    """A running mean of three, in NumPy."""
    return np.convolve(x, np.full(3, 1 / 3), mode="same")


def of_three(x, xp):
    zero = xp.zeros_like(x[:1])
    return (xp.concatenate([zero, x[:-1]]) + x + xp.concatenate([x[1:], zero])) / 3


@rrule.register(smoothed)
def smoothed_rrule(x: Array, *, xp):
    return of_three(x, xp), lambda y_bar: (of_three(y_bar, xp),)


@frule.register(smoothed)
def smoothed_frule(dots, x: Array, *, xp):
    return of_three(x, xp), of_three(dots[0], xp)


@primitive
def solved(b):
    """A linear solver that takes NumPy's arrays and nothing else."""
    return np.linalg.solve(MATRIX, np.array(b, dtype=float))


@rrule.register(solved)
def solved_rrule(b: Array):
    return solved(b), lambda y_bar: (np.linalg.solve(MATRIX.T, np.array(y_bar, dtype=float)),)


@frule.register(solved)
def solved_frule(dots, b: Array):
    return solved(b), solved(dots[0])


@ways_of()
@pytest.mark.parametrize("f", [smoothed, solved])
def test_first_derivatives(engine, way, f):
    slopes = quotients(lambda x: np.sum(f(x) ** 2), X)
    found = engine.tower(way, lambda x: engine.xp.sum(f(x) ** 2))(engine.array(X))
    close(found, slopes, 1e-7)


def by_asarray(x):
    return np.asarray(x, dtype=float) ** 3


def by_float(x):
    return np.array([float(entry) ** 3 for entry in np.ravel(x)]).reshape(np.shape(x))


def by_its_value(x):
    return np.asarray(x, dtype=float) ** 3


scalar_rule(by_asarray, "x", "3*x**2")
scalar_rule(by_float, "x", "3*x**2")
scalar_rule(by_its_value, "x", "3*cbrt(out)**2")
WANTED = {2: np.diag(6 * X), 3: np.einsum("ij,jk->ijk", 6 * np.eye(3), np.eye(3))}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("modes", [*SECOND, "reverse reverse reverse"])
@pytest.mark.parametrize("f", [by_asarray, by_float, by_its_value])
@each_adapter
def test_functions_that_take_numpys_arrays_alone(engine, f, modes):
    g = engine.to(f)
    found = engine.tower(modes, lambda x: engine.xp.sum(g(x)))(engine.array(X))
    close(found, WANTED[len(modes.split())])


# A function of C++: its own TypeError of a traced array is answered by one call for each example.
ROWS = np.arange(6.0).reshape(2, 3) + 1.0
ANGLES = 2 * np.pi * np.outer(np.arange(3), np.arange(3)) / 3
HARTLEY = np.cos(ANGLES) - np.sin(ANGLES)


@pytest.fixture(scope="module")
def hartley():
    """The Hartley transform, which is its own transpose."""
    kernel = pytest.importorskip("scipy.fft._pocketfft.pypocketfft").genuine_hartley
    with pytest.raises(TypeError, match="incompatible function arguments"):
        kernel(object())
    marked = primitive(kernel)
    linear_rule(kernel, lambda y, x: marked(y))
    return kernel


@pytest.mark.parametrize("engine", [ENGINES[n] for n in ("jax", "torch") if n in ENGINES])
def test_functions_of_compiled_code(engine, hartley):
    f, rows = engine.to(hartley), engine.array(ROWS)
    close(engine.vmap(f)(rows), ROWS @ HARTLEY)
    for jacobian in engine.modes.values():
        close(jacobian(f)(rows[0]), HARTLEY)
    close(engine.vmap(engine.modes["forward"](f))(rows), [HARTLEY] * 2)
    second = engine.tower("forward reverse", lambda x: engine.xp.sum(f(x) ** 3))(rows[0])
    close(second, HARTLEY @ np.diag(6 * ROWS[0] @ HARTLEY) @ HARTLEY)
