"""Programs that write into arrays, on many examples in lanes: each against the loop over them."""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py.errors import BatchingError
from chainrules_tape import grad, vmap
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
