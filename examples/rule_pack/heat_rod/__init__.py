"""A rod that conducts heat: compiled functions, which engines take as one operation each."""

import numpy as np

from chainrules_py import primitive
from heat_rod import kernels


def for_kernels(x) -> np.ndarray:
    """Return an array as the kernels take it; the array itself, where it is such a one."""
    if np.iscomplexobj(x):  # of which `np.require` keeps the real part
        raise TypeError("heat_rod: got complex numbers; pass their real and imaginary parts")
    return np.require(x, float, ["C", "W"])


def as_given(result, *args):
    """Return what a kernel computed in the precision of the arguments: float32 stays float32."""
    dtype = np.result_type(*map(np.asarray, args), np.float16)
    return np.asarray(result, dtype)[()]


@primitive
def conductivity(temperature):
    """The part 1 / (1 + exp(-temperature)) of the full conductivity, entry by entry."""
    x = for_kernels(temperature)
    out = np.empty_like(x)
    kernels.logistic(x.reshape(-1), out.reshape(-1))
    return as_given(out, temperature)


@primitive
def solve_tridiagonal(lower, diagonal, upper, b):
    """The x with A x = b, where A has these entries below, on and above its diagonal."""
    x = np.array(for_kernels(b))
    kernels.eliminate(for_kernels(lower), for_kernels(diagonal), for_kernels(upper), x)
    return as_given(x, lower, diagonal, upper, b)


@primitive
def stored_heat(temperature, position):
    """The integral of the temperature along the rod, by trapezoids."""
    heat = kernels.trapezoids(for_kernels(temperature), for_kernels(position))
    return as_given(heat, temperature, position)
