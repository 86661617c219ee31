"""Random programs of copies, orders, views and writes: NumPy's values, NumPy's sharing of memory,
and exact derivatives.

The derivatives come from NumPy: of the first order by complex numbers, whose imaginary part is
exact, and of the second order by differences of those.
"""

import numpy as np
import pytest

from chainrules_tape import compiled, grad, jvp, vjp
from memory_programs import IN_COMPLEX_NUMPY, IN_ENGINE, IN_NUMPY, memory_facts, memory_program
from seeds_of_programs import check_each, groups

COUNT, PER_TEST, ORDINARILY = 3000, 50, 50
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


def check_without_derivatives(seed):
    """A plain call, and a compiled program, have NumPy's value and write what NumPy writes."""
    run = memory_program(seed)
    program = compiled(lambda x, y: run(IN_ENGINE, x, y))
    for scale in (1.0, 0.7):
        theirs, plain, recorded = ([a * scale for a in arguments(seed)] for _ in range(3))
        value = run(IN_NUMPY, *theirs)
        np.testing.assert_allclose(run(IN_ENGINE, *plain), value, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(program(*recorded), value, rtol=1e-12, atol=1e-13)
        for written, a, b in zip(theirs, plain, recorded, strict=True):
            np.testing.assert_allclose([a, b], [written, written], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("first", groups(COUNT, ORDINARILY, PER_TEST))
def test_random_programs_without_derivatives(first):
    check_each(check_without_derivatives, first, PER_TEST)


READ = {
    "array": lambda m, a: m.array(a, copy=None),
    "array of more axes": lambda m, a: m.array(a, copy=False, ndmin=3),
    "asarray": lambda m, a: m.asarray(a, order="A"),
    "asanyarray": lambda m, a: m.asanyarray(a, float),
    "ascontiguousarray": lambda m, a: m.ascontiguousarray(a),
    "asfortranarray": lambda m, a: m.asfortranarray(a),
    "asarray_chkfinite": lambda m, a: m.asarray_chkfinite(a),
    "require": lambda m, a: m.require(a, requirements="C"),
    "conj": lambda m, a: a.conj(),
    "astype": lambda m, a: a.astype(float, copy=False),
}
SOURCES = {
    "argument": lambda m, x: x,
    "transposed": lambda m, x: x.T,
    "result": lambda m, x: x * 1.0,
    "buffer": lambda m, x: m.zeros((2, 2)),
    "buffer by columns": lambda m, x: m.ones((2, 2), order="F"),
    "constant": lambda m, x: m.array([[1.0, 2.0], [3.0, 4.0]]),
}


@pytest.mark.parametrize("read", READ.values(), ids=READ)
@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
@pytest.mark.parametrize("order", "CF")
def test_writes_into_what_shares_memory_without_derivatives(read, source, order):
    def program(m, x):
        a = source(m, x)
        y = read(m, a)
        y[(0,) * y.ndim] = 5.0 * x[1, 1]
        a[1, 1] = 3.0 * x[0, 1]
        return (a * [[1.0, 2.0], [3.0, 5.0]]).sum() + 10 * (y.ravel() * [1.0, 2.0, 3.0, 4.0]).sum()

    x = np.array([[0.3, 0.7], [0.1, 0.2]], order=order)
    expected = program(np, x.copy("K"))
    assert program(IN_ENGINE.np, x.copy("K")) == pytest.approx(expected, rel=1e-14)
    again = compiled(lambda x: program(IN_ENGINE.np, x))
    for _ in range(2):
        assert again(x.copy("K")) == pytest.approx(expected, rel=1e-14)
