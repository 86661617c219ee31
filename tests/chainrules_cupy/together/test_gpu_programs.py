"""The programs that are timed on a device: gradients by hand against the tape, on NumPy and on the
stand-in.
"""

from functools import partial

import numpy as np
import pytest

import chainrules_tape as tape
from benchmarks.gpu_programs import PROGRAMS
from stand_ins.stand_in import DeviceArray, bare, ledger


def on_numpy(program):
    """The loss as a user writes it: NumPy's functions, which find CuPy's arrays by NumPy's
    protocols.
    """
    return partial(program.loss, np)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_the_gradient_by_hand(program):
    inputs = program.inputs(program.small)
    value, gradient = program.by_hand(np, *inputs)
    found, found_gradient = tape.value_and_grad(on_numpy(program))(*inputs)
    np.testing.assert_allclose(found, value, rtol=1e-12)
    np.testing.assert_allclose(found_gradient, gradient, rtol=1e-10, atol=1e-12)


def on_device(program):
    inputs = program.inputs(program.small)
    return inputs, tuple(DeviceArray(x.copy()) for x in inputs)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_the_gradient_stays_on_the_device(program):
    inputs, arrays = on_device(program)
    ledger.clear()
    _, gradient = tape.value_and_grad(on_numpy(program))(*arrays)
    assert not ledger
    np.testing.assert_allclose(
        gradient.host, program.by_hand(np, *inputs)[1], rtol=1e-10, atol=1e-12
    )
    assert isinstance(program.by_hand(bare, *arrays)[1], DeviceArray)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_second_order_stays_on_the_device(program):
    inputs, arrays = on_device(program)
    ledger.clear()
    product = tape.hvp(on_numpy(program), arrays[0], arrays[0], *arrays[1:])
    assert not ledger
    np.testing.assert_allclose(
        product.host,
        tape.hvp(on_numpy(program), inputs[0], inputs[0], *inputs[1:]),
        rtol=1e-9,
        atol=1e-11,
    )
