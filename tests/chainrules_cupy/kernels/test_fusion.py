"""Fused products, compiled for the host, against the rule as NumPy runs it: every scalar rule,
every dtype, every broadcast.
"""

from functools import cache

import numpy as np
import pytest

from chainrules_cupy.kernels.fusion import FOLDED, key_of
from chainrules_cupy.kernels.plans import Launcher
from chainrules_py import NO_TANGENT, ZERO, unthunk
from chainrules_py.values.arrays import numpy_library
from stand_ins.host_kernels import HAS_COMPILER, Collecting, Compiled
from stand_ins.scalar_cases import (
    CASES,
    NUMBERS,
    RULES,
    SHAPES,
    SINGULAR,
    arguments,
    bound,
    forward,
    is_fused,
    library_with,
    name_of,
    powers_of_zero,
    reverse,
    run_all,
    singular,
    with_number,
)

pytestmark = pytest.mark.skipif(
    not HAS_COMPILER, reason="no g++ to compile the kernels for the host"
)

TOLERANCES = {"f2": 4e-3, "f4": 2e-5, "f8": 1e-12, "c8": 2e-5, "c16": 1e-12}
# nothing to fuse, several outputs, a partial that is zero, or a function that C++ does not have
WITHOUT_KERNEL = {
    *("add", "subtract", "negative", "positive", "divmod"),
    *("modf", "frexp", "ldexp", "floor", "ceil", "trunc", "rint"),
    *("spacing", "copysign", "heaviside", "nextafter", "i0", "bessel_over_power", "logn"),
}


@cache
def launcher():
    """The sources that all the cases need, compiled as one file."""
    collecting = Collecting()
    run_all(library_with(collecting.launcher))
    return Compiled(collecting.sources)


@pytest.mark.parametrize("case", CASES, ids=name_of)
@pytest.mark.parametrize("mode", [reverse, forward])
def test_the_kernel_computes_what_numpy_computes(mode, case):
    found, expected = mode(library_with(launcher().launcher), *case), mode(numpy_library(), *case)
    for got, wanted in zip(found, expected, strict=True):
        if wanted is ZERO or wanted is NO_TANGENT:
            assert got is wanted
            continue
        assert got.dtype == wanted.dtype
        assert got.shape == np.shape(wanted)
        tolerance = TOLERANCES[case[1]]
        np.testing.assert_allclose(got, unthunk(wanted), rtol=tolerance, atol=tolerance)


def test_which_rules_have_a_kernel():
    library = library_with(Collecting().launcher)
    without = {
        getattr(p, "__name__", "")
        for p, rules in RULES.items()
        if not is_fused(bound(rules["reverse"], library, len(rules["reverse"].types)))
    }
    assert without <= WITHOUT_KERNEL
    assert without >= {"add", "subtract", "divmod"}


def reversed_entries(x):
    """Functions of SciPy's that are written in Python make arrays of their arguments, too, and
    select among the entries.
    """
    return np.asarray(x)[::-1]


def test_a_partial_that_makes_an_array_of_its_argument_has_no_kernel():
    fuse = library_with(Collecting().launcher).fuse
    scope = {"partial_x": reversed_entries}
    assert fuse("reversed", ("y_bar * partial_x(x)",), ("y_bar", "x"), scope) is None


# Where partials are not finite


@pytest.mark.parametrize(("primal", "point", "seed"), SINGULAR)
def test_a_zero_cotangent_stays_zero_where_the_partial_is_infinite(primal, point, seed):
    found = singular(library_with(launcher().launcher), primal, point, seed)
    np.testing.assert_array_equal(found, [0.0] if seed == 0 else [np.inf])


@pytest.mark.parametrize("dtype", ["f8", "c8", "c16"])
def test_zero_to_the_power_of_zero_is_one(dtype):
    """Of complex numbers `pow` says that it is nan."""
    np.testing.assert_array_equal(
        powers_of_zero(library_with(launcher().launcher), dtype), [0, 1.5, 0]
    )


# Python numbers


@pytest.mark.parametrize(("primal", "number"), NUMBERS)
def test_numbers_are_parameters_or_part_of_the_kernel(primal, number):
    found = with_number(library_with(launcher().launcher), primal, number)
    np.testing.assert_allclose(found, with_number(numpy_library(), primal, number), rtol=1e-6)
    assert found.dtype == np.float32


