"""Lists of traced values in the place of arrays, in the functions of chainrules_tape.numpy."""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import LostGradientError, grad, jacobian

X = np.array([0.5, -1.5, 2.0])
A = np.arange(6.0).reshape(2, 3)

WITH_LISTS = {
    "mean": lambda np, x: np.mean([x[0], x[1] * x[2]]),
    "sum over an axis": lambda np, x: np.sum([x, 2 * x * x], axis=0),
    "by keyword": lambda np, x: np.sum(a=[x[0], x[2]]),
    "a tuple": lambda np, x: np.prod((x[0], x[1], 3.0)),
    "std": lambda np, x: np.std([x[0], x[1]]),
    "max": lambda np, x: np.max([x[0], x[1]]),
    "dot": lambda np, x: np.dot(A, [x[0], 1.0, x[2]]),
    "outer": lambda np, x: np.outer([x[0], x[1]], [x[2], 2.0]),
    "einsum": lambda np, x: np.einsum("ij,j->i", A, [x[0], x[1], 1.0]),
    "diag": lambda np, x: np.diag([x[0], x[1]]),
    "append": lambda np, x: np.append([x[0], 1.0], x[1]),
    "reshape": lambda np, x: np.reshape([x[0], x[1], 1.0, x[2]], (2, 2)),
    "transpose": lambda np, x: np.transpose([[x[0], x[1]], [x[2], 1.0]], [1, 0]),
    "cumsum": lambda np, x: np.cumsum([x[0], x[1]]),
    "where": lambda np, x: np.where([True, False], [x[0], x[1]], [x[2], 1.0]),
    "meshgrid": lambda np, x: np.meshgrid([x[0], 1.0], [1.0, 2.0])[0],
    "interp": lambda np, x: np.interp([0.25, 0.5], [0.0, 1.0], [x[0], x[1]]),
    "lists of lists, joined": lambda np, x: np.concatenate([[x[0], 1.0], [x[1]], A[0]]),
    "lists of lists, one below the other": lambda np, x: np.vstack([[x[0], 1.0, x[2]], A]),
    "lists of lists, side by side": lambda np, x: np.column_stack([[x[0], x[1]], A[:, 0]]),
    "lists of lists, stacked": lambda np, x: np.stack([[x[0], x[1]], (1.0, 2.0)]),
    "joined by keyword": lambda np, x: np.stack(arrays=[x, 2.0 * x], axis=1),
    "norm": lambda np, x: np.linalg.norm([x[0], x[1]]),
    "det": lambda np, x: np.linalg.det([[x[0], 1.0], [2.0, x[1]]]),
    "solve": lambda np, x: np.linalg.solve([[x[0], 1.0], [2.0, 3.0]], [x[1], 1.0]),
    "slogdet": lambda np, x: np.linalg.slogdet([[x[0], 1.0], [0.0, x[2]]])[1],
    "block, whose lists are none": lambda np, x: np.block([[x[0], x[1]], [1.0, x[2]]]),
    "multi_dot": lambda np, x: np.linalg.multi_dot([[x[0], 1.0], A, x]),
    "fft": lambda np, x: np.fft.rfft([x[0], x[1], 1.0]).real,
    "sorted by several keys": lambda np, x: (x * x)[np.lexsort([[x[0], 1.0, x[0]], x])],
    "sorted by a tuple of keys": lambda np, x: (x * x)[np.lexsort((A[0], x))],
}


@pytest.mark.parametrize("f", WITH_LISTS.values(), ids=list(WITH_LISTS))
def test_lists_of_traced_values_are_arrays(f):
    h = 1e-6
    expected = np.stack(
        [(f(np, X + h * e) - f(np, X - h * e)) / (2 * h) for e in np.eye(3)], axis=-1
    )
    for mode in ("forward", "reverse"):
        np.testing.assert_allclose(jacobian(lambda x: f(tnp, x), mode=mode)(X), expected, atol=1e-7)
    np.testing.assert_array_equal(f(tnp, X), f(np, X))


def test_second_order():
    # of the function (x^2 + 4)^2
    assert grad(grad(lambda x: tnp.linalg.norm([x, 2.0]) ** 4))(1.0) == pytest.approx(12 + 16)


def test_a_comparison_of_lists_is_one_of_their_values():
    # NumPy's array_equal catches the error of a conversion, and says no.
    assert grad(lambda x: x * tnp.array_equal([x, 1.0], [3.0, 1.0]))(3.0) == 1.0


def test_plain_numpy_refuses_and_names_this_module():
    with pytest.raises(LostGradientError) as caught:
        grad(lambda x: np.mean([x, 2.0 * x]))(1.0)
    assert "chainrules_tape.numpy" in caught.value.instead


def test_plain_calls_are_numpys():
    assert tnp.sum([1, 2]).dtype == np.sum([1, 2]).dtype
    np.testing.assert_array_equal(tnp.apply_along_axis(sum, 0, [[1, 2], [3, 4]]), [4, 6])
    with pytest.raises(TypeError):
        tnp.concatenate()


@pytest.mark.parametrize("name", ["stack", "concatenate", "hstack", "vstack"])
def test_a_generator_of_arrays(name):
    of_generator, of_list = getattr(tnp, name), getattr(np, name)
    np.testing.assert_array_equal(
        of_generator(k * X for k in range(3)), of_list([k * X for k in range(3)])
    )
    found = jacobian(lambda x: of_generator(k * x for k in range(3)))(X)
    np.testing.assert_array_equal(found, jacobian(lambda x: of_list([k * x for k in range(3)]))(X))
