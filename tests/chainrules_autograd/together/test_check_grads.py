"""What `install` gives autograd, held to autograd's own `check_grads`: both modes, to second order."""

from collections.abc import Iterator
from functools import reduce
from typing import Any

import autograd.numpy as anp
import numpy as np
import pytest
from autograd import builtins
from autograd.test_util import check_grads
from autograd.tracer import trace_primitives_map

from chainrules_autograd import Installation, install
from chainrules_autograd.boxes import is_differentiable, opened
from chainrules_py.engines import FlatValue
from chainrules_py.testing.cases import Case
from chainrules_py.testing.conformance import engine_cases
from chainrules_py.testing.samples import Tag, load_shipped
from chainrules_py.values.identity import qualified_name

load_shipped()
installed = install()
# and none of SciPy's, which are there once another file has imported `autograd.scipy`
FILLED = {name for name in (*installed.reverse, *installed.forward) if name.startswith("numpy.")}
installed.undo()
WRAPPED = [primal for primal in trace_primitives_map if qualified_name(primal) in FILLED]


def is_smooth(case: Case) -> bool:
    settings = case.effective_settings()
    return not (
        settings.conventions
        or settings.singular
        or Tag.DOMAIN in case.sample.tags
        or Tag.EMPTY in case.sample.tags
    )


def first_of_each(cases: Iterator[Case]) -> list[Case]:
    """The first smooth case of each primal."""
    found: dict[Any, Case] = {}
    for case in cases:
        if case.primal in WRAPPED and is_smooth(case):
            found.setdefault(case.primal, case)
    return list(found.values())


CASES = first_of_each(engine_cases(dtypes=["float64"]))


@pytest.fixture(scope="module", autouse=True)
def rules_in_autograd() -> Iterator[Installation]:
    made = install()
    yield made
    made.undo()


def as_autograd_sees_it(case: Case) -> tuple[Any, list[Any]]:
    """A function of the sample's differentiable leaves, called by autograd's name, and these
    leaves.
    """
    flat, path = FlatValue.of(case.sample.args), qualified_name(case.primal).split(".")[1:]
    active = [k for k, leaf in enumerate(flat.leaves) if is_differentiable(leaf)]

    def function(*xs):
        leaves = list(flat.leaves)
        for k, x in zip(active, xs, strict=True):  # a Hermitian matrix moves among such
            leaves[k] = (
                (x + anp.conj(anp.swapaxes(x, -1, -2))) / 2 if k in case.sample.structures else x
            )
        y = reduce(getattr, path, anp)(*flat.with_leaves(leaves), **case.sample.options)
        parts = [part for part in FlatValue.of(opened(y)).leaves if is_differentiable(part)]
        return parts[0] if len(parts) == 1 else builtins.tuple(parts)

    return function, [flat.leaves[k] for k in active]


# autograd's own
@pytest.mark.one_in(3)
@pytest.mark.filterwarnings("ignore:Output seems independent", "ignore:Casting complex values")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_autograd_agrees(case: Case):
    np.random.seed(0)
    function, args = as_autograd_sees_it(case)
    check_grads(function, tuple(range(len(args))))(*args)


def test_most_of_what_is_filled_is_among_them():
    named = {qualified_name(case.primal) for case in CASES}
    assert len(named) > 140
    assert FILLED - named <= {
        # take functions; an alias
        *("numpy.piecewise", "numpy.apply_along_axis", "numpy.apply_over_axes", "numpy.row_stack"),
        *(
            f"numpy.linalg.{name}"
            for name in (
                "trace",
                "diagonal",
                "cross",
                "outer",
                "tensordot",
                "matmul",
                "matrix_transpose",
            )
        ),
        "numpy.linalg.vecdot",
    }
