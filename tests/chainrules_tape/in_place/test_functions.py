"""Functions that write their result into an array by ``out=``: of its shape, or of one that NumPy
broadcasts into it.
"""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py import rrule
from chainrules_tape import InPlaceError, grad, hvp, jvp, primitive, vmap

X, WEIGHTS = np.array([0.3, 0.7]), np.arange(6.0).reshape(3, 2)

LARGER = {
    "unary": lambda x, out: np.sin(x, out=out),
    "binary": lambda x, out: np.multiply(x, x, out=out),
    "by position": lambda x, out: np.add(x, 2.0, out),
    "in a tuple": lambda x, out: np.add(x, x, out=(out,)),
    "of a number": lambda x, out: np.multiply(x[0], x[1], out=out),
    "under a mask": lambda x, out: np.add(x, x * x, out=out, where=np.array([True, False])),
    "a method": lambda x, out: x.clip(0.0, 0.5, out=out),
    "a product": lambda x, out: np.matmul(np.array([[1.0, 2.0], [3.0, 4.0]]), x, out=out),
    "a table": lambda x, out: np.multiply.outer(x[:1], x, out=out),
    "two results": lambda x, out: np.modf(3.0 * x, out=(out, None)),
    "into a part": lambda x, out: np.exp(x[:1], out=out[1]),
    "into the transpose": lambda x, out: np.square(x[:1], out=out.T),
}


@pytest.mark.parametrize("name", LARGER)
@pytest.mark.parametrize("is_buffer", [True, False], ids=["a buffer", "a traced array"])
def test_results_are_broadcast_into_larger_arrays(name, is_buffer):
    def f(x, zeros=np.zeros):
        out = zeros((3, 2)) if is_buffer else x * np.ones((3, 2))
        LARGER[name](x, out)
        return np.sum(out**2 * WEIGHTS) + np.sum(out[0] * x)

    def traced(x):
        return f(x, tnp.zeros)

    h = 1e-6
    expected = np.array([(f(X + h * e) - f(X - h * e)) / (2 * h) for e in np.eye(2)])
    slopes = np.array(
        [(grad(traced)(X + h * e) - grad(traced)(X - h * e)) / (2 * h) for e in np.eye(2)]
    )
    assert traced(X) == f(X)
    np.testing.assert_allclose(grad(traced)(X), expected, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(jvp(traced, (X,), (np.ones(2),))[1], np.sum(expected), rtol=1e-7)
    np.testing.assert_allclose(
        hvp(traced, X, np.array([1.0, -2.0])), slopes @ [1.0, -2.0], rtol=1e-7, atol=1e-8
    )


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


def test_plain_numbers_under_a_mask_go_into_traced_memory():
    def f(x):
        y = x * x
        np.log(np.array([1.0, 0.0]), out=y, where=np.array([True, False]))
        return np.sum(y)

    assert grad(f)(X).tolist() == [0.0, 1.4]


METHODS = {
    "clip": lambda v: v.clip(0.0, 0.9, out=v),
    "cumsum": lambda v: v.cumsum(out=v),
    "cumprod": lambda v: v.cumprod(out=v),
    "take": lambda v: v.take([1, 1], out=v),
    "compress": lambda v: v.compress([False, True], out=v[:1]),
    "sum": lambda v: np.stack([v, v * v]).sum(axis=0, out=v),
    "sum of what was written": lambda v: written(v * [[1.0], [2.0]]).sum(axis=0, out=v),
    "mean": lambda v: written(v * [[1.0], [2.0]]).mean(axis=0, out=v),
    "max": lambda v: written(v * [[1.0], [2.0]]).max(axis=0, out=v),
    "dot": lambda v: written(v * [[1.0], [2.0]]).dot(v, out=v),
    "std": lambda v: written(v * [[1.0], [2.0]]).std(axis=0, out=v),
    "round": lambda v: v.round(1, out=v),
}


def written(a):
    a[0, 0] *= 2
    return a


@pytest.mark.parametrize("name", METHODS)
def test_methods_of_written_arrays_write_into_out(name):
    def f(x):
        v = x * x
        v[0] = 3 * x[1]
        METHODS[name](v)
        return np.sum(v * [1.0, 10.0])

    h = 1e-6
    wanted = np.array([(f(X + h * e) - f(X - h * e)) / (2 * h) for e in np.eye(2)])
    found = {
        "reverse": grad(f)(X),
        "forward": np.array([jvp(f, (X,), (e,))[1] for e in np.eye(2)]),
        "in lanes": vmap(grad(f))(X[None])[0],
    }
    for mode, derivative in found.items():
        np.testing.assert_allclose(derivative, wanted, rtol=1e-7, atol=1e-8, err_msg=mode)
    np.testing.assert_allclose(vmap(f)(np.stack([X, X[::-1]])), [f(X), f(X[::-1])])


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


def test_concatenating_an_array_where_it_is_and_copies_of_others():
    def f(x):
        v = x * x
        np.concatenate([v[:1], v[:1].copy()], out=v)
        v.flat = v
        return np.sum(v * [1.0, 10.0])

    np.testing.assert_allclose(grad(f)(X), [2 * X[0] * 11.0, 0.0])


def test_rules_that_write_into_an_object_are_refused():
    @primitive
    def replace(holder, value):
        holder[0] = value

    @rrule.register(replace, overwrites="holder")
    def replace_rrule(holder, value):
        return holder, lambda holder_bar: (holder_bar, holder_bar[0])

    with pytest.raises(InPlaceError, match=r"a list to write into.*the array in it"):
        grad(lambda x: replace([x, x], x[0]))(X)
