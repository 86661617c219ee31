"""The old transforms on traced values are SciPy's in value, and have the derivatives that
differences have.
"""

import numpy as np
import pytest
from scipy import fftpack

from chainrules_tape import grad
from chainrules_tape.scipy import fftpack as ours

ROWS = np.array([[0.3, -0.5, 1.2, 0.7], [0.1, 0.9, -0.4, 0.2]])
CALLS = {
    "dct": lambda m, x: m.dct(x, 2, None, 0, "ortho"),
    "dct with options": lambda m, x: m.dct(x, type=3, axis=1, norm="ortho", overwrite_x=True),
    "idct": lambda m, x: m.idct(x),
    "dst": lambda m, x: m.dst(x, 1),
    "idst": lambda m, x: m.idst(x, 3, norm="ortho"),
    "idctn": lambda m, x: m.idctn(x, 1),
    "fft": lambda m, x: m.fft(x, 6, -1, True),
    "ifft": lambda m, x: m.ifft(x, axis=0),
    "fft2": lambda m, x: m.fft2(x, (3, 3)),
    "fftn": lambda m, x: m.fftn(x, shape=(4, 4)),
    "dctn": lambda m, x: m.dctn(x, 2, axes=(0,)),
}


@pytest.mark.parametrize("f", CALLS.values(), ids=CALLS)
def test_a_transform_is_differentiated(f):
    expected = f(fftpack, ROWS)
    assert np.array_equal(f(ours, ROWS), expected)
    weights = np.cos(np.arange(expected.size)).reshape(expected.shape)

    def sum_of(m, x):
        y = f(m, x)
        return np.sum((np.real(y) + 0.5 * np.imag(y)) * weights)

    slopes = np.zeros_like(ROWS)
    for index in np.ndindex(ROWS.shape):
        step = np.zeros_like(ROWS)
        step[index] = 1e-5
        slopes[index] = (sum_of(fftpack, ROWS + step) - sum_of(fftpack, ROWS - step)) / 2e-5
    assert np.allclose(grad(lambda x: sum_of(ours, x))(ROWS), slopes, rtol=1e-8, atol=1e-9)


def test_what_has_no_counterpart_is_scipys():
    assert np.array_equal(ours.rfft(ROWS), fftpack.rfft(ROWS))
