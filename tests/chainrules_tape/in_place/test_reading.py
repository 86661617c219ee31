"""Views of what was written to, or will be: which functions give them, and views that have entries several times."""

import operator

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import chainrules_tape.numpy as tnp
from chainrules_py import default_rules
from chainrules_py.testing import load_shipped, primals_of
from chainrules_py.testing.samples.table import samples_of
from chainrules_tape import InPlaceError, LostGradientError, grad, hvp, jvp
from chainrules_tape.core.plans import is_numpys
from chainrules_tape.in_place.reading import VIEWS

X = np.array([0.5, -1.5, 2.0])
WEIGHTS = np.arange(1.0, 7.0).reshape(2, 3)


def arrays_in(value):
    """The arrays in a value and its containers."""
    if isinstance(value, tuple | list):
        return [array for part in value for array in arrays_in(part)]
    return [value] if isinstance(value, np.ndarray) else []


def shares_memory_with_an_argument(primal, sample):
    """Whether NumPy's result is a view of an argument."""
    args = [np.array(arg) if isinstance(arg, np.ndarray) else arg for arg in sample.args]
    try:
        result = primal(*args, **sample.options)
    except Exception:
        return False
    return any(np.may_share_memory(y, arg) for y in arrays_in(result) for arg in arrays_in(args))


def test_each_function_that_gives_views_is_known():
    load_shipped()
    primals = [primal for primal in primals_of(default_rules.load_all()) if is_numpys(primal)]
    views = {p for p in primals for s in samples_of(p, "float64") if shares_memory_with_an_argument(p, s)}
    # Of these, a stored array gives a copy, where NumPy gives a view for some arguments.
    copies = {np.linalg.matrix_power, np.polyder, np.polyint, np.diff, np.meshgrid, np.ix_}
    edges = {np.histogram_bin_edges, np.histogram, np.histogram2d, np.histogramdd}
    converting = {np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray}
    assert views - VIEWS - {operator.getitem, np.einsum} == copies | edges | converting


def broadcast_afterwards(x):
    y = x * x
    y[0] = 2.0 * x[1]
    return np.sum(WEIGHTS * np.broadcast_to(y, (2, 3)) ** 2)


def broadcast_before(x):
    y = x * x
    rows = np.broadcast_to(y, (2, 3))
    y[0] = 2.0 * x[1]
    return np.sum(WEIGHTS * rows**2) + np.sum(rows[1:])


def components_broadcast(x):
    z = x + 1j * x**2
    imag = np.broadcast_to(z.imag, (2, 3))
    z[0] *= 2.0
    return np.sum(WEIGHTS * imag**2) + np.sum(np.broadcast_to(z.real, (2, 3)) * WEIGHTS)


def windows(x):
    y = x * x
    y[1] *= x[0]
    return np.sum(sliding_window_view(y, 2) ** 2) + np.sum(sliding_window_view(y, 2)[:, 1])


def a_component_before_the_whole(x):
    z = x + 1j * np.sin(x)
    real, imag = z.real, z.imag
    real[0] = x[2]
    imag *= x
    z[1] = 3.0 * z[0] * z[2]
    z.imag = z.imag + z.real**2
    return np.sum(real * imag) + np.sum(np.abs(z) ** 2)


PROGRAMS = [broadcast_afterwards, broadcast_before, components_broadcast, windows, a_component_before_the_whole]


@pytest.mark.parametrize("f", PROGRAMS)
def test_programs_against_finite_differences(f):
    h = 1e-6
    expected = [(f(X + h * e) - f(X - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(grad(f)(X), expected, rtol=1e-6)
    np.testing.assert_allclose([jvp(f, (X,), (e,))[1] for e in np.eye(3)], expected, rtol=1e-6)
    slopes = [(grad(f)(X + h * e) - grad(f)(X - h * e)) / (2 * h) for e in np.eye(3)]
    second = grad(lambda x: np.sum(grad(f)(x) * X))
    np.testing.assert_allclose(hvp(f, X, X), X @ slopes, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(second(X), X @ slopes, rtol=1e-5, atol=1e-6)


def into_windows(x):
    y = tnp.copy(x)
    as_strided(y, (2, 2), (8, 8))[...] = x[0]


def windows_before(x):
    y = x * x
    view = sliding_window_view(y, 2)
    y[0] = 1.0
    return np.sum(view)


def into_a_diagonal(x):
    np.diagonal(np.outer(x, x))[0] = 1.0


@pytest.mark.parametrize(
    ("f", "error"), [(into_windows, LostGradientError), (windows_before, InPlaceError), (into_a_diagonal, ValueError)]
)
def test_what_is_refused(f, error):
    with pytest.raises(error):
        grad(f)(X)


def test_no_real_array_has_an_imaginary_part_to_set():
    def f(x):
        y = tnp.copy(x)
        y.imag = x

    with pytest.raises(TypeError):
        grad(f)(X)
