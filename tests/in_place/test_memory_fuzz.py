"""Random programs of copies, orders, views and writes: NumPy's values, NumPy's sharing of memory,
and exact derivatives.

The derivatives come from NumPy: of the first order by complex numbers, whose imaginary part is
exact, and of the second order by differences of those.
"""

import numpy as np
import pytest

from chainrules_tape import grad, jvp, vjp
from memory_programs import IN_COMPLEX_NUMPY, IN_ENGINE, IN_NUMPY, memory_facts, memory_program
from seeds_of_programs import check_each, groups

COUNT, PER_TEST, ORDINARILY = 3000, 100, 200
SIZES = (6, 3)


def arguments(seed):
    """The two arrays that a program is given: the first in either order."""
    draw = np.random.default_rng(seed + 10**6)
    return draw.normal(size=(2, 3)).copy("CF"[seed % 2]), draw.normal(size=3)


def from_flat(flat, like):
    """Arrays of these entries, in the shapes and orders of others."""
    made = [np.zeros_like(a, dtype=flat.dtype) for a in like]
    for a, entries in zip(made, np.split(flat, [SIZES[0]]), strict=True):
        a[...] = entries.reshape(a.shape)
    return made


def flat(arrays):
    return np.concatenate([np.ravel(a) for a in arrays])


def slope(run, point, direction, like):
    """The derivative of a program in NumPy along a direction, exact up to roundoff."""
    h = 1e-30
    return run(IN_COMPLEX_NUMPY, *from_flat(point + 1j * h * direction, like)).imag / h


def curvature(run, point, one, other, like):
    """The second derivative along two directions, by differences of the first that are exact to the
    fourth order.
    """
    h = 1e-3
    weights = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}
    return sum(w * slope(run, point + k * h * other, one, like) for k, w in weights.items()) / h


def check(seed):
    run, args = memory_program(seed), arguments(seed)
    seen = {}

    def noting(name, machine):
        return lambda x, y: run(
            machine, x, y, lambda arrays: seen.setdefault(name, memory_facts(arrays))
        )

    value = noting("NumPy", IN_NUMPY)(*[a.copy("K") for a in args])
    point = flat(args)
    draw = np.random.default_rng(seed)
    direction, probes = draw.normal(size=point.size), draw.normal(size=(2, point.size))
    dots = tuple(from_flat(direction, args))

    found, pullback = vjp(noting("reverse", IN_ENGINE), *args)
    first = flat(pullback(1.0))
    forward, pushed = jvp(noting("forward", IN_ENGINE), args, dots)
    over_reverse = flat(jvp(grad(noting("forward over reverse", IN_ENGINE), (0, 1)), args, dots)[1])

    def along(x, y):
        bars = grad(noting("reverse over reverse", IN_ENGINE), (0, 1))(x, y)
        return sum(np.sum(bar * dot) for bar, dot in zip(bars, dots, strict=True))

    twice = flat(grad(along, (0, 1))(*args))

    np.testing.assert_allclose([found, forward], value, rtol=1e-12, atol=1e-13)
    expected = [slope(run, point, e, args) for e in np.eye(point.size)]
    np.testing.assert_allclose(first, expected, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(pushed, direction @ expected, rtol=1e-9, atol=1e-11)
    second = [curvature(run, point, probe, direction, args) for probe in probes]
    size = np.max(np.abs(over_reverse), initial=1.0)
    np.testing.assert_allclose(probes @ over_reverse, second, rtol=1e-7, atol=1e-8 * size)
    np.testing.assert_allclose(probes @ twice, second, rtol=1e-7, atol=1e-8 * size)
    for name in ("reverse", "forward", "forward over reverse", "reverse over reverse"):
        assert seen[name] == seen["NumPy"], name


@pytest.mark.parametrize("first", groups(COUNT, ORDINARILY, PER_TEST))
def test_random_programs(first):
    check_each(check, first, PER_TEST)
