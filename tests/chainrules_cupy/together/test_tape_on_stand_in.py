"""The tape on the stand-in for CuPy, in both modes and twice: results on the device, no waiting,
NumPy's numbers.
"""

import numbers
from functools import partial

import numpy as np
import pytest

import chainrules_tape as tape
from benchmarks.gpu_programs import PROGRAMS
from chainrules_py import ZERO
from chainrules_py.accumulation import accumulate, accumulated
from chainrules_py.values.arrays import library_of
from product.judge import case_of
from product.programs import PROGRAMS as ROWS
from stand_ins.stand_in import DeviceArray, ledger


def put(x):
    return DeviceArray(np.array(x))


X = np.linspace(0.1, 0.9, 6)
STAYING = (
    *("elementwise", "broadcasting", "logsumexp", "entries", "methods", "joining", "where"),
    *("sorting", "statistics", "running", "products", "singular values", "fft", "reduce"),
)


@pytest.mark.parametrize("program", [p for p in ROWS if p.name in STAYING], ids=lambda p: p.name)
def test_derivatives_stay_on_the_device(program):
    case = case_of(program)
    f = case.line(program.function, put)
    t, one = map(put, (0.0, 1.0))
    ledger.clear()
    found = [*tape.value_and_grad(f)(t), tape.jvp(tape.grad(f), (t,), (one,))[1]]
    assert not ledger
    assert all(isinstance(x, DeviceArray) for x in found)
    case.require({order: x.host for order, x in enumerate(found)})


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_programs_of_the_speed_statements_have_the_gradient_by_hand(program):
    inputs = program.inputs(program.small)
    expected, slope = program.by_hand(np, *inputs)
    arrays = [*map(put, inputs)]
    ledger.clear()
    value, gradient = tape.value_and_grad(partial(program.loss, np))(*arrays)
    assert not ledger
    np.testing.assert_allclose(value.host, expected, rtol=1e-12)
    np.testing.assert_allclose(gradient.host, slope, rtol=1e-10, atol=1e-12)


def test_traced_arrays_without_axes_are_arrays_as_they_are_untraced():
    seen = []

    def loss(x):
        total = np.sum(x)
        seen.append(
            [isinstance(total, cls) for cls in (numbers.Real, numbers.Complex, numbers.Number)]
        )
        return total

    tape.grad(loss)(put(X))
    assert seen == [
        [
            isinstance(DeviceArray(np.array(1.0)), cls)
            for cls in (numbers.Real, numbers.Complex, numbers.Number)
        ]
    ]


def test_cotangents_add_up_in_one_buffer_on_the_device():
    bars = [DeviceArray(np.full(3, float(k))) for k in (1, 2, 4, 8)]
    acc = accumulate(accumulate(ZERO, bars[0]), bars[1])
    buffer = acc.buffer
    for x_bar in bars[2:]:
        acc = accumulate(acc, x_bar)
    total = accumulated(acc)
    assert total is buffer
    np.testing.assert_array_equal(total.host, [15.0, 15.0, 15.0])
    np.testing.assert_array_equal([x_bar.host[0] for x_bar in bars], [1.0, 2.0, 4.0, 8.0])


def test_constants_find_the_library_under_several_levels():
    seen = []

    def loss(x):
        seen.append(library_of(type(x)).namespace.arange(3))
        return np.sum(x * x)

    tape.grad(lambda x: np.sum(tape.grad(loss)(x) ** 2))(put(X))
    assert isinstance(seen[0], DeviceArray)


def test_only_arrays_of_libraries_are_swept_over_as_on_a_device():
    from chainrules_py.tangents import InplaceableThunk, Tangent
    from chainrules_tape.arrays.handles import DualArray, TapeArray
    from chainrules_tape.core.values import is_array_class

    assert is_array_class(DeviceArray)
    assert not any(
        map(
            is_array_class,
            (TapeArray, DualArray, InplaceableThunk, Tangent, float, np.float64, list),
        )
    )
