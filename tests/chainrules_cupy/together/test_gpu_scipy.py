"""The rules that `cupyx.scipy` shares with SciPy, on a device: SciPy's numbers in both modes, of
what CuPy computes itself.
"""

import importlib
import sys
import warnings
from contextlib import nullcontext, suppress
from functools import cache
from unittest.mock import Mock

import numpy as np
import pytest
import scipy.sparse

from chainrules_cupy.scipy_functions import MODULES, NOT_SHARED, device_module
from chainrules_py import default_rules
from chainrules_py.testing.samples import load_shipped, samples_of
from chainrules_tape import grad
from chainrules_tape.scipy import linalg
from stand_ins.cupyx_names import names_of
from stand_ins.device_runs import (
    Device,
    calls,
    check_adjoint,
    check_forward,
    check_reverse,
    own_value,
)

# cupyx.scipy.signal
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.filterwarnings("ignore:cupyx.jit.rawkernel:FutureWarning"),
]
cupy = pytest.importorskip("cupy")
DEVICE = Device(cupy.ndarray, cupy.asarray, cupy.asnumpy, lambda primal, phase: nullcontext())
TOLERANCES = {"float32": 2e-3, "float64": 1e-7, "complex128": 1e-7}
# SciPy 1.18 mended how its filter of splines starts where an image goes on as mode "reflect" says;
# CuPy starts it as SciPy did before, https://github.com/scipy/scipy/pull/24615. Then the numbers
# are close, and both modes are held against each other.
SPLINES = {
    f"ndimage.{name}"
    for name in ("affine_transform", "map_coordinates", "spline_filter", "spline_filter1d")
}
CLOSE = 1e-3
# by the emulated device
NOT_LAUNCHED = {"signal.lfilter", "signal.sosfilt", "signal.lfilter_zi", "signal.deconvolve"}
LEFT_OUT = {
    "linalg.lu_solve": "its exchanges of rows are 32 bits wide in CuPy: see the test below",
    "ndimage.prewitt": (
        "CuPy has no mode for each axis, and says so by a RuntimeError; sobel is the same with"
        " other weights"
    ),
    "signal.argrelextrema": "it compares by a function of CuPy's",
}
default_rules.load_all()
load_shipped()


def primal_of(path):
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(f"scipy.{module}"), name, None)


def has_samples(path):
    primal = primal_of(path)
    ruled = primal in default_rules and next(default_rules.rules(primal), None) is not None
    return ruled and any(next(iter(samples_of(primal, dtype)), None) for dtype in TOLERANCES)


PATHS = {f"{module}.{name}" for module in MODULES for name in names_of(module)} - NOT_SHARED.keys()
OTHERS = {"signal.lfilter", "signal.lfilter_zi"}  # names that mean something else in CuPy
SAMPLED = sorted(path for path in (PATHS | OTHERS) - LEFT_OUT.keys() if has_samples(path))


@cache
def filters_start_alike():
    """Whether SciPy and CuPy make the same splines of images that are reflected."""
    image = np.eye(3)
    of_host = primal_of("ndimage.spline_filter")(image, mode="reflect")
    of_device = device_module("ndimage").spline_filter(cupy.asarray(image), mode="reflect")
    return np.allclose(of_device.get(), of_host, rtol=1e-12)


def check(primal, sample, args, options, tolerance, path):
    """Both modes give SciPy's numbers; where CuPy computes others, close ones, and each mode is the
    other's adjoint.
    """
    if path in SPLINES and not filters_start_alike():
        check_adjoint(DEVICE, primal, sample, args, options, tolerance)
        tolerance = CLOSE
    check_reverse(DEVICE, primal, sample, args, options, tolerance)
    check_forward(DEVICE, primal, sample, args, options, tolerance)


@pytest.mark.parametrize("path", SAMPLED)
def test_samples(path):
    """Options and shapes that CuPy lacks it refuses in the value; derivatives of `special` may need
    functions that it lacks.
    """
    if path in NOT_LAUNCHED and "emulated_cuda" in sys.modules:
        pytest.skip("CuPy's kernels of recursive filters are not launched by the emulated device")
    primal = primal_of(path)
    with warnings.catch_warnings():
        # NumPy's of singular points, and CuPy's of slow or deprecated ways
        warnings.simplefilter("ignore")
        for dtype, tolerance in TOLERANCES.items():
            for sample, args, options in calls(DEVICE, primal, dtype):
                if path in OTHERS or own_value(DEVICE, primal, args, options) is not None:
                    with suppress(TypeError) if path.startswith("special.") else nullcontext():
                        check(primal, sample, args, options, tolerance, path)


@pytest.mark.parametrize("module", MODULES)
def test_functions_are_known_by_their_names_in_cupyx(module):
    for path in SAMPLED:
        if path.startswith(f"{module}.") and path not in OTHERS:
            other = getattr(device_module(module), path.rpartition(".")[2])
            known = default_rules.canonical(other, (), {})[0]
            assert known is default_rules.canonical(primal_of(path), (), {})[
                0
            ] or known.__module__.startswith("numpy")


MATRIX = np.array([[3.0, 1.0, 0.5], [0.2, 4.0, 1.0], [0.3, 0.1, 5.0]])


def test_a_factored_matrix_solves_on_the_tape():
    def solved(x):
        return np.sum(linalg.lu_solve(linalg.lu_factor(x), x[0]) ** 2)

    found = grad(solved)(cupy.asarray(MATRIX))
    assert isinstance(found, cupy.ndarray)
    np.testing.assert_allclose(found.get(), grad(solved)(MATRIX), rtol=1e-9)


@pytest.fixture
def sparse_products(monkeypatch):
    """Products of sparse matrices; SciPy computes them for the emulated device, which has no
    cuSPARSE.
    """
    cusparse = importlib.import_module("cupyx.cusparse")

    def on_host(a, x, transa=False):
        host = scipy.sparse.csr_array((a.data.get(), a.indices.get(), a.indptr.get()), a.shape)
        return cupy.asarray((host.T if transa else host) @ x.get())

    if "emulated_cuda" in sys.modules:
        monkeypatch.setattr(cusparse, "MatDescriptor", Mock())
        monkeypatch.setattr(cusparse, "check_availability", lambda name: name == "csrmv")
        monkeypatch.setattr(cusparse, "csrmv", on_host)


@pytest.mark.parametrize("name", ["csr_matrix", "csr_array", "csc_matrix", "csc_array"])
def test_products_of_sparse_matrices(sparse_products, name):
    dense, x = np.array([[1.0, 2.0, 0.0], [0.0, 0.0, 3.0]]), np.array([1.0, -2.0, 0.5])
    host = getattr(scipy.sparse, name)(dense)
    parts = tuple(map(cupy.asarray, (host.data, host.indices, host.indptr)))
    a = getattr(importlib.import_module("cupyx.scipy.sparse"), name)(parts, shape=dense.shape)
    for found, expected in (
        (lambda x: a @ x, lambda x: dense @ x),
        (lambda x: x[:2] @ a, lambda x: x[:2] @ dense),
    ):
        gradient = grad(lambda x, f=found: np.sum(f(x * x) ** 3))(cupy.asarray(x))
        np.testing.assert_allclose(
            gradient.get(), grad(lambda x, f=expected: np.sum(f(x * x) ** 3))(x), rtol=1e-12
        )
