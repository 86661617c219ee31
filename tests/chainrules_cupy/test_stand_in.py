"""Every sample of every rule on the stand-in for CuPy: no waiting, no copies, right numbers.

This is what can be said without a device about staying on it. `test_gpu_rules` says it on one.
"""

import warnings
from contextlib import suppress
from operator import getitem as _getitem

import numpy as np
import pytest
from stand_in import DeviceArray, ledger

from chainrules_py import Tangent, default_rules, frule, is_zero, rrule, unthunk
from chainrules_py.identity import qualified_name
from chainrules_py.structure import fields, is_container, rebuild
from chainrules_py.tangents.structural import entries, with_entries
from chainrules_py.testing.random_tangents import random_tangent, seeded
from chainrules_py.testing.samples import load_shipped, sampled_primals, samples_of

DEPENDS = "the shape of the result depends on the numbers, so that CuPy itself waits"
INDEX = "the rule makes an index on the host, which is copied to the device (the host does not wait)"
ON_HOST = "takes positions, repeats or conditions on the host, as NumPy does for those that decide about shapes"
KNOWN = {
    **dict.fromkeys(("argwhere", "array_equal", "flatnonzero", "nonzero", "unique", "where", "compress", "extract"), DEPENDS),
    **dict.fromkeys(("intersect1d", "setdiff1d", "setxor1d", "union1d", "roots", "trim_zeros", "in1d", "isin"), DEPENDS),
    **dict.fromkeys(("unique_all", "unique_counts", "unique_inverse", "unique_values", "place", "putmask"), DEPENDS),
    **dict.fromkeys(("getitem", "replaced"), DEPENDS + " (a mask); of a mask over all axes the pullback does not wait"),
    **dict.fromkeys(("diag", "diagonal", "trace", "einsum", "pad", "take", "take_along_axis", "insert", "delete"), INDEX),
    **dict.fromkeys(
        ("polyval", "chebval", "hermval", "hermeval", "lagval", "legval"), "the rule makes its coefficients on the host"
    ),
    **dict.fromkeys(("repeat", "trapezoid", "delete", "insert"), ON_HOST),
}

REFUSALS = (TypeError, ValueError, AttributeError, IndexError)  # of what CuPy does not have, or takes from the host only

default_rules.load_all()
load_shipped()
PRIMALS = [primal for primal in sampled_primals() if next(default_rules.rules(primal), None) is not None]


def moved(value, change):
    """A value with every array in it changed."""
    if isinstance(value, np.ndarray | DeviceArray):
        return change(value)
    if isinstance(value, Tangent):
        return with_entries(value.primal_type, {key: moved(part, change) for key, part in entries(value).items()})
    if is_container(value):
        return rebuild(value, {key: moved(part, change) for key, part in fields(value).items()})
    return value


def to_device(value):
    return moved(value, lambda x: DeviceArray(x.copy()) if isinstance(x, np.ndarray) and x.dtype.kind in "biufc" else x)


def to_host(value):
    return moved(unthunk(value), lambda x: x.host if isinstance(x, DeviceArray) else x)


def calls(primal):
    """The samples of a primal that NumPy differentiates and whose arrays the device can have."""
    for sample in (*samples_of(primal, "float64"), *samples_of(primal, "complex128")):
        on_device = tuple(map(to_device, sample.args))
        if sample.error is None and any("DeviceArray" in repr(arg) for arg in on_device):
            yield sample, on_device, {key: to_device(value) for key, value in sample.options.items()}


def run_reverse(primal, sample, args, options):
    y, pullback = rrule(primal, *sample.args, **sample.options)
    y_bar = random_tangent(seeded("bar"), y)
    try:
        y_device, pullback_device = rrule(primal, *args, **options)
    except REFUSALS:
        return  # CuPy does not have this function, this option, or this case
    compare(y_device, y)
    if not is_zero(y_bar):
        for got, wanted in zip(pullback_device(to_device(y_bar)), pullback(y_bar), strict=True):
            compare(got, wanted)


def run_forward(primal, sample, args, options):
    dots = tuple(random_tangent(seeded("dot"), arg) for arg in sample.args)
    y, y_dot = frule(dots, primal, *sample.args, **sample.options)
    try:
        y_device, y_dot_device = frule(tuple(map(to_device, dots)), primal, *args, **options)
    except REFUSALS:
        return
    compare(y_dot_device, y_dot)


def compare(got, wanted):
    got, wanted = to_host(got), unthunk(wanted)
    if is_zero(wanted) or isinstance(wanted, Tangent):
        return
    if is_container(wanted):
        for key, part in fields(wanted).items():
            compare(fields(got)[key], part)
    elif isinstance(wanted, np.ndarray | np.generic):
        np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("primal", PRIMALS, ids=qualified_name)
def test_rules_stay_on_the_device(primal):
    known = qualified_name(primal).rpartition(".")[2] in KNOWN
    for sample, args, options in calls(primal):
        ledger.clear()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for run in (run_reverse, run_forward):
                with suppress(*REFUSALS if known else ()):
                    run(primal, sample, args, options)
        assert known or not ledger, (
            f"{qualified_name(primal)} {sample.name}; if CuPy itself must, list it in KNOWN with the reason"
        )


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


def test_a_mask_is_differentiated_without_waiting():
    x, mask = np.arange(6.0).reshape(2, 3), np.array([[True, False, True], [False, True, True]])
    _, pullback = rrule(_getitem, DeviceArray(x), DeviceArray(mask))
    ledger.clear()
    x_bar = to_host(pullback(DeviceArray(np.array([1.0, 2.0, 3.0, 4.0])))[0])
    assert not ledger
    np.testing.assert_array_equal(x_bar, [[1.0, 0.0, 2.0], [0.0, 3.0, 4.0]])


def test_complex_entries_that_are_hit_twice_add_up():
    x, index = DeviceArray(np.zeros(3, complex)), DeviceArray(np.array([0, 0, 2]))
    _, pullback = rrule(_getitem, x, index)
    x_bar = to_host(pullback(DeviceArray(np.array([1j, 2.0, 3.0])))[0])
    np.testing.assert_array_equal(x_bar, [2 + 1j, 0, 3])
