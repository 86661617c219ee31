"""What CuPy computes differently in some case: NumPy's numbers, from functions that have CuPy's
faults.
"""

import warnings

import numpy as np
import pytest

from chainrules_cupy import corrections

X = np.array([[1.0, np.nan, -3.0, 0.5], [2.0, 4.0, 7.0, np.nan]])


class AtFault:
    """NumPy, with the faults that CuPy 14.2 was seen to have."""

    def __getattr__(self, name):
        return getattr(np, name)

    def nanvar(self, a, ddof=0, **options):
        return np.nanvar(a, ddof=int(ddof), **options)

    def nanstd(self, a, ddof=0, **options):
        return np.nanstd(a, ddof=int(ddof), **options)

    def float_power(self, x1, x2):
        power = np.float_power(x1, x2)
        return np.where(x2 == 0, np.nan, power) if np.result_type(x1, x2) == np.complex64 else power


@pytest.mark.parametrize("options", [{"axis": 0}, {"axis": 1, "keepdims": True}, {}], ids=str)
@pytest.mark.parametrize("ddof", [0, 1.0, 0.5, 1.5])
@pytest.mark.parametrize("name", ["nanvar", "nanstd"])
def test_the_fraction_of_ddof_counts(name, ddof, options):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of more degrees of freedom than numbers
        expected = getattr(np, name)(X, ddof=ddof, **options)
        found = getattr(corrections, name)(AtFault(), X, ddof=ddof, **options)
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_nothing_to_the_power_of_nothing(dtype):
    x = np.array([0.0, 0.0, 2.0], dtype)
    found = corrections.float_power(AtFault(), x, x)
    assert found.dtype == np.float_power(x, x).dtype
    np.testing.assert_allclose(found, [1.0, 1.0, 4.0])
