"""Every sample of every rule on the stand-in for CuPy: no waiting, no copies, right numbers.

This is what can be said without a device about staying on it. `test_gpu_rules` says it on one.
"""

import warnings
from contextlib import nullcontext, suppress
from operator import getitem as _getitem

import numpy as np
import pytest
from stand_in import DeviceArray, ledger, library

from chainrules_py import Tangent, default_rules, frule, is_zero, rrule, unthunk
from chainrules_py.identity import qualified_name
from chainrules_py.structure import fields, is_container, rebuild
from chainrules_py.tangents.structural import entries, with_entries
from chainrules_py.testing.random_tangents import random_tangent, seeded
from chainrules_py.testing.samples import load_shipped, sampled_primals, samples_of

# What may be written into the ledger, by phase and primal; everywhere else and by everything else: nothing.
DEPENDS = "the shape of the result depends on the numbers, so that CuPy itself waits"
LISTS = "a list that the caller gave is copied to the device, as CuPy copies it; the host does not wait"
WAITS_FOR_VALUE = {
    **dict.fromkeys(("argwhere", "array_equal", "flatnonzero", "nonzero", "unique", "where", "compress", "extract"), DEPENDS),
    **dict.fromkeys(("intersect1d", "setdiff1d", "setxor1d", "union1d", "roots", "trim_zeros", "repeat", "delete"), DEPENDS),
    "getitem": DEPENDS + " (a mask)",
}
WAITS_FOR_TANGENT = {
    **dict.fromkeys(("unique_all", "unique_counts", "unique_inverse", "unique_values"), DEPENDS),
}
WAITS_FOR_COTANGENT = {
    "getitem": "a mask next to other indices than full slices",
}
COPIES = dict.fromkeys(("getitem",), LISTS)
COPIES_FOR_COTANGENT = dict.fromkeys(("take", "getitem", "compress"), LISTS)
LEDGERS = {
    "value": (WAITS_FOR_VALUE, COPIES),
    "cotangents": (WAITS_FOR_COTANGENT, COPIES_FOR_COTANGENT),
    "tangent": (WAITS_FOR_VALUE | WAITS_FOR_TANGENT, COPIES),
}

REFUSED = {"block": "a number among arrays: the rule makes a NumPy array of it, which CuPy does not take next to its own"}

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


def on_cupy(primal, args, options):
    """Whether CuPy computes this call at all, by itself or with our completions: it has the function, the option, the case."""
    try:
        with np.errstate(all="ignore"):
            library.implementation(primal)(*args, **options)
    except REFUSALS:
        return False
    return True


def run_reverse(primal, sample, args, options):
    """What each phase wrote into the ledger."""
    y, pullback = rrule(primal, *sample.args, **sample.options)
    y_bar = random_tangent(seeded("bar"), y)
    ledger.clear()
    y_device, pullback_device = rrule(primal, *args, **options)
    yield "value", tuple(ledger)
    compare(y_device, y)
    if not is_zero(y_bar):
        ledger.clear()
        bars = tuple(map(unthunk, pullback_device(bar_on_device(y_bar))))
        yield "cotangents", tuple(ledger)
        for got, wanted in zip(bars, pullback(y_bar), strict=True):
            compare(got, wanted)


def bar_on_device(y_bar):
    """A cotangent as it comes from a device: that of a result of shape () is an array too."""
    return to_device(np.asarray(y_bar) if isinstance(y_bar, np.generic | float | complex) else y_bar)


def run_forward(primal, sample, args, options):
    """The same."""
    dots = tuple(random_tangent(seeded("dot"), arg) for arg in sample.args)
    y, y_dot = frule(dots, primal, *sample.args, **sample.options)
    dots_device = tuple(map(to_device, dots))
    ledger.clear()
    y_device, y_dot_device = frule(dots_device, primal, *args, **options)
    yield "tangent", tuple(ledger)
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


def is_refused(primal, args):
    """Whether a call is one of those that CuPy computes and our rules refuse."""
    return qualified_name(primal).rpartition(".")[2] in REFUSED and any(isinstance(leaf, float) for leaf in leaves(args))


def leaves(value):
    return [leaf for part in fields(value).values() for leaf in leaves(part)] if is_container(value) else [value]


def unexpected(primal, phase, entries_made):
    """What a phase wrote into the ledger, without what is expected of this primal."""
    name = qualified_name(primal).rpartition(".")[2]
    waits, copies = LEDGERS[phase]
    return [made for made in entries_made if name not in (waits if made[0] == "waits" else copies)]


@pytest.mark.parametrize("primal", PRIMALS, ids=qualified_name)
def test_rules_stay_on_the_device(primal):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample, args, options in calls(primal):
            if is_refused(primal, args):
                with pytest.raises(TypeError):
                    rrule(primal, *args, **options)
                continue
            for run in (run_reverse, run_forward):
                # Some rules compute what CuPy has no function for; the others may raise what CuPy would.
                with suppress(*REFUSALS) if not on_cupy(primal, args, options) else nullcontext():
                    for phase, made in run(primal, sample, args, options):
                        assert not unexpected(primal, phase, made), f"{qualified_name(primal)} {sample.name}, {phase}"


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


def test_no_exception_is_out_of_date():
    listed = {(phase, name) for phase, lists in LEDGERS.items() for names in lists for name in names}
    seen = set()
    for primal in PRIMALS:
        name = qualified_name(primal).rpartition(".")[2]
        if not any(name == other for _, other in listed):
            continue
        for sample, args, options in calls(primal):
            for run in (run_reverse, run_forward):
                with suppress(*REFUSALS):
                    seen |= {(phase, name) for phase, made in run(primal, sample, args, options) if made}
    assert sorted(listed - seen) == []
