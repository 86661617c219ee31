"""Functions of `scipy.signal` on traced values."""

import numpy as np
import pytest
from scipy import signal

from chainrules_py import OptionError
from chainrules_tape import LostGradientError, grad, jvp, stop_gradient, vmap
from chainrules_tape.scipy import signal as traced

X = np.random.default_rng(0).normal(size=16)
B, A = np.array([0.3, 0.5]), np.array([1.4, -0.6])


def test_scipys_own_name_is_refused_with_the_import_to_write():
    with pytest.raises(LostGradientError, match=r"from chainrules_tape.scipy import signal"):
        grad(lambda x: np.sum(signal.lfilter(B, A, x)))(X)


@pytest.mark.parametrize(
    "b", [np.array([1.0, 0.3]), np.array([0.2, 0.0, 0.4]), np.array([0.0, 0.7, 1.1])]
)
def test_the_bilinear_transform(b):
    a = np.array([0.5, 1.4, 0.6])

    def loss(module, b, a, fs):
        above, below = module.bilinear(b, a, fs)
        return np.sum(above * np.arange(1.0, 1 + len(above))) + np.sum(below**2)

    found = grad(lambda b, a, fs: loss(traced, b, a, fs), argnums=(0, 1, 2))(b, a, 1.7)
    for k, at in enumerate((b, a, np.array(1.7))):
        for i in range(at.size):
            if at.size > 1 and at[i] == 0.0:
                continue  # where SciPy drops a zero in front, and takes another number for one
            step = 1e-6 * (np.arange(at.size) == i).reshape(at.shape)
            ahead, behind = (
                [*(b, a, 1.7)[:k], at + s * step, *(b, a, 1.7)[k + 1 :]] for s in (1, -1)
            )
            expected = (loss(signal, *ahead) - loss(signal, *behind)) / 2e-6
            assert np.isclose(found[k][i] if at.size > 1 else found[k], expected, rtol=1e-6)


def test_the_bilinear_transform_of_numbers_alone():
    b, a = np.array([3.0]), np.array([0.0, 2.0])  # of order zero, one with a zero in front
    for found, expected in zip(traced.bilinear(b, a), signal.bilinear(b, a), strict=True):
        np.testing.assert_allclose(found, expected)
    assert grad(lambda b: np.sum(traced.bilinear(b, a)[0]))(b) == [0.5]


@pytest.mark.parametrize("distance", [0.3, 1e-100, 1e100])
def test_smoothing_weights_by_the_distance_of_samples(distance):
    weights = lambda delta: traced.savgol_coeffs(5, 2, deriv=2, delta=delta)  # noqa: E731
    exact = signal.savgol_coeffs(5, 2, deriv=2)
    assert np.allclose(
        distance**3 * grad(lambda delta: weights(delta) @ np.arange(5.0) ** 3)(distance),
        -2 * exact @ np.arange(5.0) ** 3,
    )


PEAKS = {"height": 0.1, "threshold": 0.0, "prominence": 0.0, "width": 0.0, "rel_height": 0.4}
OF_PEAKS = (
    *("peak_heights", "left_thresholds", "right_thresholds", "prominences"),
    *("widths", "width_heights", "left_ips", "right_ips"),
)


@pytest.mark.parametrize("name", OF_PEAKS)
def test_heights_and_widths_of_peaks_move_with_the_samples(name):
    """By central differences of SciPy's own function."""
    rng = np.random.default_rng(0)
    x, direction, h = rng.uniform(size=30), rng.normal(size=30), 1e-6

    def weighted(x, module=traced):
        peaks, found = module.find_peaks(x, **PEAKS)
        return np.sum(found[name] * np.arange(1, 1 + len(peaks)))

    ends = [weighted(x + sign * h * direction, signal) for sign in (1, -1)]
    y, slope = jvp(weighted, (x,), (direction,))
    assert y == weighted(x, signal)
    assert np.isclose(slope, (ends[0] - ends[1]) / (2 * h), rtol=1e-6)
    assert np.isclose(grad(weighted)(x) @ direction, slope)


def test_peaks_have_scipys_places():
    x = np.random.default_rng(1).uniform(size=20)

    def places(x):
        peaks, found = traced.find_peaks(x, prominence=0.1, plateau_size=1)
        expected, known = signal.find_peaks(stop_gradient(x), prominence=0.1, plateau_size=1)
        assert np.array_equal(peaks, expected)
        assert found.keys() == known.keys()
        return np.sum(x[peaks])

    assert np.count_nonzero(grad(places)(x)) == len(signal.find_peaks(x, prominence=0.1)[0])


@pytest.mark.parametrize(
    "unknown",
    [
        lambda x: traced.filtfilt(B, A, x, method="gust"),
        lambda x: traced.welch(x, nperseg=8, average="median")[1],
    ],
)
def test_an_option_that_a_body_does_not_take_is_refused(unknown):
    """Of many examples, SciPy is called for each."""
    for differentiated in (grad(lambda x: np.sum(unknown(x))), lambda x: jvp(unknown, (x,), (x,))):
        with pytest.raises(OptionError, match="has no rule"):
            differentiated(X)
    rows = np.stack([X, X**2])
    np.testing.assert_allclose(vmap(unknown)(rows), [unknown(row) for row in rows])
