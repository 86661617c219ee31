"""What functions do to patterns: what nothing is missing from, and how little is too much."""

import warnings

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py.rulesets.entries.scatter import scatter_add
from chainrules_tape import jacobian, sparsity

X = np.random.default_rng(3).uniform(0.5, 1.5, (3, 4))
INDEX = np.array([[0, 2], [2, 1]])

EXACT = {
    "elementwise": lambda x: np.sin(x) * x - x / 3.0,
    "broadcast": lambda x: x * x[:1] + x[:, :1],
    "reshape": lambda x: x.T.reshape(2, 6) ** 2,
    "roll": lambda x: np.roll(x, 1, axis=0) * x,
    "flip": lambda x: np.flip(x, 1) - x,
    "pad with zeros": lambda x: np.pad(x, 1) * 2.0,
    "pad periodically": lambda x: np.pad(x, 2, mode="wrap") * 2.0,
    "concatenate": lambda x: np.concatenate([x, np.ones((1, 4)), x[:1]]),
    "stack": lambda x: np.stack([x[0], np.full(4, 7.0), x[1]], axis=1),
    "index": lambda x: x[INDEX, 1] * x[0, 0],
    "mask": lambda x: x[x > 1.0] ** 2,
    "a row and an entry": lambda x: x[1, ..., 2] * x[2],
    "an axis more": lambda x: x[:, None, ::2] * x[..., :1, None],
    "slices of what differs by row": lambda x: np.sum(np.tril(x[:, :3])[1:], axis=0)[1:],
    "transpose": lambda x: np.transpose(x)[1:] * 2.0,
    "swapaxes": lambda x: np.swapaxes(x, 0, 1) * np.moveaxis(x, 0, 1),
    "tile": lambda x: np.tile(x, (2, 1)),
    "broadcast_to": lambda x: np.broadcast_to(x[0], (2, 4)) * 1.0,
    "a list beside it": lambda x: np.concatenate([[1.0, 2.0], x[0], [3.0]]),
    "joined in other orders": lambda x: np.concatenate([x[1:], x[:1]], axis=0) * x,
    "pad by edges": lambda x: np.pad(x, ((1, 0), (0, 2)), mode="edge"),
    "pad by a number": lambda x: np.pad(x, 1, constant_values=2.0),
    "take": lambda x: np.take(x, INDEX),
    "repeat": lambda x: np.repeat(x, 2, axis=1),
    "tril": lambda x: np.tril(x) + np.triu(x, 1),
    "sum": lambda x: np.sum(x, axis=0) * x[0],
    "sum of all": lambda x: np.sum(x),
    "sum, two axes": lambda x: np.sum(x.reshape(3, 2, 2), axis=(0, 2)),
    "mean, keepdims": lambda x: np.mean(x, axis=1, keepdims=True),
    "prod": lambda x: np.prod(x, axis=-1),
    "diff": lambda x: np.diff(x, n=2, axis=1),
    "diff of rows": lambda x: np.diff(x, axis=0),
    "scatter": lambda x: scatter_add(x[0], index=np.array([1, 1, 0, 4]), shape=(6,), dtype=x.dtype),
    "where": lambda x: np.where(X > 1.0, x, np.flip(x)) * 1.0,
    "real": lambda x: np.real(x * (1 + 2j)),
    "matmul": lambda x: x @ np.ones((4, 2)),
    "max": lambda x: np.max(x, axis=0),
    "written": lambda x: written(x),
    "added at": lambda x: added_at(x),
}


def written(x):
    y = tnp.zeros((4, 4))
    y[1:] = x
    y[0, ::2] = x[0, :2] * x[1, :2]
    y[2] *= x[1]
    y[3, 0] = 1.0
    return y


def added_at(x):
    y = tnp.zeros(5)
    np.add.at(y, np.array([1, 1, 3, 1]), x[0])
    y[1:] += x[1]
    return y


@pytest.mark.parametrize("name", EXACT)
def test_nothing_is_missing_and_nothing_said_to_be_dense(name):
    function = EXACT[name]
    found = sparsity(function, X)
    matrix = jacobian(function)(X).reshape(found.shape)
    pattern = found.pattern.toarray()
    assert found.dense_because == ()
    assert not np.any((matrix != 0) & ~pattern)
    if name not in ("where", "max"):  # which unite both sides, whatever the values are
        np.testing.assert_array_equal(pattern, matrix != 0)


def test_both_sides_of_a_choice_count():
    found = sparsity(lambda x: np.where(x > 0, x, np.roll(x, 1)), np.ones(4)).pattern.toarray()
    np.testing.assert_array_equal(found, np.eye(4) + np.roll(np.eye(4), -1, axis=1) > 0)


def test_a_pad_that_computes_is_no_move():
    """Entries between the last one and zero are fractions of it: seen by their squares."""

    def ramp(x):
        return np.pad(x, 3, mode="linear_ramp")

    found = sparsity(ramp, X[0])
    assert not np.any((jacobian(ramp)(X[0]) != 0) & ~found.pattern.toarray())


def test_constants_are_not_entries_by_accident():
    """Numbers beside the entries look like the numbers of entries."""

    def beside(x):
        return np.concatenate([x, np.arange(10.0), np.array([np.nan, -1.0, 1e9])])

    found = sparsity(beside, np.ones(4)).pattern.toarray()
    np.testing.assert_array_equal(found[:4], np.eye(4, dtype=bool))
    assert not found[4:].any()


def test_what_is_not_known_is_dense_and_said():
    def unknown(x):
        return np.sort(x) + np.convolve(x, np.ones(3), mode="same")

    found = sparsity(unknown, X[0])
    assert found.pattern.toarray().all()
    assert any("test_steps.py" in reason for reason in found.dense_because)
    assert any("convolve" in reason for reason in found.dense_because)


def test_no_warning_of_numbers_that_nobody_computes():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sparsity(lambda x: np.log(x) / x + np.sqrt(x), np.ones(3))
