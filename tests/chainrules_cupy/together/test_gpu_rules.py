"""Every sample of every rule on a device: NumPy's numbers, arrays where arrays went in, and no host
that waits or copies to the device.
"""

import warnings
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace

import numpy as np
import pytest

from chainrules_py import rrule
from chainrules_py.values.identity import qualified_name
from stand_ins.device_runs import (
    REFUSALS,
    calls,
    check_adjoint,
    check_forward,
    check_reverse,
    is_refused,
)
from stand_ins.devices import GPU
from stand_ins.waiting import counted, is_counted
from stand_ins.what_waits import AMBIGUOUS, LEDGERS, PRIMALS, short_name

pytestmark = pytest.mark.gpu
cupy = pytest.importorskip("cupy")
cupyx = pytest.importorskip("cupyx")
TOLERANCES = {"float32": 2e-4, "float64": 1e-9, "complex64": 2e-4, "complex128": 1e-9}


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("primal", PRIMALS, ids=qualified_name)
def test_samples(primal, dtype):
    run(GPU, primal, dtype)


def run(device, primal, dtype):
    checks = (check_adjoint,) if short_name(primal) in AMBIGUOUS else (check_reverse, check_forward)
    with warnings.catch_warnings():
        # NumPy's of singular points, and CuPy's of slow or deprecated ways
        warnings.simplefilter("ignore")
        for sample, args, options in calls(device, primal, dtype):
            # Some rules compute what CuPy has no function for; the others may raise what CuPy
            # would.
            with (
                suppress(*REFUSALS, cupyx.DeviceSynchronized)
                if is_refused(device, primal, args, options)
                else nullcontext()
            ):
                for check in checks:
                    check(device, primal, sample, args, options, TOLERANCES[dtype])


PHASES = ("value", "cotangents", "tangent")
KNOWN = sorted({name for phase in PHASES for names in LEDGERS[phase] for name in names})


@pytest.mark.parametrize("name", KNOWN)
def test_no_exception_is_out_of_date(name):
    if not is_counted():
        pytest.skip("this device counts neither waits nor copies")
    seen = set()

    @contextmanager
    def noting(primal, phase):
        before = counted()
        yield
        if counted() != before:
            seen.add(phase)

    for primal in PRIMALS:
        for dtype in ("float64", "complex128") if short_name(primal) == name else ():
            run(replace(GPU, watching=noting), primal, dtype)
    known = {phase for phase in PHASES if any(name in names for names in LEDGERS[phase])}
    if "value" in seen:
        known.discard("tangent")  # which computes the value once more
    assert seen >= known


def test_a_pullback_can_be_captured():
    """Capturing a stream fails at the first thing that waits or copies; the captured work gives the
    cotangents.
    """
    x1, x2 = cupy.ones(1000), cupy.ones(1000)
    y, pullback = rrule(np.multiply, x1, x2)
    y_bar = cupy.ones_like(y)
    stream = cupy.cuda.Stream(non_blocking=True)
    # such a stream does not wait for the default one, which made the arrays
    cupy.cuda.Device().synchronize()
    with stream:
        pullback(y_bar)  # compiles, and fills the pool of this stream
        stream.begin_capture()
        bars = pullback(y_bar)
        graph = stream.end_capture()
        graph.launch(stream)
    stream.synchronize()
    for x_bar in bars:
        cupy.testing.assert_array_equal(x_bar, cupy.ones(1000))


def test_numpy_functions_and_numpy_arrays_follow_cupys_rules():
    x = cupy.ones(3)
    assert isinstance(rrule(np.sin, x)[0], cupy.ndarray)
    with pytest.raises(TypeError):
        rrule(np.multiply, x, np.ones(3))


def test_half_precision_is_computed_in_single():
    x = cupy.asarray(np.linspace(0.1, 2, 3000), cupy.float16)
    y, pullback = rrule(np.divide, cupy.ones(1, cupy.float16), x)
    one_bar, x_bar = pullback(cupy.ones_like(y))
    assert one_bar.dtype == x_bar.dtype == cupy.float16
    inverse = 1 / x.get().astype(np.float32)
    np.testing.assert_allclose(x_bar.get(), -(inverse**2), rtol=2e-3)
    np.testing.assert_allclose(one_bar.get(), [inverse.sum()], rtol=1e-3)
