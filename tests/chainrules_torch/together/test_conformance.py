"""PyTorch differentiates the samples of the table by our rules, and is held to what rules are held
to (`check_engine`).
"""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from chainrules_py import zero_tangent
from chainrules_py.engines import FlatValue
from chainrules_py.testing import Settings
from chainrules_py.testing.conformance import engine_cases, run_engine_case
from chainrules_py.testing.samples import load_shipped
from sampled_calls import has_tangents

torch = pytest.importorskip("torch", reason="torch is not installed (extra: torch)")

from chainrules_torch import to_torch  # noqa: E402


def tensors_of(x: Any) -> tuple[FlatValue, list[Any]]:
    """A value taken apart, with tensors of their own for NumPy's arrays and numbers."""
    flat = FlatValue.of(x)
    numbers = np.ndarray | np.generic | float | complex
    return flat, [
        torch.from_numpy(np.array(leaf)) if isinstance(leaf, numbers) else leaf
        for leaf in flat.leaves
    ]


def is_active(x: Any) -> bool:
    return isinstance(x, torch.Tensor) and (x.is_floating_point() or x.is_complex())


def plain(x: Any) -> Any:
    """A tensor as an array, but one that an outer derivative traces as it is."""
    if not isinstance(x, torch.Tensor) or torch._C._functorch.is_functorch_wrapped_tensor(x):
        return x
    # of a zero that takes no memory, too
    return x.detach().resolve_conj().resolve_neg().numpy(force=True)


class OfTensors:
    """A function of the active tensors among its arguments, as `torch.func` wants it, and the
    places of what it returns.
    """

    def __init__(self, f: Any, args: tuple[Any, ...]) -> None:
        self.f, (self.args, self.leaves) = f, tensors_of(args)
        self.active = [k for k, x in enumerate(self.leaves) if is_active(x)]

    def of_arguments(self, values: list[Any]) -> tuple[Any, ...]:
        """The active ones of some values, one for each argument; first one more, since `torch.func`
        refuses to do with none.
        """
        return (torch.zeros(()), *(values[k] for k in self.active))

    def __call__(self, _: Any, *values: Any) -> tuple[Any, Any]:
        given = dict(zip(self.active, values, strict=True))
        self.result = FlatValue.of(
            self.f(*self.args.with_leaves([given.get(k, x) for k, x in enumerate(self.leaves)]))
        )
        self.differs = [is_active(y) for y in self.result.leaves]
        others = [
            y for y, active in zip(self.result.leaves, self.differs, strict=True) if not active
        ]
        return list(filter(is_active, self.result.leaves)), tuple(
            y for y in others if isinstance(y, torch.Tensor)
        )

    def filled(self, active: Any, others: Any) -> Any:
        """What is like the result, with these leaves, and those of the result that are no tensors."""
        rest, fixed = iter(active), iter(others)
        leaves = zip(self.result.leaves, self.differs, strict=True)
        found = [
            next(rest) if differs else next(fixed) if isinstance(y, torch.Tensor) else y
            for y, differs in leaves
        ]
        return self.result.with_leaves(list(map(plain, found)))


class Torch:
    """`torch.func` as an engine on NumPy's arrays; nested, values of an outer derivative stay
    tensors.
    """

    def call(self, primal: Any, args: Any, options: Any) -> Any:
        return to_torch(primal)(*args, **options)

    def vjp(self, f: Any, *args: Any) -> tuple[Any, Any]:
        function = OfTensors(f, args)
        y, pull, others = torch.func.vjp(
            function, *function.of_arguments(function.leaves), has_aux=True
        )

        def pullback(y_bar: Any) -> tuple[Any, ...]:
            seeds = [
                seed
                for seed, active in zip(tensors_of(y_bar)[1], function.differs, strict=True)
                if active
            ]
            matched = [
                seed.to(out.dtype) for seed, out in zip(seeds, y, strict=True)
            ]  # PyTorch refuses a real one for a complex one
            bars = dict(zip(function.active, pull(matched)[1:], strict=True))
            leaves = enumerate(function.args.leaves)
            return function.args.with_leaves(
                [plain(bars[k]) if k in bars else zero_tangent(x) for k, x in leaves]
            )

        return function.filled(y, others), pullback

    def jvp(self, f: Any, args: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
        function = OfTensors(f, args)
        points, dots = map(function.of_arguments, (function.leaves, tensors_of(tangents)[1]))
        y, y_dot, others = torch.func.jvp(function, points, dots, has_aux=True)
        return function.filled(y, others), function.filled(
            y_dot, map(zero_tangent, map(plain, others))
        )


def first_of_each(cases: Any, count: int = 1) -> list[Any]:
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
WITHOUT_FORWARD_MODE = {np.heaviside, np.remainder}
# Two levels forward, the support of a discrete distribution is asked with tensors that have tangents.
WITHOUT_FORWARD_MODE |= {stats.rv_discrete.logcdf}
# All others pass; those of second order take two minutes, and complex ones as long as real ones.
FURTHER = [
    *(
        case
        for case in first_of_each(engine_cases(dtypes=["float64"]))[::20]
        if case.primal not in WITHOUT_FORWARD_MODE
    ),
    *first_of_each(engine_cases(dtypes=["complex128"]))[::30],
]


def parameters(cases: list[Any]) -> Any:
    """The cases as parameters."""
    return pytest.mark.parametrize("case", cases, ids=[case_name(case) for case in cases])


def case_name(case: Any) -> str:
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
