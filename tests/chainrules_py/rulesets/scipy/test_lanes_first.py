"""SciPy's functions, and their adjoints, for many examples at once."""

import numpy as np
import pytest
from scipy import fft, ndimage, signal

from chainrules_py import batched
from chainrules_tape import vjp, vmap
from chainrules_tape.core.levels import call

CALLS = [
    (fft.dct, {"type": 2, "axis": 0}),
    (ndimage.gaussian_filter, {"sigma": (0.7, 1.1), "mode": "wrap"}),
    (signal.detrend, {"axis": 0}),
]


@pytest.mark.parametrize(("primal", "options"), CALLS)
def test_adjoints_are_those_of_each_lane(primal, options):
    rng = np.random.default_rng(1)
    x, y_bar = rng.standard_normal((7, 5, 4)), rng.standard_normal((7, 5, 4))

    def pulled(x, y_bar):
        return vjp(lambda x: call(primal, (x,), options), x)[1](y_bar)[0]

    together = vmap(pulled)(x, y_bar)
    one_by_one = [pulled(*each) for each in zip(x, y_bar, strict=True)]
    np.testing.assert_allclose(together, one_by_one, rtol=1e-10, atol=1e-12)


def test_a_nan_stays_in_its_lane():
    x = np.random.default_rng(2).standard_normal((3, 4, 5))
    x[1] = np.nan
    for primal, options in CALLS[1:2]:
        y = batched(primal, (True,), x, **options)
        assert np.isfinite(y[[0, 2]]).all()
        assert np.isnan(y[1]).all()
