"""What a function does not select has a derivative of zero, whatever its tangent: infinite, or nan.

Each function is given a point at which its plain derivative (the columns of the Jacobian, by unit
tangents) tells which entries it does not use for which results. A tangent that is not finite there
gives what a tangent of zero gives.
"""

from typing import Any

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import jvp, vjp

BAD = [np.inf, -np.inf, np.nan]
X = np.array([[0.3, 2.0, -1.0, 0.7], [1.5, -0.4, 0.1, 0.9]])
MASK = np.array([[True, False, True, True], [False, True, True, False]])
SELECTING = {
    "where": lambda x: np.where(MASK, x, 2.0),
    "maximum": lambda x: np.maximum(x, 0.5),
    "minimum": lambda x: np.minimum(0.5, x),
    "maximum of two": lambda x: np.maximum(x, x[::-1]),
    "fmax": lambda x: np.fmax(x, 0.5),
    "clip": lambda x: np.clip(x, -0.5, 0.5),
    "clip by the argument": lambda x: np.clip(0.5, x, 1.0),
    "select": lambda x: np.select([MASK, ~MASK], [x, x**2]),
    "choose": lambda x: np.choose(MASK.astype(int), [x, 2.0 * np.ones_like(X)]),
    "piecewise": lambda x: tnp.piecewise(x, [x < 0.5, x >= 0.5], [lambda v: v, 3.0]),
    "max": lambda x: np.max(x, axis=1),
    "min": lambda x: np.min(x),
    "nanmax": lambda x: np.nanmax(x, axis=0),
    "max where": lambda x: np.max(x, axis=1, where=MASK, initial=-5.0),
    "sum where": lambda x: np.sum(x, where=MASK),
    "mean where": lambda x: np.mean(x, axis=1, where=MASK),
    "prod where": lambda x: np.prod(x, axis=1, where=MASK),
    "var where": lambda x: np.var(x, axis=1, where=MASK),
    "nansum": lambda x: np.nansum(np.where(MASK, x, np.nan)),
    "ptp": lambda x: np.ptp(x, axis=1),
    "median": lambda x: np.median(x[:, :3], axis=1),
    "median of four": lambda x: np.median(x, axis=1),
    "nanmedian": lambda x: np.nanmedian(x, axis=1),
    "quantile": lambda x: np.quantile(x, 0.4, axis=1),
    "quantile at an entry": lambda x: np.quantile(x[:, :3], 0.5, axis=1),
    "percentile, lower": lambda x: np.percentile(x, 40.0, axis=1, method="lower"),
    "sort": lambda x: np.sort(x, axis=1)[:, 1:3],
    "partition": lambda x: np.partition(x, 2, axis=1)[:, 2],
    "take": lambda x: np.take(x, [0, 5]),
    "take_along_axis": lambda x: np.take_along_axis(x, np.array([[1], [2]]), 1),
    "by a mask": lambda x: x[MASK],
    "diagonal": lambda x: np.diagonal(x),
    "trace": lambda x: np.trace(x),
    "maximum.accumulate": lambda x: np.maximum.accumulate(x, axis=1),
    "minimum.reduceat": lambda x: np.minimum.reduceat(x, [0, 2], axis=1),
    "interp": lambda x: np.interp(0.25, [0.0, 1.0, 2.0, 3.0], x[0]),
    "nan_to_num": lambda x: np.nan_to_num(np.where(MASK, x, np.nan)),
    "digitized": lambda x: np.heaviside(x, 0.5) * np.ones_like(X),
}


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    with np.errstate(all="ignore"):
        yield


def jacobian_at_x(f: Any) -> Any:
    """The matrix of a function at X, by unit tangents."""
    units = np.eye(X.size).reshape(X.size, *X.shape)
    return np.stack([np.ravel(jvp(f, (X,), (unit,))[1]) for unit in units], axis=1)


@pytest.mark.parametrize("name", SELECTING)
def test_a_tangent_of_what_is_not_selected_does_not_count(name: str) -> None:
    f = SELECTING[name]
    matrix, rng = jacobian_at_x(f), np.random.default_rng(0)
    assert (matrix == 0).any()
    for position in range(X.size):
        for bad in BAD:
            dot = rng.standard_normal(X.shape)
            dot.flat[position] = 0.0
            expected = np.ravel(jvp(f, (X,), (dot,))[1])
            dot.flat[position] = bad
            found, unused = np.ravel(jvp(f, (X,), (dot,))[1]), matrix[:, position] == 0
            np.testing.assert_array_equal(found[unused], expected[unused])


@pytest.mark.parametrize("name", SELECTING)
def test_a_cotangent_does_not_come_to_what_is_not_selected(name: str) -> None:
    f = SELECTING[name]
    y, pullback = vjp(f, X)
    matrix = jacobian_at_x(f)
    for position in range(np.size(y)):
        for bad in BAD:
            y_bar = np.zeros(np.shape(y))
            y_bar.flat[position] = bad
            found, unused = (
                np.ravel(pullback(y_bar if np.shape(y) else bad)[0]),
                matrix[position] == 0,
            )
            assert not found[unused].any()
