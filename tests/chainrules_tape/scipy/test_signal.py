"""Functions of `scipy.signal` on traced values."""

import numpy as np
import pytest
from scipy import signal

from chainrules_py import NotImplementedTangentError
from chainrules_tape import LostGradientError, grad, hessian
from chainrules_tape.scipy import signal as traced

X = np.random.default_rng(0).normal(size=16)
B, A = np.array([0.3, 0.5]), np.array([1.4, -0.6])


def test_a_filter_by_all_that_it_has():
    def loss(b, a, x, z):
        y, state = traced.lfilter(b, a, x, zi=z)
        return np.sum(y**2) + np.sum(state)

    found = grad(loss, argnums=(0, 1, 2, 3))(B, A, X, np.array([0.2]))
    for k, at in enumerate((B, A, X, np.array([0.2]))):
        args = [B, A, X, np.array([0.2])]
        for i in range(at.size):
            ahead, behind = (
                [*args[:k], at + s * 1e-6 * np.eye(at.size)[i], *args[k + 1 :]] for s in (1, -1)
            )
            assert np.isclose(found[k][i], (loss(*ahead) - loss(*behind)) / 2e-6, atol=1e-6)


def test_sections_are_filters():
    sos = np.array([[0.4, 0.7, -0.2, 1.0, -0.5, 0.2], [0.9, -0.3, 0.6, 1.0, 0.3, -0.1]])
    found = grad(lambda s: np.sum(traced.sosfilt(s, X) ** 2))(sos)

    def by_filters(s):
        return np.sum(
            traced.lfilter(s[1, :3], s[1, 3:], traced.lfilter(s[0, :3], s[0, 3:], X)) ** 2
        )

    assert np.allclose(found, grad(by_filters)(sos))


def test_convolution_is_a_product_of_polynomials():
    mixed = hessian(lambda v: traced.convolve(v[:2], v[2:])[1])(np.array([1.0, 2.0, 3.0, 4.0]))
    assert np.allclose(mixed, [[0, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0]])


def test_a_signal_comes_back():
    def there_and_back(x):
        return traced.istft(traced.stft(x, nperseg=8)[2], nperseg=8)[1]

    assert np.allclose(grad(lambda x: np.sum(there_and_back(x) * X))(X), X)


def test_coefficients_of_filtfilt_are_not_implemented():
    with pytest.raises(NotImplementedTangentError, match="twice"):
        grad(lambda b: np.sum(traced.filtfilt(b, A, X)))(B)


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


def test_smoothing_weights_by_the_distance_of_samples():
    weights = lambda delta: traced.savgol_coeffs(5, 2, deriv=2, delta=delta)  # noqa: E731
    exact = signal.savgol_coeffs(5, 2, deriv=2)
    assert np.allclose(
        grad(lambda delta: weights(delta) @ np.arange(5.0) ** 3)(0.3),
        -2 * 0.3**-3 * exact @ np.arange(5.0) ** 3,
    )
