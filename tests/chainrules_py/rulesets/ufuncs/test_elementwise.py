"""Elementwise functions: every ufunc has a rule, and what happens at zeros, kinks, ties and
infinities.
"""

import numpy as np
import pytest

from chainrules_numpy.coverage import classify
from chainrules_py import ZERO, default_rules, frule, rrule
from chainrules_py.testing import check_rule
from chainrules_py.values.identity import existing
from slopes import quotients


def test_every_float_ufunc_of_numpy_has_a_rule():
    known = {
        f
        for f in vars(np).values()
        if isinstance(f, np.ufunc) and classify(f.__name__, f) is not None
    }
    ufuncs = {f for f in known if any("d->d" in t or "dd->d" in t for t in f.types)}
    assert [
        f.__name__
        for f in ufuncs
        if not any(rule.mode == "reverse" for rule in default_rules.rules(f))
    ] == []


UFUNCS = {found for found in vars(np).values() if isinstance(found, np.ufunc)}
OF_COMPLEX_NUMBERS = sorted(
    (f for f in UFUNCS if f.nin == f.nout == 1 and "D->D" in f.types), key=lambda f: f.__name__
)
BESIDE_CUTS = [complex(x, zero) for x in (2.0, -2.0, 0.6, -0.6) for zero in (0.0, -0.0)]


@pytest.mark.parametrize("z", BESIDE_CUTS)
@pytest.mark.parametrize("primal", OF_COMPLEX_NUMBERS)
def test_slopes_are_those_of_the_side_of_a_cut(primal, z):
    # along the real axis, where the sign of a zero says on which side of a cut a number is
    _, y_dot = frule((1.0 + 0.0j,), primal, np.complex128(z))
    slope = quotients(lambda x: primal(complex(x, z.imag)), z.real, 1e-5)
    np.testing.assert_allclose(0 if y_dot is ZERO else y_dot, slope, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("primal", [np.power, np.float_power])
def test_the_exponent_zero_has_right_second_derivatives(primal):
    check_rule(primal, np.array([0.5, 2.0]), np.zeros(2))


@pytest.mark.parametrize("primal", [np.floor, np.ceil, np.trunc, np.rint, *existing(np, "fix")])
def test_steps_are_zero_by_type(primal):
    assert rrule(primal, np.array([0.3, 1.0]))[1](np.ones(2)) == (ZERO,)
