"""The programs that are timed on a device: gradients by hand against the tape, on NumPy and on the stand-in."""

import numpy as np
import pytest
from gpu_programs import PROGRAMS
from stand_in import DeviceArray, bare, ledger

tape = pytest.importorskip("chainrules_tape")
SMALL = {"chain": 5, "perceptron": 4, "softmax cross-entropy": 6, "Gaussian mixture": 7, "FFT deconvolution": 12}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_the_gradient_by_hand(program):
    inputs = program.inputs(SMALL[program.name])
    value, gradient = program.by_hand(np, *inputs)
    found, found_gradient = tape.value_and_grad(program.loss)(*inputs)
    np.testing.assert_allclose(found, value, rtol=1e-12)
    np.testing.assert_allclose(found_gradient, gradient, rtol=1e-10, atol=1e-12)


TOWERS = pytest.mark.xfail(
    raises=TypeError, reason="rules that run on traced values make their constants with NumPy, which no device array takes"
)


def on_device(program):
    inputs = program.inputs(SMALL[program.name])
    return inputs, tuple(DeviceArray(x.copy()) for x in inputs)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_the_gradient_stays_on_the_device(program):
    inputs, arrays = on_device(program)
    ledger.clear()
    _, gradient = tape.value_and_grad(program.loss)(*arrays)
    assert not ledger
    np.testing.assert_allclose(gradient.host, program.by_hand(np, *inputs)[1], rtol=1e-10, atol=1e-12)
    assert isinstance(program.by_hand(bare, *arrays)[1], DeviceArray)


@pytest.mark.parametrize(
    "program", [pytest.param(p, marks=TOWERS if "FFT" in p.name else ()) for p in PROGRAMS], ids=lambda program: program.name
)
def test_second_order_stays_on_the_device(program):
    inputs, arrays = on_device(program)
    ledger.clear()
    product = tape.hvp(program.loss, arrays[0], arrays[0], *arrays[1:])
    assert not ledger
    np.testing.assert_allclose(product.host, tape.hvp(program.loss, inputs[0], inputs[0], *inputs[1:]), rtol=1e-9, atol=1e-11)
