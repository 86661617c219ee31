"""Functions of `scipy.signal` on traced values."""

import numpy as np
import pytest

from chainrules_py import NotImplementedTangentError
from chainrules_tape import LostGradientError, grad, hessian

signal = pytest.importorskip("scipy.signal")
traced = pytest.importorskip("chainrules_tape.scipy.signal")

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
            ahead, behind = ([*args[:k], at + s * 1e-6 * np.eye(at.size)[i], *args[k + 1 :]] for s in (1, -1))
            assert np.isclose(found[k][i], (loss(*ahead) - loss(*behind)) / 2e-6, atol=1e-6)


def test_sections_are_filters():
    sos = np.array([[0.4, 0.7, -0.2, 1.0, -0.5, 0.2], [0.9, -0.3, 0.6, 1.0, 0.3, -0.1]])
    found = grad(lambda s: np.sum(traced.sosfilt(s, X) ** 2))(sos)

    def by_filters(s):
        return np.sum(traced.lfilter(s[1, :3], s[1, 3:], traced.lfilter(s[0, :3], s[0, 3:], X)) ** 2)

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
