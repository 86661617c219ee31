"""Radial basis functions: SciPy's `RBFInterpolator`, written in functions that have rules.

With kernels K between the data and monomials P at them, the coefficients solve [[K + smoothing, P],
[P^T, 0]] [a, b] = [d, 0]. All dimensions but the last two are those of a stack of such systems:
with `neighbors`, one for each point.
"""

from itertools import combinations_with_replacement
from math import comb
from typing import Any

import numpy as np
from scipy.spatial import KDTree

from chainrules_py.errors import OptionError
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.rulesets.formulas.without_cancellation import root_flat_at_zero

# The kernels as functions of the squared distance, the lowest degree of the polynomial beside them,
# and whether units matter.
KERNELS: dict[str, tuple[Any, int, bool]] = {
    "linear": (lambda z: -root_flat_at_zero(z, np), 0, False),
    "thin_plate_spline": (lambda z: 0.5 * z * np.log(np.where(z > 0, z, 1.0)), 1, False),
    "cubic": (lambda z: z * root_flat_at_zero(z, np), 1, False),
    "quintic": (lambda z: -z * z * root_flat_at_zero(z, np), 2, False),
    "multiquadric": (lambda z: -np.sqrt(z + 1), 0, True),
    "inverse_multiquadric": (lambda z: 1 / np.sqrt(z + 1), -1, True),
    "inverse_quadratic": (lambda z: 1 / (z + 1), -1, True),
    "gaussian": (lambda z: np.exp(-z), -1, True),
}


def radial_interpolant(
    y,
    d,
    x,
    neighbors: Any = None,
    smoothing: Any = 0.0,
    kernel: str = "thin_plate_spline",
    epsilon: Any = None,
    degree: Any = None,
) -> Any:
    """The values at points x of the interpolant of the values d at points y.

    The options are those of SciPy's `RBFInterpolator`.
    """
    if kernel not in KERNELS:
        raise radial_option_error("kernel", kernel, f"choose one of {', '.join(KERNELS)}")
    if epsilon is None and KERNELS[kernel][2]:
        raise radial_option_error("epsilon", epsilon, "pass a number for this kernel")
    degree = max(KERNELS[kernel][1], 0) if degree is None else degree
    shape, values = d.shape[1:], np.reshape(d, (d.shape[0], -1))
    smoothing = smoothing * np.ones(y.shape[0])
    scale = 1.0 if epsilon is None else epsilon
    if neighbors is None:
        found = solved(y, values, x, smoothing, kernel, scale, degree)
    else:
        # a list keeps the axis of the neighbours where there is only one
        nearest: Any = list(range(1, min(neighbors, len(y)) + 1))
        near = KDTree(ignore_derivatives(y)).query(ignore_derivatives(x), nearest)[1]
        one_by_one = x[:, None]
        found = solved(y[near], values[near], one_by_one, smoothing[near], kernel, scale, degree)
        found = found[:, 0]
    return np.reshape(found, (x.shape[0], *shape))


def radial_option_error(option: str, value, instead: str) -> OptionError:
    """Make the error for an option."""
    where = f"scipy.interpolate.RBFInterpolator: {option}"
    return OptionError(where, f"got {value!r}", instead, primal=None, option=option, value=value)


def solved(y, d, x, smoothing, kernel: str, epsilon, degree: int) -> Any:
    """The values at points, of one system or of a stack of them."""
    plain = ignore_derivatives(y)
    count = comb(degree + y.shape[-1], y.shape[-1]) if degree >= 0 else 0

    # constants, as they do not change the result but for its rounding
    low, high = plain.min(-2, keepdims=True), plain.max(-2, keepdims=True)
    middle = (low + high) / 2
    width = np.where(high > low, (high - low) / 2, 1.0)
    of_data = monomials((y - middle) / width, degree, count)
    of_points = monomials((x - middle) / width, degree, count)

    stack = plain.shape[:-2]
    matrix = kernels(y, y, kernel, epsilon) + smoothing[..., None] * np.eye(y.shape[-2])
    above = np.concatenate([matrix, of_data], axis=-1)
    corner = np.zeros((*stack, count, count))
    below = np.concatenate([np.swapaxes(of_data, -1, -2), corner], axis=-1)
    system = np.concatenate([above, below], axis=-2)
    right = np.concatenate([d, np.zeros((*stack, count, d.shape[-1]))], axis=-2)

    at_points = np.concatenate([kernels(x, y, kernel, epsilon), of_points], axis=-1)
    return at_points @ np.linalg.solve(system, right)


def kernels(x, y, kernel: str, epsilon) -> Any:
    """The kernel between each of some points and each of others."""
    gaps = epsilon * (x[..., :, None, :] - y[..., None, :, :])
    return KERNELS[kernel][0](np.sum(gaps * gaps, -1))


def monomials(x, degree: int, count: int) -> Any:
    """All products of up to `degree` coordinates, in the last axis."""
    if not count:
        return np.zeros((*x.shape[:-1], 0))
    powers = [
        index
        for k in range(degree + 1)
        for index in combinations_with_replacement(range(x.shape[-1]), k)
    ]
    return np.stack([np.prod(x[..., list(index)], -1) for index in powers], -1)