def test_a_small_constant_is_part_of_the_kernel_and_another_is_not():
    collecting = Collecting()
    library = library_with(collecting.launcher)
    with_number(library, np.power, 2)
    with_number(library, np.power, 0.5)
    folded, given = (source for source in collecting.sources)
    assert [p.name for p in folded.parameters] == ["in_out_bar", "in_x1"]
    assert [p.name for p in given.parameters] == ["in_out_bar", "in_x1", "in_x2"]
    assert "pow(" not in folded.products[0].definition
    assert 2 in FOLDED


# Launches


@pytest.mark.parametrize(
    ("shapes", "launches"), [(SHAPES["equal"], 1), (SHAPES["broadcast"], 2), (SHAPES["both"], 2)]
)
def test_one_launch_for_all_of_the_same_shape_and_one_per_reduction(shapes, launches):
    compiled = launcher()
    args, before = arguments(2, "f8", shapes), compiled.launches
    _, pullback = bound(RULES[np.multiply]["reverse"], library_with(compiled.launcher), 2)(*args)
    pullback(np.ones((2, 3)))
    assert compiled.launches - before == launches


# that would leave the device idle: the wide shape, that of the argument, the axes summed on the way
FEW_RESULTS = {
    "in slices": ("f8", (8192, 32), (32,), [(1,)]),
    "in slices, and a rest": ("f8", (8300, 32), (32,), [(1,), (0,)]),
    "in slices, over other axes too": ("f8", (9000, 8, 4), (8, 1), [(1, 3), (0, 2)]),
    "stored, where the first axis stays": ("f8", (30, 9000), (30, 1), []),
    "at once, where it is rounded once": ("f2", (8300, 32), (32,), [(0,)]),
}


@pytest.mark.parametrize("name", FEW_RESULTS)
def test_sums_to_few_numbers(name):
    dtype, wide, shape, wanted = FEW_RESULTS[name]
    axes, compiled = [], launcher()

    def summing(source):
        launch = compiled.summing(source)
        return lambda *operands, axis: axes.append(axis) or launch(*operands, axis=axis)

    x1, x2 = arguments(2, dtype, [wide, shape])
    rule = RULES[np.multiply]["reverse"]
    library = library_with(Launcher(compiled.elementwise, summing))
    _, pullback = bound(rule, library, 2)(x1, x2)
    # in half precision NumPy's own sum of as many numbers ends at 2048
    _, in_double = bound(rule, numpy_library(), 2)(x1.astype(float), x2.astype(float))
    _, found = pullback(np.ones_like(x1))
    _, expected = in_double(np.ones(x1.shape))
    assert axes == wanted
    assert (found.shape, found.dtype) == (shape, np.dtype(dtype))
    np.testing.assert_allclose(found, unthunk(expected), rtol=2e-2 if dtype == "f2" else 1e-9)


def test_numbers_that_are_equal_are_told_apart():
    keys = [key_of(x) for x in (2, 2.0, 2 + 0j, True, 1, 0.5, 3.5, 7, np.float64(2), np.float32(2))]
    assert len(set(keys)) == len(keys) - 1  # 0.5 and 3.5 are both just some float
    assert key_of(0.5) == key_of(3.5)


def test_a_cotangent_that_is_not_the_librarys_own_goes_the_general_way():
    class Traced(np.ndarray):
        pass

    compiled = launcher()
    before = compiled.launches
    _, pullback = bound(RULES[np.sin]["reverse"], library_with(compiled.launcher), 1)(
        np.array([0.5])
    )
    (x_bar,) = pullback(np.array([2.0]).view(Traced))
    assert type(x_bar) is Traced
    assert compiled.launches == before


@pytest.mark.parametrize(
    "primal", [np.maximum, np.minimum, np.fmax, np.fmin, np.absolute, np.hypot, np.arctan2]
)
def test_ties_kinks_and_nan(primal):
    args = [
        np.array([[1.0, 1.0, np.nan], [0.0, -0.0, 2.0]]),
        np.array([[1.0, 2.0, 0.0], [0.0, 0.0, np.nan]]),
    ][: primal.nin]
    seed = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    found, expected = (
        bound(RULES[primal]["reverse"], library, primal.nin)(*args)[1](seed)
        for library in (library_with(launcher().launcher), numpy_library())
    )
    for got, wanted in zip(found, expected, strict=True):
        np.testing.assert_array_equal(got, wanted)
