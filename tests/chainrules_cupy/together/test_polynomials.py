"""`numpy.polynomial` on a device: how often it waits."""

import numpy as np
import pytest
from numpy.polynomial import polyutils

from chainrules_py import frule, rrule
from chainrules_py.rulesets.polynomial.families import FAMILIES
from stand_ins.devices import GPU
from stand_ins.waiting import counted, is_counted

pytestmark = pytest.mark.gpu
each_family = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.prefix)
X, C, A = np.array([0.5, -0.25]), np.array([1.5, -0.5, 0.75]), np.array([0.5, 2.0])


def watched(f):
    """The answer, and how often it waited and copied."""
    before = counted()
    return f(), tuple(np.subtract(counted(), before))


NEVER, ONCE = (0, 0), (1, 0)
TRIMMED = {
    "add": (A, C),
    "a sum that cancels": ("sub", C, C * [0, 1, 1]),
    "sub": (A, C),
    "mul": (A, C),
    "mulx": (C,),
}


def check_waits(primal, args, options, forwards):
    """The value and the tangent wait like this, the cotangents never."""
    if not is_counted():
        pytest.skip("this device counts neither waits nor copies")
    given = GPU.put(args)
    (y, pullback), value = watched(lambda: rrule(primal, *given, **options))
    _, cotangents = watched(lambda: pullback(y))
    _, tangent = watched(lambda: frule(given, primal, *given, **options))
    assert (value, cotangents, tangent) == (forwards, NEVER, forwards)


@pytest.mark.parametrize("name", TRIMMED)
@each_family
def test_what_trims_waits_once(family, name):
    args = TRIMMED[name]
    name, args = (args[0], args[1:]) if isinstance(args[0], str) else (name, args)
    check_waits(family.function(name), args, {}, ONCE)


@pytest.mark.parametrize("tol", [0.6, 5.0])
def test_small_coefficients_wait_once(tol):
    check_waits(polyutils.trimcoef, (np.array([0.5, 1.5, 0.25]),), {"tol": tol}, ONCE)


@pytest.mark.parametrize("c", [[0.0], [2.0]], ids=["zero", "two"])
@each_family
def test_an_integral_waits_for_a_single_coefficient_alone(family, c):
    primal, options = family.function("int"), {"m": 3, "k": [0, 1.5], "lbnd": 0.5}
    check_waits(primal, (np.array(c),), options, ONCE)
    check_waits(primal, (C,), options, NEVER)


@each_family
def test_arrays_of_numpy_next_to_a_device_are_errors(family):
    with pytest.raises(TypeError):
        rrule(family.function("val"), GPU.put(X), C)
