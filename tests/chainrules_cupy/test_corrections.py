"""What CuPy computes differently in some case: NumPy's numbers, from functions that have CuPy's
faults.
"""

import warnings

import numpy as np
import pytest

from chainrules_cupy import corrections

X = np.array([[1.0, np.nan, -3.0, 0.5], [2.0, 4.0, 7.0, np.nan]])
ROWS = np.array([[1.0, 2.0, -1.0, 0.5, 3.0], [0.0, 1.5, 2.0, -2.0, 1.0]])
COUNTS, WEIGHTS = np.array([1, 2, 1, 3, 1]), np.array([0.5, 1.0, 2.0, 1.0, 0.3])


class AtFault:
    """NumPy, with the faults that CuPy 14.2 was seen to have."""

    def __getattr__(self, name):
        return getattr(np, name)

    def nanvar(self, a, ddof=0, **options):
        return np.nanvar(a, ddof=int(ddof), **options)

    def nanstd(self, a, ddof=0, **options):
        return np.nanstd(a, ddof=int(ddof), **options)

    def polyfit(self, x, y, deg, w=None):
        found = np.polyfit(x, y, deg, w=w)
        y *= 1 if w is None else w
        return found

    def float_power(self, x1, x2):
        power = np.float_power(x1, x2)
        return np.where(x2 == 0, np.nan, power) if np.result_type(x1, x2) == np.complex64 else power

    def cov(self, m, y=None, **options):
        if options.get("fweights") is not None or options.get("aweights") is not None:
            raise AssertionError("the plain means are taken off the rows")
        return np.cov(m, y, **options)


@pytest.mark.parametrize("options", [{"axis": 0}, {"axis": 1, "keepdims": True}, {}], ids=str)
@pytest.mark.parametrize("ddof", [0, 1.0, 0.5, 1.5])
@pytest.mark.parametrize("name", ["nanvar", "nanstd"])
def test_the_fraction_of_ddof_counts(name, ddof, options):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of more degrees of freedom than numbers
        expected = getattr(np, name)(X, ddof=ddof, **options)
        found = getattr(corrections, name)(AtFault(), X, ddof=ddof, **options)
    np.testing.assert_allclose(found, expected)


WEIGHTED = [
    {"fweights": COUNTS},
    {"aweights": WEIGHTS},
    {"aweights": WEIGHTS, "bias": True},
    {"fweights": COUNTS, "aweights": WEIGHTS, "ddof": 2},
]


@pytest.mark.parametrize(
    "options", [{}, {"bias": True}, {"ddof": 2}, *WEIGHTED], ids=lambda options: "-".join(options)
)
def test_weighted_means_are_taken_off(options):
    for args in ((ROWS,), (ROWS, 2 * ROWS[0]), (ROWS + 1j * ROWS[::-1], ROWS), (ROWS[0],)):
        np.testing.assert_allclose(
            corrections.cov(AtFault(), *args, **options), np.cov(*args, **options), atol=1e-15
        )
    columns = (ROWS.T, ROWS[::-1].T.astype("float32"))
    expected = np.cov(*columns, rowvar=False, **options)
    np.testing.assert_allclose(
        corrections.cov(AtFault(), *columns, rowvar=False, **options), expected, atol=1e-15
    )


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_the_values_of_a_fit_are_not_overwritten(weights):
    x, y = np.linspace(-1, 1, 5), ROWS[0].copy()
    np.testing.assert_allclose(
        corrections.polyfit(AtFault(), x, y, 1, w=weights), np.polyfit(x, ROWS[0], 1, w=weights)
    )
    np.testing.assert_array_equal(y, ROWS[0])


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_nothing_to_the_power_of_nothing(dtype):
    x = np.array([0.0, 0.0, 2.0], dtype)
    found = corrections.float_power(AtFault(), x, x)
    assert found.dtype == np.float_power(x, x).dtype
    np.testing.assert_allclose(found, [1.0, 1.0, 4.0])
