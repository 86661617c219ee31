"""The commonest refusal begins with what to write instead, and what it says works."""

import pickle

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import LostGradientError, grad, vmap

X = np.array([0.3, 0.7])


# What a user writes, and the program with what is advised.
def as_objects(x):
    """The array of objects of two numbers."""
    made = np.empty(2, dtype=object)
    made[0], made[1] = x[0], x[1] ** 2
    return made


CALLS = {
    "array": (
        lambda x: np.sum(np.array([x[0], x[1] ** 2])),
        lambda x: np.sum(tnp.array([x[0], x[1] ** 2])),
    ),
    "asarray": (
        lambda x: np.sum(np.asarray(x) ** 2),
        lambda x: np.sum(tnp.asarray(x) ** 2),
    ),
    "full": (
        lambda x: np.sum(np.full(3, x[0])),
        lambda x: np.sum(tnp.full(3, x[0])),
    ),
    "a function of a list": (
        lambda x: np.sum([x[0], x[1] ** 2]),
        lambda x: tnp.sum([x[0], x[1] ** 2]),
    ),
    "a ufunc of a list": (
        lambda x: np.sum(np.square([x[0], x[1] ** 2])),
        lambda x: np.sum(np.square(tnp.array([x[0], x[1] ** 2]))),
    ),
    "of a submodule": (
        lambda x: np.sum(np.linalg.inv([[x[0], 1.0], [1.0, x[1]]])),
        lambda x: np.sum(tnp.linalg.inv([[x[0], 1.0], [1.0, x[1]]])),
    ),
    "without a rule": (
        lambda x: np.sum(np.asarray_chkfinite(x) ** 2),
        lambda x: np.sum(tnp.asarray_chkfinite(x) ** 2),
    ),
    "vectorize": (
        lambda x: np.sum(np.vectorize(lambda t: t**2)(x)),
        lambda x: np.sum(tnp.vectorize(lambda t: t**2)(x)),
    ),
    "r_": (
        lambda x: np.sum(np.r_[x, 1.0] ** 2),
        lambda x: np.sum(tnp.r_[x, 1.0] ** 2),
    ),
    "a method of a plain array": (
        lambda x: X.dot(x),
        lambda x: np.dot(X, x),
    ),
    "a method of what a call gave": (
        lambda x: np.ones(2).dot(x),
        lambda x: np.dot(np.ones(2), x),
    ),
    "a method of an array of objects": (
        lambda x: as_objects(x).mean(),
        lambda x: tnp.mean(as_objects(x)),
    ),
    "a number's class": (
        lambda x: np.float64(x[0]) ** 2,
        lambda x: x[0].astype(np.float64) ** 2,
    ),
}


def slope(f):
    step = 1e-6
    return np.array([(f(X + step * unit) - f(X - step * unit)) / (2 * step) for unit in np.eye(2)])


@pytest.mark.parametrize("name", CALLS)
def test_the_message_begins_with_what_to_write_instead(differentiate, name):
    written, _ = CALLS[name]
    with pytest.raises(LostGradientError) as caught:
        differentiate(written)
    assert str(caught.value).startswith("write chainrules_tape.numpy.array in place of numpy.array")


@pytest.mark.parametrize("name", CALLS)
def test_what_is_advised_works(name):
    written, right = CALLS[name]
    np.testing.assert_allclose(grad(right)(X), slope(written), rtol=1e-6)


def test_the_message_survives_pickling():
    with pytest.raises(LostGradientError) as caught:
        grad(CALLS["array"][0])(X)
    error = caught.value
    error.value = error.__dict__["value"] = None
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


TABLE = np.arange(12.0).reshape(4, 3)
POSITIONS = np.array([[1, 0], [3, 3]])


def test_rows_of_a_plain_array_that_differ_from_lane_to_lane():
    with pytest.raises(LostGradientError, match=r"take\(a, k, axis=0\) for a\[k\]"):
        vmap(lambda k: TABLE[k])(POSITIONS)
    found = vmap(lambda k: tnp.take(TABLE, k, axis=0))(POSITIONS)
    np.testing.assert_array_equal(found, TABLE[POSITIONS])
