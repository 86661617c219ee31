"""Functions that are programs of others, on arrays of the standard and by NumPy."""

import numpy as np
import pytest

from stand_ins.standard_calls import namespace, require_numpys

X = np.array([[0.5, -1.25, 0.0, 2.0], [3.0, np.nan, -np.inf, 1.0]])
A, B = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4) - 5
CALLS = {
    "sinc": lambda xp, x: xp.sinc(x[0]),
    "sinc of integers": lambda xp, x: xp.sinc(xp.astype(x[0], np.int64)),
    "exp2": lambda xp, x: xp.exp2(x[0]),
    "exp2 of single precision": lambda xp, x: xp.exp2(xp.astype(x[0], np.float32)),
    "cbrt": lambda xp, x: xp.cbrt(x[0]),
    "deg2rad": lambda xp, x: xp.deg2rad(x[0]),
    "degrees": lambda xp, x: xp.degrees(x[0]),
    "angle": lambda xp, x: xp.angle(x[0] + 1j * x[0, ::-1]),
    "angle of real numbers, in degrees": lambda xp, x: xp.angle(x[0], deg=True),
    "nan_to_num": lambda xp, x: xp.nan_to_num(x),
    "nan_to_num, by others": lambda xp, x: xp.nan_to_num(x, nan=2.0, neginf=-3.0),
    "isclose": lambda xp, x: xp.isclose(x, x + 1e-9),
    "isclose, of nan": lambda xp, x: xp.isclose(x, x, equal_nan=True),
    "diff": lambda xp, x: xp.diff(x[0]),
    "diff, twice, of columns": lambda xp, x: xp.diff(x[:, :2], 1, axis=0),
    "diff, with ends": lambda xp, x: xp.diff(x[:, :1], 2, prepend=0.0, append=x[:, -1:]),
    "diff of booleans": lambda xp, x: xp.diff(x > 0),
    "diff, not once": lambda xp, x: xp.diff(x, 0, prepend=1.0),
    "cumulative_sum": lambda xp, x: xp.cumulative_sum(x, axis=0, include_initial=True),
    "cumulative_prod": lambda xp, x: xp.cumulative_prod(x[0], include_initial=True),
    "cumulative_sum of a dtype": lambda xp, x: xp.cumulative_sum(x[0], dtype=np.float32),
    "nansum": lambda xp, x: xp.nansum(x[:, :2], axis=1),
    "nanmax": lambda xp, x: xp.nanmax(x, axis=0, keepdims=True),
    "nanmin": lambda xp, x: xp.nanmin(x),
    "round": lambda xp, x: xp.round(x[0] * 1.234567, 2),
    "round, to integers": lambda xp, x: xp.round(x),
    "round, of integers": lambda xp, x: xp.round(xp.astype(x[0], np.int64)),
    "round, of integers to tens": lambda xp, x: xp.round(xp.astype(37 * x[0], np.int64), -1),
    "nanmax, of integers": lambda xp, x: xp.nanmax(xp.astype(x[0], np.int64)),
    "nonzero": lambda xp, x: xp.nonzero(x),
    "isin": lambda xp, x: xp.isin(x, np.array([0.5, 2.0])),
    "bitwise_left_shift": lambda xp, x: xp.bitwise_left_shift(xp.astype(x[0], np.int64), 2),
    "eigvalsh": lambda xp, x: xp.linalg.eigvalsh(xp.outer(x[0], x[0])),
    "count_nonzero": lambda xp, x: xp.count_nonzero(x, axis=1),
}
PRODUCTS = ["ij,jk->ik", "ij,jk", "ij,jk->", "ij,jk->kij", "...j,jk->k...", "ij,jk->j"]


@pytest.mark.parametrize("function", CALLS.values(), ids=CALLS)
def test_it_is_numpys(function):
    require_numpys(function, X)


@pytest.mark.parametrize("subscripts", PRODUCTS)
def test_sums_of_products(subscripts):
    require_numpys(lambda xp, a, b: xp.einsum(subscripts, a, b), A, B)


def test_sums_on_diagonals_and_by_lists():
    square = A.T @ A
    require_numpys(lambda xp, a: xp.einsum("ii->i", a), square)
    require_numpys(lambda xp, a: xp.einsum(a, [0, 0]), square)
    require_numpys(lambda xp, a, b: xp.einsum(a, [0, 1], b, [1, 2], [2]), A, B)


def test_parts_in_order_have_the_entry_at_its_place():
    x = np.array([3.0, 1.0, 2.0, 5.0])
    require_numpys(lambda xp, x: xp.partition(x, 1)[1], x)
    require_numpys(lambda xp, x: xp.argpartition(x, 1)[1], x)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of lines of nan
@pytest.mark.parametrize("options", [{}, {"initial": 2.0}], ids=str)
@pytest.mark.parametrize("name", ["nanmax", "nanmin"])
def test_lines_of_nan_have_no_extreme(name, options):
    require_numpys(lambda xp, x: getattr(xp, name)(x, axis=0, **options), X[1:, 1:])


def test_functions_with_a_body_run_it():
    require_numpys(lambda xp, x: xp.kron(x, x), A)
    require_numpys(lambda xp, x: xp.cov(x), B)
    require_numpys(lambda xp, x: xp.vstack([x, x]), A)


def test_numpys_arrays_are_numpys():
    assert isinstance(namespace.diff(X), np.ndarray)
    assert isinstance(namespace.einsum("ij->j", A), np.ndarray)
