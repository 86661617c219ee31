"""Views of memory on JAX's arrays: what they read, and what is there after they are written."""

import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

from chainrules_programs.compiling.jax_memory import (  # noqa: E402
    Positions,
    Run,
    Slices,
    Sums,
    are_columns,
    new_memory,
    places_in,
    row_length,
    view_of,
)
from chainrules_programs.recording.errors import NotRecordedError  # noqa: E402

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


@pytest.mark.one_in(3)
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


ADDED = {
    "rows": (np.array([2, 0, 2]), 20),
    "entries of rows": ((np.array([2, 0, 2]), slice(1, 3)), 1),
    "numbers": ((np.array([2, 0, 2]), np.array([1, 1, 1]), np.array([4, 0, 4])), 1),
    "one row": (1, 20),
    "a part of a row": ((1, slice(2, 4)), 10),
}


@pytest.mark.parametrize(("index", "length"), list(ADDED.values()), ids=list(ADDED))
def test_sums_at_places_are_those_of_numpy(index, length):
    x, sums = memory(), Sums()
    entries = [np.random.default_rng(k).normal(size=x[index].shape) for k in range(2)]
    assert row_length(places_in(x, index).ravel(), x.size) == length
    for each in entries:
        sums.add(places_in(x, index), jnp.asarray(each))
    found = sums.added(jnp.asarray(memory()))
    for each in entries:
        np.add.at(x, index, each)
    assert np.array_equal(found, x)


def test_places_that_depend_on_numbers_are_not_known():
    assert places_in(memory(), (0, jnp.array([1, 2]))) is None
    assert row_length(np.array([1, 2, 3, 7, 8, 9]), 60) == 1  # as long as rows, but displaced
    assert row_length(np.array([0, 1, 2, 4, 5, 6]), 60) == 1
    assert row_length(np.array([], int), 60) == 1


COLUMNS = {
    "one": lambda x: x[:, 2],
    "two": lambda x: x[:, 1:3],
    "transposed": lambda x: x[:, 1:4].T,
    "a row of the transposed": lambda x: x.T[3],
    "with an axis": lambda x: x[:, None, 0],
}


@pytest.mark.parametrize("taken", list(COLUMNS.values()), ids=list(COLUMNS))
def test_sums_into_columns_are_those_of_numpy(taken):
    x = np.arange(24.0).reshape(6, 4).copy()  # of memory of its own
    view, mine = view_of(taken(x)), jnp.asarray(x)
    assert are_columns(view, mine)
    part = taken(x)
    entries = np.sin(np.arange(part.size)).reshape(part.shape)
    mine = view.added(mine, jnp.asarray(entries))
    part += entries
    assert np.array_equal(mine, x)


@pytest.mark.parametrize("taken", [lambda x: x[1:, 2], lambda x: x[:, ::2], lambda x: x[1:]])
def test_other_views_are_no_columns(taken):
    x = np.arange(24.0).reshape(6, 4).copy()  # of memory of its own
    assert not are_columns(view_of(taken(x)), jnp.asarray(x))
    wide = np.zeros((2, 40))
    assert not are_columns(view_of(wide[:, 3]), jnp.asarray(wide))
