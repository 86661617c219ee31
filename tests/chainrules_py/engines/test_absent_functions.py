"""NumPy's names for other libraries, and functions as programs of others, by NumPy itself."""

import numpy as np
import pytest

from chainrules_py.engines import NamesOfNumPy, body_of, nanmax, nanmin, pinv, vector_norm

X = np.array([[3.0, -1.0, 2.0], [0.5, 4.0, -2.5]])
NAMES = NamesOfNumPy(np, {"sin": np.cos}, lambda function, name: (function, name))


def test_names_are_found_once_by_what_they_have_within_numpy():
    assert NAMES.sin is np.cos
    assert NAMES.tan == (np.tan, "tan")
    assert NAMES.linalg.inv == (np.linalg.inv, "linalg.inv")
    assert NAMES.linalg is NAMES.linalg
    assert NAMES.pi == np.pi
    assert NAMES.float32 is np.float32
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = NAMES.no_such_name


@pytest.mark.parametrize(
    ("function", "args", "options"),
    [
        (np.kron, (X, X), {}),
        (np.tile, (X, (2, 1)), {}),
        (np.cross, (X, X[::-1]), {"axis": -1}),
        (np.average, (X, 1), {"weights": [1.0, 2.0, 3.0]}),
        (np.linalg.matrix_power, (X[:, :2], -2), {}),
    ],
)
def test_a_body_is_called_as_its_function(function, args, options):
    body = body_of(function)
    assert body is not None
    np.testing.assert_allclose(body(*args, **options), function(*args, **options))


@pytest.mark.parametrize("function", [np.sin, np.unique_values, np.histogram_bin_edges])
def test_there_is_no_body_to_compute_by(function):
    assert body_of(function) is None


@pytest.mark.parametrize("order", [2, 3, 1, 0, -1, np.inf, -np.inf])
@pytest.mark.parametrize("options", [{}, {"axis": 1}, {"axis": 0, "keepdims": True}])
def test_norms_of_vectors(order, options):
    found = vector_norm(X, ord=order, xp=np, **options)
    np.testing.assert_allclose(found, np.linalg.vector_norm(X, ord=order, **options))


@pytest.mark.parametrize(
    "options", [{}, {"axis": 1}, {"keepdims": True}, {"axis": 0, "initial": 1.5}]
)
@pytest.mark.parametrize("function", [nanmax, nanmin])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of lines of nan
def test_extremes_without_nan(function, options):
    nan = np.nan
    for x in (X, np.arange(6).reshape(2, 3), np.array([[nan, nan], [1.0, -np.inf]])):
        expected = getattr(np, function.__name__)(x, **options)
        found = function(x, xp=np, **options)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    "options", [{}, {"rtol": None}, {"rcond": 0.3}, {"rtol": np.array([0.3, 0.9])}]
)
@pytest.mark.parametrize("shape", [(2, 3, 2), (2, 0, 2), (2, 2, 3)])
def test_pseudoinverses(shape, options):
    a = np.arange(np.prod(shape, dtype=int)).reshape(shape) ** 2 * (1 + 0.5j)
    np.testing.assert_allclose(pinv(a, xp=np, **options), np.linalg.pinv(a, **options), atol=1e-12)
