"""Every sample of every rule on a device: NumPy's numbers, arrays where arrays went in, and no host that waits."""

import numpy as np
import pytest
from test_stand_in import LEDGERS, PRIMALS

import chainrules_py
from chainrules_py import Tangent, frule, is_zero, rrule, unthunk
from chainrules_py.identity import qualified_name
from chainrules_py.structure import fields, is_container, rebuild
from chainrules_py.tangents.structural import entries, with_entries
from chainrules_py.testing.random_tangents import random_tangent, seeded
from chainrules_py.testing.samples import samples_of

pytestmark = pytest.mark.gpu
cupy = pytest.importorskip("cupy")
cupyx = pytest.importorskip("cupyx")
TOLERANCES = {"float32": 2e-4, "float64": 1e-9, "complex64": 2e-4, "complex128": 1e-9}


def moved(value, change):
    if isinstance(value, np.ndarray | cupy.ndarray):
        return change(value)
    if isinstance(value, Tangent):
        return with_entries(value.primal_type, {key: moved(part, change) for key, part in entries(value).items()})
    if is_container(value):
        return rebuild(value, {key: moved(part, change) for key, part in fields(value).items()})
    return value


def to_device(value):
    return moved(value, lambda x: cupy.asarray(x) if x.dtype.kind in "biufc" else x)


def bar_on_device(y_bar):
    """A cotangent as it comes from a device: that of a result of shape () is an array too."""
    return to_device(np.asarray(y_bar) if isinstance(y_bar, np.generic | float | complex) else y_bar)


def compare(got, wanted, tolerance):
    wanted = unthunk(wanted)
    if is_zero(wanted) or isinstance(wanted, Tangent):
        return
    got = unthunk(got)
    if is_container(wanted):
        for key, part in fields(wanted).items():
            compare(fields(got)[key], part, tolerance)
    elif isinstance(wanted, np.ndarray | np.generic):
        assert isinstance(got, cupy.ndarray)
        assert got.dtype == wanted.dtype
        np.testing.assert_allclose(got.get(), wanted, rtol=tolerance, atol=tolerance)


def may_wait(primal, phase):
    """Whether a phase may wait for the device, as on the stand-in."""
    waits, _ = LEDGERS[phase]
    return qualified_name(primal).rpartition(".")[2] in waits


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("primal", PRIMALS, ids=qualified_name)
def test_samples(primal, dtype):
    for sample in samples_of(primal, dtype):
        args = tuple(map(to_device, sample.args))
        if sample.error is not None or "cupy" not in {type(x).__module__ for x in args}:
            continue
        options = {key: to_device(value) for key, value in sample.options.items()}
        y, pullback = rrule(primal, *sample.args, **sample.options)
        y_bar = random_tangent(seeded("bar"), y)
        dots = tuple(random_tangent(seeded("dot"), arg) for arg in sample.args)
        y_bar_device, dots_device = bar_on_device(y_bar), tuple(map(to_device, dots))
        try:
            primal(*args, **options)
        except (TypeError, ValueError, AttributeError, IndexError, NotImplementedError):
            continue  # CuPy does not have this function, this option, or this case
        with cupyx.allow_synchronize(may_wait(primal, "value")):
            y_device, pullback_device = rrule(primal, *args, **options)
        with cupyx.allow_synchronize(may_wait(primal, "cotangents")):
            bars_device = () if is_zero(y_bar) else tuple(map(unthunk, pullback_device(y_bar_device)))
        with cupyx.allow_synchronize(may_wait(primal, "tangent")):
            _, y_dot_device = frule(dots_device, primal, *args, **options)
        compare(y_device, y, TOLERANCES[dtype])
        for got, wanted in zip(bars_device, () if is_zero(y_bar) else pullback(y_bar), strict=True):
            compare(got, wanted, TOLERANCES[dtype])
        compare(y_dot_device, frule(dots, primal, *sample.args, **sample.options)[1], TOLERANCES[dtype])


def test_a_pullback_can_be_captured():
    """Capturing a stream fails at the first thing that waits or copies; the captured work gives the cotangents."""
    x1, x2 = cupy.ones(1000), cupy.ones(1000)
    y, pullback = rrule(np.multiply, x1, x2)
    y_bar = cupy.ones_like(y)
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        pullback(y_bar)  # compiles, and fills the pool of this stream
        stream.begin_capture()
        bars = pullback(y_bar)
        graph = stream.end_capture()
        graph.launch(stream)
    stream.synchronize()
    for x_bar in bars:
        cupy.testing.assert_array_equal(x_bar, cupy.ones(1000))


def test_zero_dimensional_results_stay_on_the_device():
    x = cupy.asarray(0.5)
    y, pullback = rrule(np.sin, x)
    (x_bar,) = pullback(cupy.asarray(1.0))
    assert isinstance(y, cupy.ndarray)
    assert isinstance(x_bar, cupy.ndarray)
    assert x_bar.shape == ()


def test_numpy_functions_and_numpy_arrays_follow_cupys_rules():
    x = cupy.ones(3)
    assert isinstance(rrule(np.sin, x)[0], cupy.ndarray)
    with pytest.raises(TypeError):
        rrule(np.multiply, x, np.ones(3))


def test_half_precision_is_computed_in_single():
    x = cupy.asarray(np.linspace(0.1, 2, 50), cupy.float16)
    y, pullback = rrule(np.divide, cupy.ones_like(x), x)
    one_bar, x_bar = pullback(cupy.ones_like(y))
    assert x_bar.dtype == cupy.float16
    np.testing.assert_allclose(one_bar.get(), 1 / x.get().astype(np.float32), rtol=2e-3)


def test_repeated_indices_add_up():
    x, index = cupy.zeros(4), cupy.asarray([1, 1, 1, 3])
    _, pullback = rrule(cupy.take, x, index)
    (x_bar, *_) = pullback(cupy.asarray([1.0, 2.0, 3.0, 4.0]))
    np.testing.assert_array_equal(chainrules_py.unthunk(x_bar).get(), [0, 6, 0, 4])
