"""The kernels as CuPy gets them: declared, and launched where there is a device. That all of them
compile there, `together/test_gpu_rules` says.
"""

import cupy
import numpy as np
import pytest

from chainrules_cupy.kernels import launching
from chainrules_cupy.kernels.adding import adding
from chainrules_cupy.kernels.writing import KernelSource
from chainrules_cupy.scatter import chosen_kernel
from stand_ins.host_kernels import HAS_COMPILER, Collecting, Compiled
from stand_ins.scalar_cases import arguments, bound, library_with, run_all


@pytest.fixture(scope="module")
def sources():
    collecting = Collecting()
    run_all(library_with(collecting.launcher))
    made = list(dict.fromkeys(collecting.sources))
    onto = [
        adding(
            source,
            (tuple((k,) for k in range(len(source.products))), (True,) * len(source.products)),
        )
        for source in made[::5]
    ]
    return [*made, *onto]


# What CuPy makes of a source, launched on a device: the numbers are those of the source on the host.

SHAPE = (4, 6)
SHARE = 12  # one kernel in so many is launched, because each is compiled on its own
TOLERANCES = {"e": 4e-3, "f": 2e-5, "d": 1e-12, "F": 2e-5, "D": 1e-12}
on_device = pytest.mark.gpu


@pytest.fixture(scope="module")
def chosen(sources):
    return sources[::SHARE]


@pytest.fixture(scope="module")
def parts(chosen):
    """The products of the chosen kernels, each as a kernel of its own."""
    made = [
        KernelSource(source.name, source.parameters, (product,))
        for source in chosen
        for product in source.products
    ]
    return list(dict.fromkeys(made))


@pytest.fixture(scope="module")
def host(chosen, parts):
    if not HAS_COMPILER:
        pytest.skip("no g++ to compile the kernels for the host")
    return Compiled([*chosen, *parts])


def operands_of(source):
    """An array for each parameter, with numbers that are in the domain of most functions."""
    rng = np.random.default_rng(7)
    drawn = [rng.uniform(0.15, 0.85, SHAPE) for _ in source.parameters]
    return [np.asarray(x, p.dtype) for x, p in zip(drawn, source.parameters, strict=True)]


def require_close(found, expected, case):
    assert found.dtype == expected.dtype, case
    tolerance = TOLERANCES[expected.dtype.char]
    np.testing.assert_allclose(
        found.get(), expected, rtol=tolerance, atol=tolerance, err_msg=str(case)
    )


@on_device
def test_a_launch_stores_every_product(chosen, host):
    assert len(chosen) > 25
    for source in chosen:
        operands = operands_of(source)
        found = launching.elementwise(source)(*map(cupy.asarray, operands))
        expected = host.elementwise(source)(*operands)
        for got, wanted in zip(found, expected, strict=True):
            require_close(got, wanted, source.name)


@on_device
def test_a_number_may_stand_for_an_array(chosen, host):
    with_numbers = [source for source in chosen if len(source.parameters) > 1]
    assert len(with_numbers) > 15
    for source in with_numbers:
        first, second, *others = operands_of(source)
        number = second[0, 0].item()
        found = launching.elementwise(source)(
            cupy.asarray(first), number, *map(cupy.asarray, others)
        )
        expected = host.elementwise(source)(first, np.full_like(second, number), *others)
        for got, wanted in zip(found, expected, strict=True):
            require_close(got, wanted, source.name)


@on_device
@pytest.mark.parametrize("axis", [0, (0, 1)])
def test_a_launch_sums_a_product(parts, host, axis):
    for source in parts:
        operands = operands_of(source)
        found = launching.summing(source)(*map(cupy.asarray, operands), axis=axis)
        require_close(found, host.summing(source)(*operands, axis=axis), source.name)


@on_device
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16"])
def test_values_are_added_to_chosen_entries(dtype):
    rng = np.random.default_rng(3)
    buffer, values = rng.normal(size=(2, *SHAPE)).astype(dtype)
    mask = rng.uniform(size=SHAPE) < 0.5
    found = cupy.asarray(buffer)
    chosen_kernel(cupy)(cupy.asarray(mask), cupy.asarray(values), found)
    require_close(found, np.where(mask, buffer + values, buffer), dtype)


def test_single_precision_stays_single(sources):
    """A kernel of float32 operands calls no double-precision function; comparisons choose in
    double, as NumPy does.
    """
    chosen = [
        s
        for s in sources
        if {p.dtype for p in (*s.parameters, *s.products)} == {np.dtype(np.float32)}
    ]
    text = "\n".join(
        product.definition
        for source in chosen
        for product in source.products
        if "?" not in product.definition
    )
    assert "float" in text
    assert "double" not in text


def test_cupy_takes_the_declarations(sources):
    """CuPy parses parameters when a kernel is made; it compiles when it is first launched."""
    for source in sources:
        made = launching.elementwise(source)
        assert made.nin == len(source.parameters)
        assert made.nout == len(source.products)
    part = next(source for source in sources if len(source.products) == 1)
    assert launching.summing(part).nin == len(part.parameters)


def test_names_that_mean_something_in_cpp_are_no_trouble():
    from chainrules_py import RuleTable, scalar_rule

    def größe(a, θ):
        return a * θ

    table = RuleTable()
    scalar_rule(größe, "a, θ", "θ * sin(a)", "a * cos(θ)", table=table)
    collecting = Collecting()
    rule = next(iter(table.rules(größe)))
    _, pullback = bound(rule, library_with(collecting.launcher), 2)(
        *arguments(2, "f8", [(2, 3), (3,)])
    )
    pullback(np.ones((2, 3)))
    assert launching.elementwise(collecting.sources[0]).nin == 3
