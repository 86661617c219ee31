"""Functions that write their result into an array by ``out=``: of its shape, or of one that NumPy
broadcasts into it.
"""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py import rrule
from chainrules_tape import InPlaceError, grad, jvp, primitive, vmap

X, WEIGHTS = np.array([0.3, 0.7]), np.arange(6.0).reshape(3, 2)


REFUSED = {
    "a sum": (lambda x, out: np.sum(x * WEIGHTS, axis=0, out=out), "wrong number of dimensions"),
    "a running sum": (lambda x, out: np.cumsum(x, out=out), "wrong size"),
    "a smaller array": (lambda x, out: np.add(np.ones((2, 3, 2)), x, out=out), "non-broadcastable"),
    "other lengths": (lambda x, out: np.add(x * np.ones((4, 1)), x[0], out=out), "broadcast"),
    "concatenate": (lambda x, out: np.concatenate([x], out=out), "wrong dimensionality"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_numpy_does_not_broadcast_raises_its_error(name):
    f, message = REFUSED[name]
    with pytest.raises(ValueError, match=message):
        f(X, np.zeros((3, 2)))
    with pytest.raises(ValueError, match=message):
        grad(lambda x: np.sum(f(x, tnp.zeros((3, 2)))))(X)


@pytest.mark.parametrize(
    "write",
    [
        lambda v: np.concatenate([v[1:], v[:1]], out=v),
        lambda v: np.stack([v[2:], v[:2]], out=v.reshape(2, 2)),
        lambda v: v.flat.__setitem__(slice(None), v[::-1]),
        lambda v: setattr(v, "flat", v[1:]),
    ],
    ids=["concatenate", "stack", "flat[:]", "flat"],
)
@pytest.mark.parametrize("is_written", [False, True])
def test_reading_what_numpy_overwrites_meanwhile_is_refused(write, is_written):
    """NumPy gives [2, 3, 4, 2] for the concatenation."""
    x = np.array([1.0, 2.0, 3.0, 4.0])

    def f(x):
        v = x * 1.0
        if is_written:
            v[0] = x[0]
        write(v)
        return np.sum(v)

    for derivative in (grad(f), lambda x: jvp(f, (x,), (x,)), lambda x: vmap(f)(x[None])):
        with pytest.raises(InPlaceError, match="reads while it writes") as caught:
            derivative(x)
        assert "copies" in caught.value.instead


def test_rules_that_write_into_an_object_are_refused():
    @primitive
    def replace(holder, value):
        holder[0] = value

    @rrule.register(replace, overwrites="holder")
    def replace_rrule(holder, value):
        return holder, lambda holder_bar: (holder_bar, holder_bar[0])

    with pytest.raises(InPlaceError, match=r"a list to write into.*the array in it"):
        grad(lambda x: replace([x, x], x[0]))(X)
