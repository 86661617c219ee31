"""Plain `numpy.polynomial` on traced values, which NumPy hands over to nobody: each function is
right, or it raises.

With `chainrules_tape.numpy` in its place each function that has a rule is right; `test_conformance`
runs all its samples.
"""

from contextlib import suppress
from functools import partial

import numpy as np
import pytest
from numpy.polynomial import chebyshev, legendre, polynomial

from chainrules_numpy.coverage import series_functions
from chainrules_py import ChainRulesError
from chainrules_py.testing import load_shipped, samples_of
from chainrules_tape import grad
from product.judge import Case
from product.programs import Program
from product.ways import WHOLE
from slopes import along

load_shipped()

C, ROOTS = np.array([-6.0, 11.0, -6.0, 1.0]), np.array([1.0, 2.0, 3.5])
FUNCTIONS = {name: (function, suffix) for name, suffix, function in series_functions()}


def functions_of_one_argument(function):
    """The calls of its samples as functions of one of their arguments, and that argument."""
    calls = [
        (sample.args, sample.options)
        for sample in samples_of(function, "float64")
        if sample.error is None
    ]
    for args, options in calls:
        for i, x in enumerate(args):
            if isinstance(x, np.ndarray | float):
                yield along(partial(function, **options), args, i), x


def check(f, x):
    """Value and derivative against NumPy's own function, in both modes."""
    case = Case(Program("", f, f, (x,), frozenset()))
    for way in ("pullback", "pushforward"):
        WHOLE[way](case)


def check_unless_it_raises(f, x):
    """Run `check` where traced values come through at all; a function that raises passes."""
    with suppress(ChainRulesError, TypeError):
        check(f, x)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_plain_numpy_is_right_or_raises(name):
    for f, x in functions_of_one_argument(FUNCTIONS[name][0]):
        check_unless_it_raises(f, x)


MODULES = sorted(
    {function.__module__ for function, suffix in FUNCTIONS.values() if suffix == "val"}
)


@pytest.mark.parametrize("module", MODULES)
def test_plain_numpy_evaluates_at_traced_points(module):
    val = next(
        function
        for function, suffix in FUNCTIONS.values()
        if suffix == "val" and function.__module__ == module
    )
    for x in (0.5, ROOTS, np.ones((2, 2)) * 0.3):
        check(lambda t: val(t, C), x)


@pytest.mark.skipif(
    not hasattr(polynomial.polyval2d, "_implementation"),
    reason="before NumPy 2.4 they are not handed over",
)
@pytest.mark.parametrize("name", ["polyval2d", "polygrid2d"])
def test_numpy_hands_over_two_of_them(name):
    function = getattr(polynomial, name)
    check(lambda t: function(t, ROOTS, C.reshape(2, 2)), 1.5 * ROOTS)
    check(lambda c: function(ROOTS, 2 * ROOTS, c), C.reshape(2, 2))


def test_an_object_of_numpys_class_is_right_or_raises():
    check_unless_it_raises(legendre.Legendre(C, domain=[-2.0, 5.0]), ROOTS)


@pytest.mark.parametrize("make", [chebyshev.Chebyshev, legendre.Legendre, polynomial.Polynomial])
def test_an_object_of_numpys_class_made_of_traced_coefficients_raises(make):
    with pytest.raises(ChainRulesError):
        grad(lambda c: make(c)(0.5))(C)
