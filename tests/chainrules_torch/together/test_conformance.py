"""PyTorch differentiates the samples of the table by our rules, and is held to what rules are held
to (`check_engine`).
"""

from dataclasses import replace
from typing import Any
from zlib import crc32

import numpy as np
import pytest
import torch
from scipy import stats

from chainrules_py import NO_TANGENT, zero_tangent
from chainrules_py.engines import FlatValue
from chainrules_py.testing import Settings
from chainrules_py.testing.conformance import engine_cases, run_engine_case
from chainrules_py.testing.samples import load_shipped
from chainrules_torch import to_torch
from chainrules_torch.conversion import is_differentiable
from chainrules_torch.foreign import OfActive
from sampled_calls import has_tangents


def in_tensors(x):
    """A value with tensors of their own for NumPy's arrays and numbers."""
    flat = FlatValue.of(x)
    numbers = np.ndarray | np.generic | float | complex
    return flat.with_leaves(
        [
            torch.from_numpy(np.array(leaf)) if isinstance(leaf, numbers) else leaf
            for leaf in flat.leaves
        ]
    )


def in_arrays(x):
    """A value with arrays for its tensors, but for those that an outer derivative traces."""
    flat = FlatValue.of(x)
    return flat.with_leaves(list(map(plain, flat.leaves)))


def plain(x):
    """A tensor as an array, but one that an outer derivative traces as it is."""
    if not isinstance(x, torch.Tensor) or torch._C._functorch.is_functorch_wrapped_tensor(x):
        return x
    with torch._C._DisableFuncTorch():  # within forward mode `detach` wraps
        # of a zero that takes no memory, too
        return x.detach().resolve_conj().resolve_neg().numpy(force=True)


def of_one_more(f, args: tuple[Any, ...]) -> OfActive:
    """A function of the active tensors among its arguments and of one more, the first, since
    `torch.func` refuses to do with none.
    """
    return OfActive(lambda _, *xs: f(*xs), in_tensors((0.0, *args)))


class Torch:
    """`torch.func` as an engine on NumPy's arrays; nested, values of an outer derivative stay
    tensors.
    """

    def call(self, primal, args, options):
        return to_torch(primal)(*args, **options)

    def vjp(self, f, *args) -> tuple[Any, Any]:
        function = of_one_more(f, args)
        points = function.of_arguments(function.flat.leaves)
        y, pull, others = torch.func.vjp(function, *points, has_aux=True)

        def pullback(y_bar):
            bars = FlatValue.of(in_tensors(y_bar)).leaves
            seeds = [bars[k] for k in function.moving]
            # PyTorch refuses a real one for a complex one
            matched = [seed.to(out.dtype) for seed, out in zip(seeds, y, strict=True)]
            zeros = [
                None if is_differentiable(x) else zero_tangent(plain(x))
                for x in function.flat.leaves
            ]
            return in_arrays(function.filled(pull(matched), zeros)[1:])

        return in_arrays(function.value(y, others)), pullback

    def jvp(self, f, args: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
        function = of_one_more(f, args)
        dots = FlatValue.of(in_tensors((0.0, *tangents))).leaves
        points, moved = map(function.of_arguments, (function.flat.leaves, dots))
        y, y_dot, others = torch.func.jvp(function, points, moved, has_aux=True)
        constant = map(zero_tangent, map(plain, others))
        dots_of_value = FlatValue.of(function.value(y_dot, constant), lambda part: True)
        found = [NO_TANGENT if dot is None else dot for dot in dots_of_value.leaves]
        return tuple(map(in_arrays, (function.value(y, others), dots_of_value.with_leaves(found))))


def first_of_each(cases, count: int = 1) -> list[Any]:
    """The first cases of each primal."""
    found: dict[Any, list[Any]] = {}
    for case in cases:
        if len(found.get(case.primal, [])) < count and has_tangents(case):
            found.setdefault(case.primal, []).append(case)
    return [case for group in found.values() for case in group]


load_shipped()
FIRST = Settings(second_order="off")
SAMPLED = [*engine_cases(dtypes=["float64"], settings=FIRST)]
CASES = first_of_each(SAMPLED)
# PyTorch's own has no forward mode, of which second derivatives forward over forward are made.
WITHOUT_FORWARD_MODE = {np.heaviside, np.remainder, np.floor_divide, np.unique_values}
# Two levels forward, the support of a discrete distribution is asked with tensors that have tangents.
WITHOUT_FORWARD_MODE |= {
    getattr(stats.rv_discrete, name) for name in ("cdf", "logcdf", "sf", "logsf")
}
# whose phases PyTorch's own derivatives turn otherwise
OF_PHASES = {np.linalg.eig, np.linalg.eigh, np.linalg.svd}


def is_drawn(case, one_in: int) -> bool:
    """Whether a case is one of so many, whatever else has samples."""
    return crc32(case.name.encode()) % one_in == 0


# All others pass; those of second order take eight minutes, and complex ones two.
FURTHER = [
    *(
        replace(case, settings=Settings())
        for case in CASES
        if is_drawn(case, 20) and case.primal not in WITHOUT_FORWARD_MODE
    ),
    *(
        case
        for case in first_of_each(engine_cases(dtypes=["complex128"]))
        if is_drawn(case, 30) or case.primal in OF_PHASES
    ),
]


def parameters(cases: list[Any]):
    """The cases as parameters."""
    return pytest.mark.parametrize("case", cases, ids=[case_name(case) for case in cases])


def case_name(case) -> str:
    return case.name.removesuffix("-reverse")


@pytest.mark.one_in(2)
@pytest.mark.kinds
@parameters(CASES)
def test_first_derivatives(case):
    run_engine_case(Torch(), case)


@pytest.mark.one_in(3)
@parameters(FURTHER)
def test_second_derivatives_and_complex_ones(case):
    run_engine_case(Torch(), case)


def test_hardly_a_primal_is_left_out():
    sampled = {case.primal for case in SAMPLED if has_tangents(case)}
    assert {case.primal for case in CASES} == sampled
    assert len(sampled) > 440
