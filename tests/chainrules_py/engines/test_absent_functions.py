"""NumPy's names for other libraries, and functions as programs of others, by NumPy itself."""

import numpy as np
import pytest

from chainrules_py.engines import NamesOfNumPy, body_of, vector_norm

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
