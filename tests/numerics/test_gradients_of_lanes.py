"""Derivatives of a `vmap` where its rules choose by values: each lane has those of its own call.

At these points values are tied, coefficients are zero, or a place is on the border of a table.
"""

import numpy as np
import pytest

import chainrules_tape as ct
from chainrules_py.errors import BatchingError

TIED = np.array([[1.0, 2.0, 2.0, 3.0], [5.0, 1.0, 3.0, 1.0]])
OTHERS = np.array([[2.0, 3.0, 7.0], [1.0, 3.0, 9.0]])
ZERO_IN_FRONT = np.array([[0.0, 1.0, 2.0], [0.0, 3.0, 4.0]])
ZERO_BEHIND = ZERO_IN_FRONT[:, ::-1].copy()
FACTORS = np.array([[3.0, 4.0, 1.0], [5.0, 6.0, 2.0]])
SAMPLES = np.random.default_rng(0).normal(size=(2, 3, 5))
WEIGHTS = np.random.default_rng(1).uniform(0.5, 1.5, (2, 5))
POINTS, HEIGHTS = np.array([1.0, 2.0, 3.0]), np.array([[0.5, -1.0, 2.0], [3.0, 1.5, -0.5]])

CALLS = {
    "unique": (np.unique, TIED),
    "unique, with counts": (lambda x: np.unique(x, return_counts=True)[0], TIED),
    "union": (np.union1d, TIED, OTHERS),
    "intersection": (np.intersect1d, TIED, OTHERS),
    "exclusive or": (np.setxor1d, TIED, OTHERS),
    "difference": (np.setdiff1d, TIED, OTHERS[:, 1:]),
    "intersection with constants": (
        lambda x: np.intersect1d(x, np.array([3.0, 8.0, 0.0])),
        np.array([[2.0, 3.0], [3.0, 9.0]]),
    ),
    "intersection with ties that are not in all lanes": (
        lambda x: np.intersect1d(x, np.array([2.0, 4.0])),
        np.array([[1.0, 2.0, 2.0, 5.0], [3.0, 4.0, 6.0, 4.5]]),
    ),
    "difference, repeats said to be unique": (
        lambda x, y: np.setdiff1d(x, y, assume_unique=True),
        np.array([[1.0, 2.0, 2.0, 5.0], [3.0, 4.0, 4.0, 1.0]]),
        np.array([[1.0, 7.0], [3.0, 9.0]]),
    ),
    "intersection that is empty": (np.intersect1d, TIED, OTHERS + 10.0),
    "product, zero in front": (np.polymul, ZERO_IN_FRONT, FACTORS),
    "product, zero in front of the second": (np.polymul, FACTORS, ZERO_IN_FRONT),
    "quotient, zero in front": (lambda u, v: np.polydiv(u, v)[0], ZERO_BEHIND, FACTORS[:, :2]),
    "roots, zero in front": (np.roots, ZERO_IN_FRONT),
    "roots, zero behind": (np.roots, ZERO_BEHIND),
    "covariance with weights": (lambda x, w: np.cov(x, aweights=w), SAMPLES, WEIGHTS),
    "weights alone": (lambda w: np.cov(SAMPLES[0], aweights=w), WEIGHTS),
    "table, at its ends": (lambda x, f: np.interp(x, POINTS, f), TIED, HEIGHTS),
    "points, at their ends": (
        lambda x, points: np.interp(x, points, HEIGHTS[0]),
        TIED,
        np.stack([POINTS, POINTS]),
    ),
}


INFINITE = np.array([[1.0, np.inf, 3.0], [2.0, 1.0, 0.5]])
PLACES = np.array([[0.0, 0.5, 1.0, 1.5, 2.0, 3.0], [0.3, 0.5, 1.0, 1.2, 2.0, -1.0]])
SIGNALS = np.array([[1.0, np.inf, 3.0, 0.0], [2.0, 1.0, np.inf, np.inf], [np.inf, 1.0, 0, -np.inf]])
FILTERS = np.array([[1.0, 2.0], [0.0, 1.0], [3.0, 4.0]])
# infinities stay where they are in values and in gradients, and decide for no other lane
CALLS |= {
    "table, infinite": (lambda x, f: np.interp(x, np.arange(3.0), f), PLACES, INFINITE),
    "ends, infinite": (
        lambda x, f: np.interp(x, np.arange(3.0), f, left=-np.inf, right=np.nan),
        PLACES,
        INFINITE,
    ),
    "points, infinite": (
        lambda x, points: np.interp(x, points, np.arange(3.0)),
        PLACES,
        np.array([[0.0, 1.0, np.inf], [-np.inf, 1.0, 2.0]]),
    ),
} | {
    f"{function.__name__}, {mode}": (
        lambda a, v, function=function, mode=mode: function(a, v, mode),
        SIGNALS,
        FILTERS,
    )
    for function in (np.convolve, np.correlate)
    for mode in ("full", "same", "valid")
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_values_and_gradients_of_each_lane(name):
    f, *args = CALLS[name]

    def bars(*own):
        return ct.grad(lambda *a: np.sum(np.real(np.sin(f(*a)))), tuple(range(len(args))))(*own)

    for compute in (lambda *own: [f(*own)], bars):
        expected = [compute(*own) for own in zip(*args, strict=True)]
        for number, part in enumerate(ct.vmap(compute)(*args)):
            own = [each[number] for each in expected]
            np.testing.assert_allclose(part, own, rtol=1e-9, atol=1e-12)


DIFFERENT_NUMBERS = {
    "unique": (np.unique, np.array([[1.0, 2.0, 2.0], [3.0, 4.0, 5.0]])),
    "union1d": (np.union1d, TIED, np.array([[1.0], [2.0]])),
    "setdiff1d": (np.setdiff1d, TIED, np.array([[1.0], [2.0]])),
}


@pytest.mark.parametrize("name", DIFFERENT_NUMBERS)
def test_sets_of_different_sizes_are_refused_by_name(name):
    f, *args = DIFFERENT_NUMBERS[name]
    with pytest.raises(
        BatchingError, match=rf"numpy\.{name}\): results whose number of values differs"
    ):
        ct.vmap(f)(*args)


def test_cotangents_without_lanes_are_read_at_places_that_have_some():
    factors = np.arange(8.0).reshape(2, 2, 2)

    def counted(x, weights):
        return np.sum(np.histogramdd(x.T, 2, weights=weights)[0] * factors)

    bars = ct.grad(counted, (0, 1))

    found = ct.vmap(bars)(SAMPLES, WEIGHTS)
    for lane, own in enumerate(zip(SAMPLES, WEIGHTS, strict=True)):
        for part, expected in zip(found, bars(*own), strict=True):
            np.testing.assert_allclose(part[lane], expected)
