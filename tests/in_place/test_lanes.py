"""Programs that write into arrays, on many examples in lanes: each against the loop over them."""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py.errors import BatchingError
from chainrules_tape import grad, hessian, vmap
from chainrules_tape.refusals.errors import EscapedValueError, InPlaceError

LANES = 4
X = np.random.default_rng(0).normal(size=(LANES, 6))


def test_a_plain_array_takes_no_lanes():
    def stored(x):
        y = np.zeros(3)
        y[0] = x[0]
        return y

    with pytest.raises(InPlaceError, match=r"chainrules_tape\.numpy"):
        vmap(stored)(X)


def test_an_array_from_outside_has_no_lanes_afterwards():
    out = tnp.zeros(3)

    def kept(x):
        out[0] = x[0]
        return x

    vmap(kept)(X)
    with pytest.raises(EscapedValueError):
        out + 1


def test_read_only_views_stay_so():
    def into_broadcast(x):
        np.broadcast_to(x, (2, 6))[0] = 1.0

    with pytest.raises(ValueError, match="read-only"):
        vmap(into_broadcast)(X)


@pytest.mark.parametrize(
    "asked",
    [
        lambda x: x if x[0] > 0 else -x,
        lambda x: max(x) * x,
        lambda x: sorted(x)[0] * x,
        lambda x: x * (3.0 in x),
        lambda x: x * float(x[0]),
        lambda x: np.zeros(x[0].astype(int)),
        lambda x: x[x > 0] * 2,
        lambda x: x[0].item() * x,
    ],
)
@pytest.mark.parametrize("written", [False, True])
def test_what_differs_between_lanes_decides_nothing(asked, written):
    def program(x):
        if written:
            x[1] = 2.0
        return asked(x)

    with pytest.raises(BatchingError, match=r"numpy\.(where|take)"):
        vmap(program)(X)


IN_AN_ORDER = {
    "C": lambda x: np.reshape(x, (2, 3)),
    "F": lambda x: np.reshape(x, (2, 3)).T,
    "of a copy": lambda x: np.copy(np.reshape(x, (2, 3)), "F"),
    "K": lambda x: np.moveaxis(np.reshape(x, (1, 2, 3)), 0, 1),
}
LIKE = {
    "zeros": lambda a: tnp.zeros_like(a),
    "ones": lambda a: tnp.ones_like(a),
    "empty": lambda a: tnp.empty_like(a),
    "a number": lambda a: tnp.full_like(a, 0.5),
    "numbers that differ": lambda a: tnp.full_like(a, a.ravel()[0]),
    "another order": lambda a: tnp.full_like(a, a.ravel()[0], order="F"),
    "another shape": lambda a: tnp.full_like(a, 0.5, shape=(3, 2)),
}


@pytest.mark.parametrize("inside", [lambda f: f, lambda f: vmap(f)], ids=["once", "twice"])
@pytest.mark.parametrize("in_an_order", IN_AN_ORDER.values(), ids=IN_AN_ORDER)
@pytest.mark.parametrize("made_like", LIKE.values(), ids=LIKE)
def test_arrays_made_like_one_have_its_order(made_like, in_an_order, inside):
    """Whether a reshaped array is a view, into which a write goes, is a question of order."""

    def program(x):
        a = in_an_order(x)
        y = made_like(a)
        y[...] = np.reshape(a, y.shape)
        y.reshape(-1)[:1] *= -5.0
        return y * 1.0

    examples = X if inside(program) is program else np.stack([X, X + 1.0])
    flat = examples.reshape(-1, X.shape[1])
    expected = np.stack([program(x) for x in flat])
    found = vmap(inside(program))(examples.copy())
    np.testing.assert_array_equal(found.reshape(expected.shape), expected)


def test_a_number_in_lanes_is_no_sequence():
    with pytest.raises(TypeError, match="neither indexed nor iterated"):
        vmap(lambda x: list(x[0]))(X)


def test_classes_within_a_gradient():
    def says(x):
        assert isinstance(x, np.ndarray)
        assert isinstance(x[0], float)
        assert not isinstance(x[0], np.ndarray)
        return np.sum(x)

    vmap(says)(X)
    vmap(grad(says))(X)


@pytest.mark.parametrize("shape", [(2, 0), (0, 3), (2, 2, 0)])
def test_writes_where_there_are_no_entries_or_no_lanes(shape):
    def shifted(x):
        y = x * 1.0
        y[1:] = y[:-1]
        return np.sum(y)

    assert vmap(shifted)(np.ones(shape)).shape == shape[:1]
    assert vmap(grad(shifted))(np.ones(shape)).shape == shape


def test_ufuncs_write_where_a_mask_holds_that_chooses_other_counts_in_other_lanes():
    def f(x):
        w = x * 1.0
        np.multiply(w, x, out=w, where=w > 0)
        np.log(w, out=w, where=w > 0.1)
        return np.sum(w * w)

    def by_where(x):
        w = np.where(x > 0, x * x, x)
        w = np.where(w > 0.1, np.log(np.where(w > 0.1, w, 1.0)), w)
        return np.sum(w * w)

    x = np.array([[0.3, -0.9, 0.5], [0.3, -0.4, -1.0], [-1.0, -1.0, -1.0], [1.0, 2.0, 3.0]])
    with np.errstate(all="raise"):
        np.testing.assert_allclose(vmap(f)(x), [by_where(one) for one in x])
        for transform in (grad, hessian):
            expected = [transform(by_where)(one) for one in x]
            np.testing.assert_allclose(vmap(transform(f))(x), expected)
        expected = [grad(by_where)(one) for one in x]
        np.testing.assert_allclose(grad(lambda x: np.sum(vmap(f)(x)))(x), expected)


def test_a_plain_array_written_where_a_mask_with_lanes_holds_is_refused_with_the_buffer_to_make():
    def f(x, m):
        d = m.zeros(3)
        d[x > 0] = 1.0
        return np.sum(d * x)

    x = np.array([[0.3, -0.9, 0.5], [0.3, -0.4, -1.0]])
    for transform in (lambda f: f, grad):
        with pytest.raises(BatchingError, match=r"chainrules_tape\.numpy: zeros"):
            vmap(transform(lambda x: f(x, np)))(x)
    np.testing.assert_allclose(vmap(lambda x: f(x, tnp))(x), [f(one, np) for one in x])
