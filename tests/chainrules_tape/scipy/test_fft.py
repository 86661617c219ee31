"""Functions of `scipy.fft` on traced values."""

import numpy as np
import pytest
from scipy import fft

from chainrules_tape import LostGradientError, grad
from chainrules_tape.scipy import fft as traced

X = np.array([0.3, -1.2, 2.0, 0.7])


def test_plain_values_get_scipys_answer():
    assert np.array_equal(traced.dct(X), fft.dct(X))
    assert traced.next_fast_len(13) == fft.next_fast_len(13)


def test_scipys_own_name_is_refused_with_the_import_to_write():
    with pytest.raises(LostGradientError, match=r"from chainrules_tape.scipy import fft"):
        grad(lambda x: np.sum(fft.dct(x)))(X)
