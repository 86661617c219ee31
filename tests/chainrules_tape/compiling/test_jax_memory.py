"""Views of memory on JAX's arrays: what they read, and what is there after they are written."""

import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

from chainrules_recorder.errors import NotRecordedError  # noqa: E402
from chainrules_tape.compiling.jax_memory import (  # noqa: E402
    Positions,
    Run,
    Slices,
    new_memory,
    view_of,
)

VIEWS = {
    "all": (lambda x: x, Run),
    "rows": (lambda x: x[1:], Run),
    "one row": (lambda x: x[2], Run),
    "a number": (lambda x: x[1, 2, 3, ...], Run),
    "a column": (lambda x: x[:, :, 1], Slices),
    "every other": (lambda x: x[::2, :, 1::2], Slices),
    "transposed": (lambda x: x.T, Slices),
    "swapped": (lambda x: x[:, 1:3].swapaxes(0, 1), Slices),
    "with an axis": (lambda x: x[:, None, 1:, 2], Slices),
    "flat": (lambda x: x.ravel("K"), Run),
    "flat steps": (lambda x: x.ravel("K")[::7], Positions),
    "backwards": (lambda x: x[::-1], Positions),
    "a diagonal": (lambda x: np.diagonal(x), Positions),
    "empty": (lambda x: x[3:], Run),
}


@pytest.fixture(autouse=True)
def double_precision():
    with jax.enable_x64(True):
        yield


def memory():
    return np.arange(60.0).reshape(3, 4, 5)


@pytest.mark.parametrize("taken", list(VIEWS.values()), ids=list(VIEWS))
@pytest.mark.parametrize("order", ["C", "F"])
def test_views_are_read_and_written_as_numpy_does(taken, order):
    view, kind = taken
    x = np.array(memory(), order=order)
    place = view_of(view(x))
    assert order == "F" or isinstance(place, kind | Positions if view(x).size == 0 else kind)
    mine = new_memory(x, jnp.asarray(x))
    assert np.array_equal(place.read(mine), view(x))
    part = view(x)
    entries = -1.0 - np.arange(part.size).reshape(part.shape)
    mine = place.written(mine, jnp.asarray(entries))
    if not part.flags.writeable:
        part.flags.writeable = True
    part[...] = entries
    assert np.array_equal(view_of(x).read(mine), x)


def test_views_of_another_type_are_refused():
    with pytest.raises(NotRecordedError):
        view_of(np.zeros(3, complex).real)
