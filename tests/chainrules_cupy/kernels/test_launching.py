"""The kernels as CuPy gets them: declared. That all of them compute what they should on a device,
`together/test_gpu_rules` says.
"""

import cupy
import numpy as np
import pytest

from chainrules_cupy.kernels import launching
from chainrules_cupy.kernels.adding import adding
from chainrules_cupy.scatter import chosen_kernel
from stand_ins.host_kernels import Collecting
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


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16"])
def test_values_are_added_to_chosen_entries(dtype):
    rng = np.random.default_rng(3)
    buffer, values = rng.normal(size=(2, 4, 6)).astype(dtype)
    mask = rng.uniform(size=(4, 6)) < 0.5
    found = cupy.asarray(buffer)
    chosen_kernel(cupy)(cupy.asarray(mask), cupy.asarray(values), found)
    assert found.dtype == dtype
    expected = np.where(mask, buffer + values, buffer)
    np.testing.assert_allclose(found.get(), expected, rtol=4e-3 if dtype == "f2" else 2e-5)


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
