"""Statistics that leave out what is no number: derivatives are those of the entries that are left."""

import numpy as np
import pytest

from chainrules_tape import hessian, jacobian
from chainrules_tape.scipy import stats

WEIGHTS = np.linspace(0.5, 2.0, 6)
STATISTICS = {
    "gmean": {},
    "gmean with weights": {"weights": WEIGHTS},
    "hmean": {},
    "hmean with weights": {"weights": WEIGHTS},
    "pmean": {"p": 1.7},
    "sem": {"ddof": 0},
    "variation": {"ddof": 1},
    "moment": {"order": 3},
    "moment about a number": {"order": 2, "center": 0.4},
    "skew": {},
    "skew without bias": {"bias": False},
    "kurtosis": {},
    "kurtosis without bias": {"bias": False, "fisher": False},
    "zscore": {"ddof": 1},
    "entropy": {"base": 2.0},
}
ROW = np.array([0.3, 1.7, 0.9, 2.2, 1.1, 0.6])
AT = [0, 1, 3, 4, 5]
HOLED = np.array([*ROW[:2], np.nan, *ROW[3:]])


def omitting(name):
    """A statistic of a row that leaves out what is no number, and that of the others."""
    function, options = getattr(stats, name.partition(" ")[0]), STATISTICS[name]
    left = {key: value[AT] if key == "weights" else value for key, value in options.items()}

    def omitted(row):
        found = function(row, nan_policy="omit", **options)
        return found[np.array(AT)] if found.shape else found

    return omitted, lambda row: function(row, **left)


@pytest.mark.parametrize("name", STATISTICS)
def test_derivatives_are_those_of_the_entries_that_are_left(name):
    omitted, of_left = omitting(name)
    expected = jacobian(of_left)(ROW[AT])
    for mode in ("forward", "reverse"):
        found = jacobian(omitted, mode=mode)(HOLED)
        np.testing.assert_allclose(found[..., AT], expected, rtol=1e-12, atol=1e-14)
        assert not found[..., 2].any()


@pytest.mark.parametrize("name", STATISTICS)
def test_second_derivatives_too(name):
    omitted, of_left = omitting(name)
    found = hessian(lambda row: np.sum(omitted(row) ** 3))(HOLED)
    expected = hessian(lambda row: np.sum(of_left(row) ** 3))(ROW[AT])
    np.testing.assert_allclose(found[np.ix_(AT, AT)], expected, rtol=1e-10, atol=1e-12)
    assert not found[2].any()
    assert not found[:, 2].any()


def test_rows_of_an_array_lose_different_entries():
    rows = np.stack([ROW, ROW[::-1]])
    rows[0, 2] = rows[1, 4] = rows[1, 5] = np.nan
    found = jacobian(lambda x: stats.skew(x, axis=1, bias=False, nan_policy="omit"))(rows)
    for k, row in enumerate(rows):
        left = ~np.isnan(row)
        alone = jacobian(lambda x: stats.skew(x, bias=False))(row[left])
        np.testing.assert_allclose(found[k, k, left], alone, rtol=1e-12)
        assert not found[k, 1 - k].any()


def test_relative_entropy_leaves_out_what_either_lacks():
    p, q = HOLED, ROW[::-1].copy()
    q[4] = np.nan
    found = jacobian(lambda p, q: stats.entropy(p, q, nan_policy="omit"), argnums=(0, 1))(p, q)
    left = [0, 1, 3, 5]
    expected = jacobian(stats.entropy, argnums=(0, 1))(p[left], q[left])
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one[left], other, rtol=1e-12)
        assert not one[[2, 4]].any()


def test_raising_is_scipys():
    with pytest.raises(ValueError, match="nan"):
        jacobian(lambda x: stats.skew(x, nan_policy="raise"))(HOLED)
    found = jacobian(lambda x: stats.skew(x, nan_policy="raise"))(ROW)
    assert np.array_equal(found, jacobian(stats.skew)(ROW))
