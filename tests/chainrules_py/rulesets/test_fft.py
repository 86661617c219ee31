"""numpy.fft: every transform, and the namespace as a whole."""

import numpy as np
import pytest

from chainrules_py import rrule
from chainrules_py.errors import NotDifferentiableError, OptionError

REAL_OUTPUT = (np.fft.irfft, np.fft.hfft)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7])
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize(
    "function",
    [np.fft.fft, np.fft.ifft, *REAL_OUTPUT, np.fft.rfft, np.fft.ihfft],
    ids=lambda f: f.__name__,
)
def test_adjoint_is_the_transpose_of_the_matrix_of_the_transform(function, n, norm):
    """The matrix is read off NumPy, column by column, in real coordinates; the input has length 4."""
    is_real = function in (np.fft.rfft, np.fft.ihfft)
    units = np.eye(4) if is_real else np.concatenate([np.eye(4), 1j * np.eye(4)])
    columns = np.stack(
        [_real_coordinates(function(unit, n=n, norm=norm)) for unit in units], axis=1
    )
    y, pullback = rrule(function, units[0], n=n, norm=norm)
    rng = np.random.default_rng(n)
    y_bar = rng.normal(size=y.shape) + (1j * rng.normal(size=y.shape) if y.dtype.kind == "c" else 0)
    expected = columns.T @ _real_coordinates(y_bar)
    (x_bar,) = rrule(function, units[-1], n=n, norm=norm)[1](y_bar)
    np.testing.assert_allclose(_real_coordinates(x_bar), expected, atol=1e-12)


def _real_coordinates(x):
    return np.concatenate([x.real, x.imag]) if x.dtype.kind == "c" else x


def test_out_is_refused_by_name():
    with pytest.raises(OptionError) as caught:
        rrule(np.fft.fft, np.ones(4), out=np.empty(4, complex))
    assert caught.value.option == "out"


def test_repeated_axes_with_lengths_have_no_adjoint_in_one_transform():
    y, pullback = rrule(np.fft.fftn, np.ones((2, 3)), s=(2, 2), axes=(0, 0))
    with pytest.raises(NotDifferentiableError) as caught:
        pullback(y)
    assert caught.value.argument == "axes"
