"""chainrules_tape.numpy is NumPy, and differentiates what NumPy does not hand over."""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import LostGradientError, grad, jacobian, jvp


def test_other_names_are_numpy_itself():
    names = [name for name in dir(np) if not name.startswith("_") and name not in ("core", "char", "rec", "f2py", "matlib")]
    same = {name for name in names if getattr(tnp, name) is getattr(np, name)}
    assert {"sin", "sum", "pi", "float64", "newaxis", "concatenate", "zeros", "where", "einsum"} <= same
    assert not same & {"array", "asarray", "linalg"}


BUILDING = {
    "array": lambda np, x: np.array([x[0], 2.0, x[1] * x[2]]),
    "nested array": lambda np, x: np.array([[x[0], 1.0], [0.0, x[1]]]),
    "array of rows": lambda np, x: np.array([x, x * x]),
    "array of an array": lambda np, x: np.array(x),
    "asarray": lambda np, x: np.asarray([x[0], x[0]]),
    "ascontiguousarray": lambda np, x: np.ascontiguousarray(x),
    "full": lambda np, x: np.full((2, 2), x[1]),
    "polyval of a list": lambda np, x: np.polyval([x[0], 1.0, x[1]], COEFFICIENTS),
    "edges of a range": lambda np, x: np.histogram_bin_edges(COEFFICIENTS, 3, (x[0], x[2])),
    "full_like": lambda np, x: np.full_like(COEFFICIENTS, x[2]),
    "polyval": lambda np, x: np.polynomial.polynomial.polyval(x, COEFFICIENTS),
}
COEFFICIENTS = np.array([1.0, 2.0, 3.0])
X = np.array([0.5, -1.5, 2.0])


@pytest.mark.parametrize("build", BUILDING.values(), ids=BUILDING)
def test_builds_arrays_of_traced_values(build):
    h = 1e-6
    columns = [(build(np, X + h * e) - build(np, X - h * e)) / (2 * h) for e in np.eye(3)]
    expected = np.stack(columns, axis=-1)
    for mode in ("forward", "reverse"):
        np.testing.assert_allclose(jacobian(lambda x: build(tnp, x), mode=mode)(X), expected, atol=1e-8)
    np.testing.assert_array_equal(build(tnp, X), build(np, X))


@pytest.mark.parametrize("build", [BUILDING["array"], BUILDING["asarray"]])
def test_plain_numpy_raises_and_names_this_module(build):
    with pytest.raises(LostGradientError) as caught:
        grad(lambda x: np.sum(build(np, x)))(X)
    assert "chainrules_tape.numpy" in caught.value.instead


def test_second_order():
    assert grad(grad(lambda x: tnp.sum(tnp.array([x, x**3]) ** 2)))(1.0) == pytest.approx(2 + 30)


def test_forward():
    y, y_dot = jvp(lambda x: tnp.array([x, 3.0 * x]), (2.0,), (1.0,))
    assert (y.tolist(), y_dot.tolist()) == ([2.0, 6.0], [1.0, 3.0])


def test_modules_inside():
    assert tnp.linalg.inv is np.linalg.inv
    assert tnp.fft.fft is np.fft.fft
    assert "polyval" in dir(tnp.polynomial.polynomial)
    assert repr(tnp.polynomial) == "<numpy.polynomial, interceptable>"


def test_unknown_names():
    with pytest.raises(AttributeError):
        tnp.no_such_function
    assert not hasattr(tnp, "__no_such_protocol__")
    assert {"array", "sin", "interceptable"} <= {*dir(tnp)}
