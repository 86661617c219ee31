"""Programs for the array API standard on a device, by the namespace that traced arrays give and by
`array_api_compat`.
"""

import numpy as np
import pytest

import array_api_programs as programs
from chainrules_tape import grad, jvp

pytestmark = pytest.mark.gpu
cupy = pytest.importorskip("cupy")
compat = pytest.importorskip("array_api_compat")
pytest.importorskip("array_api_extra")
NAMESPACES = {
    "own": lambda x: x.__array_namespace__(),
    "compat": compat.array_namespace,
}


def slopes_of(program):
    """The derivatives on NumPy's arrays, by central differences."""
    numpys = compat.array_namespace(programs.POINT)
    return programs.differences(lambda x: float(program(numpys, x)))


@pytest.mark.parametrize("by", NAMESPACES)
@pytest.mark.parametrize("program", [*programs.PLAIN, *programs.EXTRA])
def test_derivatives_are_those_of_differences(program, by):
    wanted = slopes_of(program)

    def f(x):
        return program(NAMESPACES[by](x), x)

    x = cupy.asarray(programs.POINT)
    gradient = grad(f)(x)
    assert isinstance(gradient, cupy.ndarray)
    np.testing.assert_allclose(gradient.get(), wanted, rtol=1e-5, atol=1e-7)
    _, slope = jvp(f, (x,), (cupy.ones(3),))
    np.testing.assert_allclose(slope.get(), wanted.sum(), rtol=1e-5)
