"""What functions do to patterns: what nothing is missing from, and how little is too much."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array

import chainrules_tape.numpy as tnp
from chainrules_py.rulesets.entries.scatter import scatter_add
from chainrules_tape import grad, jacobian, sparsity, stop_gradient
from chainrules_tape.scipy import ndimage, signal

X = np.random.default_rng(3).uniform(0.5, 1.5, (3, 4))
INDEX = np.array([[0, 2], [2, 1]])
MATRIX = csr_array(np.eye(4, k=1) + 3.0 * np.eye(4, k=-2))

EXACT = {
    "elementwise": lambda x: np.sin(x) * x - x / 3.0,
    "broadcast": lambda x: x * x[:1] + x[:, :1],
    "reshape": lambda x: x.T.reshape(2, 6) ** 2,
    "roll": lambda x: np.roll(x, 1, axis=0) * x,
    "pad with zeros": lambda x: np.pad(x, 1) * 2.0,
    "concatenate": lambda x: np.concatenate([x, np.ones((1, 4)), x[:1]]),
    "index": lambda x: x[INDEX, 1] * x[0, 0],
    "mask": lambda x: x[x > 1.0] ** 2,
    "a row and an entry": lambda x: x[1, ..., 2] * x[2],
    "an axis more": lambda x: x[:, None, ::2] * x[..., :1, None],
    "slices of what differs by row": lambda x: np.sum(np.tril(x[:, :3])[1:], axis=0)[1:],
    "a list beside it": lambda x: np.concatenate([[1.0, 2.0], x[0], [3.0]]),
    "pad by edges": lambda x: np.pad(x, ((1, 0), (0, 2)), mode="edge"),
    "pad by a number": lambda x: np.pad(x, 1, constant_values=2.0),
    "take": lambda x: np.take(x, INDEX),
    "repeat": lambda x: np.repeat(x, 2, axis=1),
    "sum": lambda x: np.sum(x, axis=0) * x[0],
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
    "gradient": lambda x: np.gradient(x, axis=1) + np.gradient(x, 0.5, axis=0),
    "gradient, second order at edges": lambda x: np.gradient(x, edge_order=2, axis=0),
    "convolve": lambda x: np.convolve(x.ravel(), [1.0, 2.0, -3.0]),
    "convolve, valid": lambda x: np.convolve([1.0, 2.0, -3.0, 4.0, 5.0], x[0] * x[1], "valid"),
    "correlate by it": lambda x: np.correlate(np.arange(1.0, 8.0), x[0], "valid"),
    "kron": lambda x: np.kron(x, [1.0, 2.0]),
    "cross": lambda x: np.cross(x[:, :3], [1.0, 2.0, 3.0]),
    "trace": lambda x: np.diagonal(x) * 2.0,
    "filter along an axis": lambda x: ndimage.uniform_filter1d(x, 2, axis=0),
    "filter of both axes": lambda x: ndimage.uniform_filter(x, 2),
    "convolution by transforms": lambda x: signal.fftconvolve(x, [[1.0, 2.0]], "same"),
    "complex convolution": lambda x: np.imag(signal.convolve(x[0] * (1 + 2j), [1j, 2.0])),
    "its adjoint": lambda x: grad(lambda x: np.sum(signal.convolve(x[0], [1.0, 2.0]) ** 3))(x),
    "a number without axes": lambda x: tnp.asarray(np.sum(x[0, :2])) * x[0],
    "a product with a zero": lambda x: 0.0 * x + stop_gradient(x[::-1]),
    "beside what looks like entries": lambda x: np.concatenate(
        [x[0], np.arange(10.0), [np.nan, -1.0]]
    ),
    "a sparse matrix": lambda x: MATRIX @ x.T,
    "a sparse matrix, from the left": lambda x: (x @ MATRIX) ** 2,
    "vecdot": lambda x: np.vecdot(x, x[:1] ** 2),
    "outer": lambda x: np.outer(x[0], x[1]),
    "tensordot": lambda x: np.tensordot(x.reshape(3, 2, 2), np.ones((2, 2, 2))),
    "matmul of stacks": lambda x: x.reshape(3, 1, 2, 2) @ np.ones((2, 2, 3)),
    "dot of stacks": lambda x: np.dot(np.ones((2, 3)), x.reshape(2, 3, 2)),
    "inner": lambda x: np.inner(x, np.ones((2, 4))) * np.dot(x[0], x[1]),
    "einsum, implicit": lambda x: np.einsum("ij,jk", x, np.ones((4, 2))),
    "einsum, diagonal": lambda x: np.einsum("ii,i->i", x[:, :3], x[:, 3]),
    "einsum, stacks": lambda x: np.einsum("...i,...i->...", x.reshape(3, 1, 4), np.ones((2, 4))),
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


BY_TRANSFORMS = {"convolution by transforms", "its adjoint"}  # whose zeros are roundoff
# Those that unite both sides of a choice, and count a product with zero.
LARGER = {"where", "max", "a product with a zero"}


@pytest.mark.parametrize("name", EXACT)
def test_nothing_is_missing_and_nothing_said_to_be_dense(name):
    function = EXACT[name]
    found = sparsity(function, X)
    matrix = jacobian(function)(X).reshape(found.shape)
    if name in BY_TRANSFORMS:
        matrix = np.where(np.abs(matrix) > 1e-14 * np.max(np.abs(matrix)), matrix, 0.0)
    pattern = found.pattern.toarray()
    assert found.dense_because == ()
    assert not np.any((matrix != 0) & ~pattern)
    if name not in LARGER:
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


def test_what_is_not_known_is_dense_and_said():
    def unknown(x):
        return np.sort(x) + np.bincount([0, 1, 2, 3], x)

    found = sparsity(unknown, X[0])
    assert found.pattern.toarray().all()
    assert any("test_steps.py" in reason for reason in found.dense_because)
    assert any("bincount" in reason for reason in found.dense_because)


def test_no_warning_of_numbers_that_nobody_computes():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sparsity(lambda x: np.log(x) / x + np.sqrt(x), np.ones(3))


@pytest.mark.parametrize("kernel", [[0.0, 0.0, 1.0], [0.0, 1.0, -1.0]])
@pytest.mark.parametrize("convolve", [np.convolve, signal.convolve, signal.fftconvolve])
def test_which_factors_are_zero_makes_no_difference(kernel, convolve):
    found = sparsity(lambda x: convolve(x, kernel), np.ones(6))
    assert found.pattern.nnz == 18
    assert found.directions == 3


def test_a_convolution_of_any_length_is_a_band():
    found = sparsity(lambda x: np.convolve(x, [1.0, -2.0, 1.0], "same") + x**2, np.ones(100_000))
    assert found.pattern.nnz == 299_998
    assert found.directions == 3
