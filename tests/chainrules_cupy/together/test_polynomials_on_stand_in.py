"""`numpy.polynomial` on the stand-in for CuPy: how often it waits, and numbers and lists among
arrays of the device.
"""

import numpy as np
import pytest
from numpy.polynomial import polyutils

import chainrules_tape as tape
from chainrules_py import Tangent, frule, is_zero, rrule
from chainrules_py.rulesets.polynomial.families import FAMILIES
from chainrules_tape.numpy import interceptable
from stand_ins.devices import STAND_IN
from stand_ins.stand_in import DeviceArray, ledger

each_family = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.prefix)
X, C, A = np.array([0.5, -0.25]), np.array([1.5, -0.5, 0.75]), np.array([0.5, 2.0])


def watched(f):
    """The answer and what it wrote into the ledger."""
    ledger.clear()
    return f(), [*ledger]


# --- How often ---

ONCE = [("waits", "int")]
TRIMMED = {
    "add": (A, C),
    "a sum that cancels": ("sub", C, C * [0, 1, 1]),
    "sub": (A, C),
    "mul": (A, C),
    "mulx": (C,),
}


def check_waits(primal, args, options, forwards):
    """The value and the tangent wait like this, the cotangents never; the numbers are NumPy's."""
    expected, pullback = rrule(primal, *args, **options)
    bar, given = np.cos(np.arange(expected.size)), STAND_IN.put(args)
    (y, pullback_device), value = watched(lambda: rrule(primal, *given, **options))
    bars, cotangents = watched(lambda: pullback_device(DeviceArray(bar)))
    (_, y_dot), tangent = watched(lambda: frule(given, primal, *given, **options))
    assert (value, cotangents, tangent) == (forwards, [], forwards)
    np.testing.assert_allclose(y.host, primal(*args, **options), rtol=1e-12)
    np.testing.assert_allclose(y_dot.host, frule(args, primal, *args, **options)[1], rtol=1e-12)
    for found, wanted in zip(bars, pullback(bar), strict=True):
        np.testing.assert_allclose(found.host, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", TRIMMED)
@each_family
def test_what_trims_waits_once(family, name):
    args = TRIMMED[name]
    name, args = (args[0], args[1:]) if isinstance(args[0], str) else (name, args)
    check_waits(family.function(name), args, {}, ONCE)


@each_family
def test_powers_and_conversions_wait_once(family):
    check_waits(family.function("pow"), (C,), {"pow": 3}, ONCE)
    for name in (
        ("poly2" + family.prefix, family.prefix + "2poly") if family is not FAMILIES[0] else ()
    ):
        check_waits(getattr(family.module, name), (C,), {}, ONCE)


@pytest.mark.parametrize("tol", [0.6, 5.0])
def test_small_coefficients_wait_once(tol):
    check_waits(polyutils.trimcoef, (np.array([0.5, 1.5, 0.25]),), {"tol": tol}, ONCE)


@pytest.mark.parametrize("c", [[0.0], [2.0]], ids=["zero", "two"])
@each_family
def test_an_integral_waits_for_a_single_coefficient_alone(family, c):
    primal, options = family.function("int"), {"m": 3, "k": [0, 1.5], "lbnd": 0.5}
    check_waits(primal, (np.array(c),), options, ONCE)
    check_waits(primal, (C,), options, [])


# --- Numbers and lists ---

CALLS = {
    "a number as the point": ("val", (0.5, C)),
    "a whole number as the point": ("val", (2, C)),
    "a number as the coefficients": ("val", (X, 1.5)),
    "a list of coefficients": ("val", (X, [1.5, 2, 0.5])),
    "lists in a list": ("val", (X, [[1.5, 2], [0.5, 1]])),
    "a tuple of whole numbers": ("val", (X, (1, 2, 3))),
    "arrays in a list": ("val", (X, [A, C[:2]])),
    "a list of points": ("val", ([0.5, 1.5], C)),
    "a number as one of two points": ("val2d", (0.5, np.array(1.5), np.outer(A, C))),
    "a list for a grid": ("grid2d", ([0.5, 1.5], X, np.outer(A, C))),
    "points of a fit": ("fit", ([-1.0, 0.5, 2.0], C), {"deg": 1}),
    "values of a fit": ("fit", (C, [-1.0, 0.5, 2.0]), {"deg": 1}),
    "a list to integrate": ("int", ([0.5, 1.5],), {"k": 2.0}),
}


def numbered(call):
    """A call's function by name, arguments and options."""
    return (*call, {})[:3]


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@each_family
def test_numbers_and_lists_go_to_the_device_without_copies(family, call):
    name, args, options = numbered(call)
    primal = family.function(name)
    expected, pullback = rrule(primal, *args, **options)
    given = STAND_IN.put(args)
    if name == "int":
        given = ([DeviceArray(np.array(given[0][0])), given[0][1]],)
    (y, pullback_device), made = watched(lambda: rrule(primal, *given, **options))
    bars = STAND_IN.fetch(pullback_device(DeviceArray(np.ones(y.shape))))
    assert not made
    np.testing.assert_allclose(y.host, expected, rtol=1e-12)
    for found, wanted in zip(bars, pullback(np.ones(y.shape)), strict=True):
        compare(found, wanted)


def compare(found, wanted):
    """Entry by entry, where a list has a cotangent."""
    if isinstance(wanted, Tangent):
        for one, other in zip(found, wanted, strict=True):
            compare(one, other)
    elif is_zero(wanted):
        assert is_zero(found)
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-15)


SECOND = {
    "grad of grad": lambda f: tape.grad(tape.grad(f)),
    "forward over reverse": lambda f: lambda t: tape.jvp(tape.grad(f), (t,), (1.0,))[1],
    "reverse over forward": lambda f: tape.grad(lambda t: tape.jvp(f, (t,), (1.0,))[1]),
    "forward twice": lambda f: (
        lambda t: tape.jvp(lambda t: tape.jvp(f, (t,), (1.0,))[1], (t,), (1.0,))[1]
    ),
}
OF_A_NUMBER = {
    "point": lambda put, val: lambda t: np.sum(val(t, put(C)) ** 3),
    "coefficients": lambda put, val: lambda t: np.sum(val(put(X), t) ** 3),
    "an entry of a list": lambda put, val: lambda t: np.sum(val(put(X), [1.5, t, t]) ** 3),
    "an entry of a list in a list": lambda put, val: (
        lambda t: np.sum(val(put(X), [[1.5, t], [t, 2.0]]) ** 3)
    ),
}


@pytest.mark.parametrize("transform", SECOND)
@pytest.mark.parametrize("name", OF_A_NUMBER)
@each_family
def test_second_derivatives_in_a_number(family, name, transform):
    function = OF_A_NUMBER[name](STAND_IN.put, interceptable(family.function("val")))
    found, made = watched(lambda: SECOND[transform](function)(0.3))
    h, plain = 1e-3, OF_A_NUMBER[name](lambda x: x, family.function("val"))
    slopes = [plain(0.3 + k * h) for k in (-2, -1, 0, 1, 2)]
    assert not made
    assert STAND_IN.fetch(found) == pytest.approx(
        np.dot([-1, 16, -30, 16, -1], slopes) / (12 * h * h), rel=1e-6
    )


@each_family
def test_arrays_of_numpy_next_to_a_device_are_errors(family):
    with pytest.raises(TypeError):
        rrule(family.function("val"), STAND_IN.put(X), C)
