"""Foreign code has functions of its own where it needs another derivative; who calls is not asked."""

import numpy as np
import pytest
from scipy import linalg

import chainrules_tape.numpy as tnp
import strangers
from chainrules_foreign_code.stand_in_modules import stand_in_module
from chainrules_tape import grad, seen_through
from chainrules_tape.scipy import linalg as own_linalg
from slopes import quotients

own_modules = {"numpy.linalg": tnp.linalg, "scipy.linalg": own_linalg}
SYMMETRIC = np.array([[2.0, 0.5], [0.5, 1.0]])
WEIGHTS = np.array([[1.0, 0.3], [0.7, 0.2]])


def weighted(y):
    """A number made of all entries; of a pair of an array and a flag, by the array's triangle."""
    if isinstance(y, tuple) and isinstance(y[1], bool):
        y = (np.triu(y[0]),)  # the other one holds what the matrix had there
    parts = y if isinstance(y, tuple) else (y,)
    return sum(np.sum(part * (WEIGHTS if np.ndim(part) == 2 else WEIGHTS[0])) for part in parts)


OF_ONE_TRIANGLE = {
    "eigh": lambda m, a: m.eigh(a),
    "eigvalsh": lambda m, a: m.eigvalsh(a),
    "cholesky": lambda m, a: m.cholesky(a),
    "cho_factor": lambda m, a: m.cho_factor(a),
    "eigh of NumPy": lambda m, a: m.eigh(a),
    "eigvalsh of NumPy": lambda m, a: m.eigvalsh(a),
    "cholesky of NumPy": lambda m, a: m.cholesky(a),
    "solve": lambda m, a: m.solve(a, WEIGHTS[0], assume_a="pos"),
    "solve, lower": lambda m, a: m.solve(a, WEIGHTS[0], True, assume_a="sym", overwrite_a=False),
    "pinvh": lambda m, a: m.pinvh(a),
    "pinvh, upper": lambda m, a: m.pinvh(a, lower=False),
    "eigh of b": lambda m, a: m.eigh(np.diag([1.5, 0.7]), a, eigvals_only=True),
    "eigvalsh of b": lambda m, a: m.eigvalsh(np.diag([1.5, 0.7]), b=a, lower=False),
    "eigvalsh of a and b": lambda m, a: m.eigvalsh(a, a + 2.0 * np.eye(2)),
    "pinv": lambda m, a: m.pinv(a, hermitian=True),
    "svd": lambda m, a: m.svd(a, True, False, True),
}


@pytest.mark.parametrize("seen", [True, False], ids=["foreign", "own"])
@pytest.mark.parametrize("name", OF_ONE_TRIANGLE)
def test_the_gradient_is_that_of_the_triangle_that_is_read(name, seen):
    """Also in code that is written to be differentiated, where the other triangle is none."""
    call = OF_ONE_TRIANGLE[name]
    in_numpy = name in ("pinv", "svd") or name.endswith("NumPy")
    module = "numpy.linalg" if in_numpy else "scipy.linalg"
    a = SYMMETRIC if seen else np.array([[2.0, 0.5], [0.3, 1.0]])
    ours = stand_in_module(module) if seen else own_modules[module]
    found = grad(lambda a: weighted(call(ours, a)))(a)
    assert not seen or found[0, 1] == 0.0 or found[1, 0] == 0.0 or "pinv" in name
    plain = np.linalg if in_numpy else linalg
    slopes = quotients(lambda a: weighted(call(plain, a)), a).reshape(2, 2)
    np.testing.assert_allclose(found, slopes, rtol=1e-6, atol=1e-8)


def test_a_symmetric_matrix_of_complex_numbers_is_no_hermitian_one():
    a = np.array([[2.0 + 1.0j, 0.5 + 0.2j], [0.0, 1.0]])

    def f(m, a):
        return np.sum(np.abs(m.solve(a, WEIGHTS[0], assume_a="symmetric")) ** 2)

    found = grad(lambda a: f(stand_in_module("scipy.linalg"), a))(a)
    for index in np.ndindex(2, 2):
        slopes = []
        for step in (1e-6, 1e-6j):
            h = np.zeros((2, 2), complex)
            h[index] = step
            slopes.append((f(linalg, a + h) - f(linalg, a - h)) / 2e-6)
        assert found[index] == pytest.approx(complex(*slopes), rel=1e-6, abs=1e-8)


def own_function(a):
    """Code that is written to be differentiated, by its own `chainrules_tape.numpy`."""
    return np.sum(tnp.linalg.cholesky(a) @ np.array([1.0, 2.0])) + tnp.round(a[0, 0], 1)


def test_a_function_of_ones_own_means_the_same_whoever_calls_it(monkeypatch):
    expected = grad(own_function)(SYMMETRIC)
    np.testing.assert_array_equal(expected, expected.T)

    def call(function, a):
        return function(a)

    monkeypatch.setattr(
        strangers, "call", type(call)(call.__code__, vars(strangers)), raising=False
    )
    with seen_through("strangers"):
        np.testing.assert_array_equal(grad(own_function)(SYMMETRIC), expected)
        found = grad(lambda a: strangers.call(own_function, a))(SYMMETRIC)
    np.testing.assert_array_equal(found, expected)


def test_all_else_is_what_it_is_in_our_module():
    made = stand_in_module("numpy")
    assert made.sin is np.sin
    assert made.fft is tnp.fft
    assert made.eye.__wrapped__ is tnp.eye
    assert made.broadcast is tnp.broadcast
    assert set(dir(tnp)) <= set(dir(made))
    assert stand_in_module("numpy.fft") is tnp.fft
