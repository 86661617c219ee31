"""Buffers: what operations make of them takes traced values, too, and plain numbers in them are
given as copies.
"""

import pickle

import numpy as np
import pytest
from numpy import nditer as an_alias

import chainrules_tape.numpy as tnp
from chainrules_tape import InPlaceError, LostGradientError, grad

X = np.array([0.5, -1.5, 2.0])
A = np.arange(9.0).reshape(3, 3) + 4.0 * np.eye(3)
MADE = {
    "times": lambda zeros, array: zeros(3) * np.nan,
    "times from the left": lambda zeros, array: 2.0 * zeros(3),
    "a plain array from the left": lambda zeros, array: X + zeros(3),
    "negative": lambda zeros, array: -zeros(3),
    "by a ufunc": lambda zeros, array: np.multiply(zeros(3), -1.0),
    "by a function": lambda zeros, array: np.linalg.solve(array(A), X),
    "one of several": lambda zeros, array: np.linalg.eigh(array(A + A.T)).eigenvalues,
    "by a method": lambda zeros, array: array(A).sum(axis=0),
    "of two": lambda zeros, array: array(A) @ array(X),
}


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_results_are_filled_with_traced_values(made):
    def f(x, *makers):
        y = made(*makers)
        y[:] = 1.0
        y[1] = x * x
        return np.sum(y)

    assert grad(f)(3.0, tnp.zeros, tnp.array) == 6.0
    assert type(made(tnp.zeros, tnp.array)) is np.ndarray
    with pytest.raises(InPlaceError):
        grad(f)(3.0, np.zeros, np.array)


def entry_written(x, make):
    y = make(x)
    y[0] = x[0]
    return np.sum(y[0] * x)


def augmented(x, make):
    y = make(x)
    y += x
    return np.sum(y)


@pytest.mark.parametrize("name", ["zeros_like", "ones_like", "empty_like"])
def test_arrays_like_a_traced_one_are_plain_and_the_error_says_what_to_write(name):
    for f in (entry_written, augmented):
        with pytest.raises(InPlaceError, match=r"chainrules_tape.numpy.*zeros_like"):
            grad(f)(X, getattr(np, name))
    np.testing.assert_allclose(
        grad(entry_written)(X, getattr(tnp, name)), X[0] + np.sum(X) * np.eye(3)[0]
    )
    np.testing.assert_array_equal(grad(augmented)(X, getattr(tnp, name)), 1.0)


def test_what_is_the_callers_stays_so():
    mine = X.copy()

    def f(x):
        for same in (
            np.atleast_1d(mine, tnp.zeros(3))[0],
            np.broadcast_arrays(mine, tnp.zeros(3))[0],
            tnp.array(A).dot(X, mine),
        ):
            assert np.shares_memory(same, mine)
            assert type(same) is np.ndarray
        return x

    grad(f)(3.0)
    np.testing.assert_array_equal(mine, A @ X)


def test_plain_numbers_in_a_buffer_are_given_as_copies():
    y = tnp.array([[2.5]])
    assert (float(y[0, 0]), y.item(), y.tolist(), y.tobytes()) == (
        2.5,
        2.5,
        [[2.5]],
        np.array(2.5).tobytes(),
    )
    assert float(tnp.array(2.5)) == complex(tnp.array(2.5)) == 2.5
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(y)), [[2.5]])
    with pytest.raises(LostGradientError, match="a buffer"):
        y.view(np.int64)
    assert not hasattr(y, "ctypes")


@pytest.mark.parametrize(
    "iterator", ["ndenumerate", "nditer", "an_alias", "many_lines", "without_source"]
)
def test_what_would_go_over_a_copy_while_the_array_is_written_to_is_refused(iterator):
    def running_total(x):
        made, total = tnp.zeros(3), 0.0
        for i, value in enumerate(entries(made)):
            made[min(i + 1, 2)] = x * (i + 1.0)
            total = total + float(value)
        return total

    def entries(made):
        if iterator == "ndenumerate":
            return (value for _, value in np.ndenumerate(made))
        if iterator == "nditer":
            return np.nditer(made)
        if iterator == "an_alias":
            return an_alias(made, flags=["c_index"])
        if iterator == "many_lines":
            return np.nditer(
                # not None, with which NumPy 2.2 crashes where an operand raises
                [made, np.zeros(3)],
                op_flags=[["readonly"], ["readonly"]],
            )
        scope = {"np": np}
        exec(compile("def over(x): return np.nditer(x)", "<nowhere>", "exec"), scope)
        return scope["over"](made)

    # NumPy's nditer has its own
    with pytest.raises(LostGradientError if iterator == "ndenumerate" else TypeError) as caught:
        grad(running_total)(2.0)
    assert "numpy.ndindex(x.shape)" in "".join(
        [str(caught.value), *getattr(caught.value, "__notes__", ())]
    )
