"""In SciPy's modules, arrays are NumPy's where no value is traced, and take traced values else."""

import numpy as np
import pytest
from scipy import (
    interpolate,
    linalg,
    ndimage,
    optimize,
    signal,
    sparse,
    spatial,
    stats,
)

from chainrules_tape import LostGradientError, grad, seen_through
from slopes import quotients

X = np.array([0.7, 0.3, 0.5, 0.85])
NUMBERS = np.sin(np.arange(12.0) * 5.0)
POINTS = np.cos(np.arange(20.0) * 3.0).reshape(10, 2)
MATRIX = np.cos(np.arange(16.0)).reshape(4, 4) + 4.0 * np.eye(4)
SYMMETRIC = MATRIX @ MATRIX.T


def column(x):
    return np.outer(x, x) + 3.0 * np.eye(4)


PLAIN = {
    "peaks": lambda: signal.peak_prominences(NUMBERS, signal.find_peaks(NUMBERS)[0])[0],
    "a density": lambda: stats.gaussian_kde(NUMBERS)(0.3),
    "a filter by a function": lambda: ndimage.generic_filter(SYMMETRIC, np.max, 3),
    "a spline": lambda: interpolate.make_smoothing_spline(np.arange(12.0), NUMBERS)(1.5),
    "a tree": lambda: spatial.KDTree(POINTS).query([0.0, 0.0])[0],
    "eigenvalues": lambda: sparse.linalg.eigsh(sparse.csr_array(SYMMETRIC), k=2, v0=X)[0],
    "paths": lambda: sparse.csgraph.dijkstra(sparse.csr_array(np.abs(SYMMETRIC))),
    "a conversion": lambda: sparse.csr_array(SYMMETRIC).tocsc().data,
    "an optimum": lambda: optimize.shgo(lambda v: np.sum(v**2), [(-1, 1)]).x,
}


@pytest.mark.parametrize("name", PLAIN)
def test_plain_values_in_compiled_code_of_scipy(name):
    """A program that is differentiated calls SciPy with plain values, too."""
    expected, found = PLAIN[name](), []

    def program(x):
        found.append(PLAIN[name]())
        return 2.0 * x

    with seen_through("scipy"):
        assert grad(program)(1.0) == 2.0
    np.testing.assert_allclose(found[0], expected, rtol=1e-12)


TRACED = {
    "written to": lambda x: linalg.block_diag(column(x), x[:2]),
    "made by a helper": lambda x: stats.tmean(x),
    "a system": lambda x: signal.lsim(
        (-0.3 * column(x), x[:, None], x[None], 0.0), NUMBERS[:8], 0.1 * np.arange(8)
    )[1],
    "in a loop": lambda x: signal.residue(x[:2], [1.0, 3.0, 2.0])[0].real,
    "by a method of an object": lambda x: optimize.rosen_hess(x),
    "a logarithm": lambda x: linalg.logm(column(x)),
    "a product": lambda x: sparse.csr_array(MATRIX) @ x,
    "of least squares": lambda x: sparse.linalg.lsqr(
        sparse.csr_array(MATRIX), x, atol=1e-14, btol=1e-14
    )[0],
}


@pytest.mark.parametrize("name", TRACED)
def test_traced_values_in_functions_of_scipy_without_a_rule(name):
    def f(x):
        return np.sum(TRACED[name](x) ** 2)

    with seen_through("scipy"):
        slope = grad(f)(X)
    np.testing.assert_allclose(slope, quotients(f, X), rtol=2e-5, atol=1e-7)


def test_the_class_of_arrays_makes_arrays_and_stays_a_class():
    beside = np.arange(4.0)

    @seen_through
    def f(x):
        y = np.ndarray((2, 3), order="F")
        y[:] = x
        assert y.flags.f_contiguous
        assert isinstance(y, np.ndarray)
        return np.sum(y * np.ndarray((3,), float, beside, 8))

    assert grad(f)(1.5) == 12.0
    for memory in (lambda x: x, lambda x: np.zeros(4)):
        with pytest.raises(LostGradientError, match=r"numpy.ndarray\(shape, buffer=x\)"):
            grad(seen_through(lambda x, m=memory: np.sum(np.ndarray(2, buffer=m(x)))))(X)
