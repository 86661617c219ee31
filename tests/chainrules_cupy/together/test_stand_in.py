"""Every sample of every rule on the stand-in for CuPy: no waiting, no copies, right numbers.

This is what can be said without a device about staying on it. `test_gpu_rules` says it on one.
"""

import warnings
from contextlib import nullcontext, suppress

import numpy as np
import pytest

from chainrules_py.values.identity import qualified_name
from stand_ins.device_runs import (
    REFUSALS,
    calls,
    check_adjoint,
    check_forward,
    check_reverse,
    is_refused,
)
from stand_ins.devices import STAND_IN, seen
from stand_ins.stand_in import DeviceArray, ledger
from stand_ins.what_waits import AMBIGUOUS, LEDGERS, PRIMALS, short_name

DTYPES = {"float32": 2e-4, "float64": 1e-9, "complex128": 1e-9}


def run(check, device, primal, dtype):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample, args, options in calls(device, primal, dtype):
            # Some rules compute what CuPy has no function for; the others may raise what CuPy
            # would.
            with (
                suppress(*REFUSALS) if is_refused(device, primal, args, options) else nullcontext()
            ):
                check(device, primal, sample, args, options, DTYPES[dtype])


@pytest.mark.kinds
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("primal", PRIMALS, ids=qualified_name)
def test_rules_stay_on_the_device(primal, dtype):
    run(check_reverse, STAND_IN, primal, dtype)
    run(check_forward, STAND_IN, primal, dtype)


@pytest.mark.parametrize(
    "primal", [primal for primal in PRIMALS if short_name(primal) in AMBIGUOUS], ids=qualified_name
)
def test_one_answer_of_several_is_the_same_one_in_both_modes(primal):
    run(check_adjoint, STAND_IN, primal, "complex128")


def test_no_exception_is_out_of_date():
    listed = {
        (phase, name) for phase, lists in LEDGERS.items() for names in lists for name in names
    }
    names = {name for _, name in listed}
    for primal in PRIMALS:
        for dtype in ("float64", "complex128") if short_name(primal) in names else ():
            test_rules_stay_on_the_device(primal, dtype)
    assert sorted(listed - seen) == []


def test_the_stand_in_notices():
    x = DeviceArray(np.ones(3))
    with pytest.raises(TypeError):
        np.sum(np.ones(3) + x)
    with pytest.raises(TypeError):
        np.asarray(x)
    ledger.clear()
    assert bool(x[0] > 0)
    x[np.array([0])]
    assert ledger == [("waits", "bool"), ("copies to the device", "index")]
    assert isinstance(np.sum(x), DeviceArray)
