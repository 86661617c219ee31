"""scipy.signal: ends of signals, coefficients of filters, spectra, and what is refused."""

import importlib

import numpy as np
import pytest
from scipy import signal

from chainrules_py import ZERO, rrule
from chainrules_py.tangents import entries
from chainrules_tape import jvp, vmap

traced = importlib.import_module("chainrules_tape.scipy.signal")


X, V = np.random.default_rng(0).normal(size=(2, 12)), np.random.default_rng(1).normal(size=(2, 5))


WAYS = ("constant", "line", "symmetric", "reflect", "edge", "wrap", "smooth")


@pytest.mark.parametrize("end", [*WAYS, "antisymmetric", "antireflect", "median", "maximum"])
@pytest.mark.parametrize("n", [2, 7])
def test_a_signal_is_continued_as_by_scipy_where_its_rate_changes(end, n):
    """The window reaches over the ends more than once."""
    x, v = X[:, :n], V[:, :n] if n < 5 else X[:, -n:]
    value, dot = jvp(lambda x: traced.resample_poly(x, 5, 2, axis=1, padtype=end), (x,), (v,))
    ahead, behind = (
        signal.resample_poly(x + h * v, 5, 2, axis=1, padtype=end) for h in (1e-6, -1e-6)
    )
    np.testing.assert_allclose(value, signal.resample_poly(x, 5, 2, axis=1, padtype=end))
    np.testing.assert_allclose(dot, (ahead - behind) / 2e-6, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("kind", ["odd", "even", "constant", None])
def test_filters_that_run_twice_are_differentiated_by_their_coefficients(kind):
    x, sections = np.sin(np.arange(40.0)), signal.butter(3, 0.3, output="sos")
    push = np.random.default_rng(2).normal(size=(2, 6))
    push[:, 3] = 0.0
    push[:, [2, 5]] *= sections[:, [2, 5]] != 0  # how many coefficients there are

    def moved(h):
        return signal.sosfiltfilt(sections + h * push, x, padtype=kind)

    value, dot = jvp(lambda s: traced.sosfiltfilt(s, x, padtype=kind), (sections,), (push,))
    np.testing.assert_allclose(value, moved(0.0), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(dot, (moved(1e-6) - moved(-1e-6)) / 2e-6, rtol=1e-6, atol=1e-7)


def test_sections_in_a_list_have_the_derivative_of_an_array():
    sections, x = signal.butter(2, 0.3, output="sos"), np.sin(np.arange(40.0))
    by_list, of_list = rrule(signal.sosfiltfilt, sections.tolist(), x)[1](np.ones(40))
    by_array, of_array = rrule(signal.sosfiltfilt, sections, x)[1](np.ones(40))
    rows = [[*entries(row).values()] for row in entries(by_list).values()]
    np.testing.assert_allclose(rows, by_array)
    np.testing.assert_allclose(of_list, of_array)


def test_examples_whose_sections_differ_in_length_are_filtered_one_by_one():
    x = np.sin(np.arange(40.0))
    sections = np.stack([signal.butter(n, 0.3, output="sos") for n in (3, 4)])
    expected = [signal.sosfiltfilt(each, x) for each in sections]
    np.testing.assert_allclose(vmap(lambda s: traced.sosfiltfilt(s, x))(sections), expected)


def test_spectra_of_signals_with_different_axes_are_refused_along_another_than_the_last():
    one, several = np.cos(np.arange(6.0)), np.sin(np.arange(18.0)).reshape(6, 3)
    with pytest.raises(ValueError, match=r"pass axis=-1, or signals with as many axes"):
        rrule(signal.csd, one, several, nperseg=4, axis=0)[1]((ZERO, np.ones((3, 3), complex)))


@pytest.mark.parametrize("narrow", [np.uint8, np.float32])
def test_a_cross_spectrum_with_a_narrower_constant_keeps_its_digits(narrow):
    x, y = np.array([3, 1, 4, 1, 5, 9, 2], narrow), np.cos(np.arange(7.0))
    bars = ZERO, np.ones(3, complex)
    found, expected = [
        rrule(signal.csd, each, y, nperseg=4)[1](bars)[1] for each in (x, x.astype(float))
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-13)


@pytest.mark.parametrize("spline", [signal.cspline1d, signal.qspline1d])
def test_spline_coefficients_of_several_rows_are_refused(spline):
    """SciPy takes one row of several axes for a signal of one entry."""
    y, pullback = rrule(spline, np.ones((1, 6)))
    with pytest.raises(ValueError, match="pass one with one axis"):
        pullback(np.ones_like(y))
