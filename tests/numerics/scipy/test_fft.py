"""scipy.fft: axes of discrete cosine transforms, in every form."""

import numpy as np
import pytest
from scipy import fft

from chainrules_py import rrule


@pytest.mark.parametrize("axes", [np.int64(1), [0], (0, 1), None])
def test_axes_of_cosine_transforms(axes):
    x, y_bar = np.random.default_rng(0).normal(size=(2, 3, 4))
    (x_bar,) = rrule(fft.dctn, x, axes=axes)[1](y_bar)
    along = np.sum(y_bar * fft.dctn(x, axes=axes))
    np.testing.assert_allclose(np.sum(x_bar * x), along, rtol=1e-12)
