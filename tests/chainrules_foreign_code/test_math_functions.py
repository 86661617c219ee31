"""`math` of traced numbers: errors as they are of plain ones."""

import math

import numpy as np
import pytest

from chainrules_foreign_code.math_functions import module_of_numbers
from chainrules_tape import grad

OURS = module_of_numbers(math)


@pytest.mark.parametrize(("f", "x"), [("sqrt", -1.0), ("log", 0.0), ("exp", 1000.0), ("acos", 2.0)])
def test_where_math_raises_it_raises(f, x):
    with pytest.raises((ValueError, OverflowError)) as before:
        getattr(math, f)(x)
    with pytest.raises(type(before.value)):
        grad(getattr(OURS, f))(x)


@pytest.mark.parametrize("z", [0.5 + 0.3j, np.complex128(0.5 + 0.3j), 0.5 + 0j])
@pytest.mark.parametrize(
    "f",
    [
        OURS.sin,
        OURS.gamma,
        OURS.log,
        lambda z: OURS.log(z, 2.0),
        lambda z: OURS.pow(2.0, z),
        lambda z: OURS.fsum([z, z]),
        lambda z: OURS.dist([z], [0.0]),
        lambda z: OURS.hypot(z, 1.0),
        lambda z: z * OURS.floor(z),
        lambda z: z if OURS.isfinite(z) else 0.0,
    ],
)
def test_complex_numbers_are_refused_as_python_does(f, z):
    with pytest.raises(TypeError, match="must be real number, not complex"):
        grad(lambda z: np.abs(f(z)))(z)
