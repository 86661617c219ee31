"""The engines of the guide pass the check of engines over every sample: the first one and that of
MyGrad for first derivatives, the others to second order. The samples of one primal of forty are run at
once, the others in `long`, and the guide says how many there are.
"""

import re
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from chainrules_py.engines import is_container, mapped
from chainrules_py.testing import CheckFailure, Layout, Settings
from chainrules_py.testing.cases import Case
from chainrules_py.testing.conformance import engine_cases, run_engine_case, run_engine_program
from chainrules_py.testing.programs import PROGRAMS as OF_KIT, EngineProgram
from chainrules_py.values.identity import qualified_name
from sampled_calls import first_cases

FIRST, SECOND = Settings(second_order="off"), Settings()
REAL, BOTH = ("float64",), ("float64", "complex128")
ENGINES = {
    "reverse": (SECOND, BOTH),
    "forward": (SECOND, BOTH),
    "program": (SECOND, BOTH),
}
OURS = tuple(ENGINES)
ENGINES["first"] = (FIRST, REAL)
if find_spec("mygrad"):
    ENGINES["mygrad_tensors"] = (FIRST, REAL)
GUIDE = Path(__file__).parents[3] / "docs" / "engine_author.md"


def cases_of(name: str, primals: Iterable[Any] | None = None) -> list[Case]:
    """The samples that an engine is checked with."""
    settings, dtypes = ENGINES[name]
    return list(engine_cases(primals, dtypes=dtypes, settings=settings))


def by_primal(dtypes: tuple[str, ...], first: int) -> list[Any]:
    """The primals with samples in some dtypes, as a parameter; most wait for the long tests."""
    found = first_cases(BOTH, FIRST)
    sampled = dict.fromkeys(case.primal for case in found if case.dtype in dtypes)
    return [
        pytest.param(
            primal, id=qualified_name(primal), marks=() if k % 40 == first else pytest.mark.long
        )
        for k, primal in enumerate(sampled)
    ]


def has_complex_result(case: Case) -> bool:
    """Whether a derivative of a sample has complex numbers, which MyGrad has not."""
    value = case.primal(*case.sample.args, **case.sample.options)
    is_complex = any(leaf.is_complex and leaf.entries for leaf in Layout(value).leaves)
    return is_complex and Layout(case.sample.args).size > 0


def has_containers(case: Case) -> bool:
    """Whether a sample has lists or the like among its arguments, or several results."""
    args, options = case.sample.args, case.sample.options
    return any(map(is_container, (*args, *options.values(), case.primal(*args, **options))))


LIMITS = {
    "first": (has_containers, "pass arrays and numbers"),
    "mygrad_tensors": (has_complex_result, "Tensor data must be"),
}


def is_limited(name: str, case: Case) -> bool:
    """Whether a sample is beyond what an engine is for."""
    return name in LIMITS and LIMITS[name][0](case)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("name", "primal"),
    [
        pytest.param(name, *param.values, id=f"{name}-{param.id}", marks=param.marks)
        for name in ENGINES
        for param in by_primal(ENGINES[name][1], first=7)
    ],
)
def test_every_sample(name: str, primal: Any, load: Callable[[str], ModuleType]):
    engine = load(f"engines/{name}")
    for case in cases_of(name, [primal]):
        with np.errstate(all="ignore"):  # at ends of domains NumPy warns, and these engines let it
            try:
                run_engine_case(engine, case)
            except CheckFailure as refused:
                if not is_limited(name, case) or LIMITS[name][1] not in str(refused):
                    raise


def stated(name: str) -> int:
    """The number of samples that the guide says an engine passes."""
    return int(re.search(rf"`{name}\.py` \| ([\d,]+) \|", GUIDE.read_text())[1].replace(",", ""))


@pytest.mark.parametrize(
    "name", [pytest.param(x, marks=pytest.mark.long if x in LIMITS else ()) for x in ENGINES]
)
def test_the_guide_says_how_many_samples_pass(name):
    with np.errstate(all="ignore"):
        cases = [case for case in cases_of(name) if not is_limited(name, case)]
    assert 0 <= len(cases) - stated(name) < 500


ANEW = {"rows_permuted", "entries_chosen", "mapped_function"}  # other values at each run


def is_for(name: str, program: EngineProgram) -> bool:
    """Whether an engine is to differentiate a program, and not to refuse it."""
    if program.name == "whole_number_drawn" or "captured_values" in program.name:
        return False
    if name == "program" and ("drawn" in program.name or program.name in ANEW):
        return False
    return not program.wants or program.wants.startswith("HasReverseMode")


@pytest.mark.parametrize("program", OF_KIT.values(), ids=OF_KIT)
@pytest.mark.parametrize("name", OURS)
def test_programs_are_differentiated_or_refused(name, program, load):
    said = run_engine_program(load(f"engines/{name}"), program, settings=ENGINES[name][0])
    assert (said is None) == is_for(name, program), said


def test_the_guide_says_how_many_programs_pass():
    for name in OURS:
        passed = sum(is_for(name, program) for program in OF_KIT.values())
        (row,) = re.findall(rf"`{name}\.py` \| .* \| (.+) \|\n", GUIDE.read_text())
        assert row == f"{passed} of {len(OF_KIT)}"


def elsewhere(x):
    """Other numbers at which a program takes the branches that it took."""
    is_number = isinstance(x, float | complex | np.ndarray | np.generic)
    if not is_number or np.result_type(x).kind not in "fc":
        return x
    return np.multiply(x, 1.001, out=...) if isinstance(x, np.ndarray) else x * 1.001


def is_taken_elsewhere(case: Case) -> bool:
    """Whether the primal takes such numbers at all."""
    try:
        case.primal(*mapped(elsewhere, case.sample.args), **case.sample.options)
    except (ValueError, FutureWarning):  # weights that are to sum to one
        return False
    return True


def on_other_numbers(program: ModuleType):
    """The engine whose programs are written down for other numbers than they are run on."""

    def vjp(f, *args):
        return program.Program(f, *mapped(elsewhere, args)).vjp(*args)

    return SimpleNamespace(vjp=vjp, call=program.call)


@pytest.mark.parametrize("primal", by_primal(REAL, first=3))
def test_programs_run_on_other_numbers(primal: Any, load: Callable[[str], ModuleType]):
    engine = on_other_numbers(load("engines/program"))
    with np.errstate(all="ignore"):
        for case in filter(is_taken_elsewhere, cases_of("first", [primal])):
            try:
                run_engine_case(engine, case)
            except CheckFailure as refused:
                if "write it down for these" not in str(refused):  # other branches or shapes
                    raise


def test_a_gradient_is_a_program(load):
    program, x = load("engines/program"), np.array([0.5, 1.5])
    f = program.Program(lambda x: np.sum(np.sin(x) * x), x)
    slope = program.Program(lambda x: f.vjp(x)[1](1.0)[0], x)
    other = np.array([-0.3, 2.0])
    assert slope.vjp(other)[0] == pytest.approx(np.sin(other) + other * np.cos(other))
    (curvature,) = slope.vjp(other)[1](np.array([1.0, 0.0]))
    assert curvature == pytest.approx([2 * np.cos(-0.3) + 0.3 * np.sin(-0.3), 0.0])
    assert str(f).splitlines() == [
        "%1 = numpy.sin(%0)",
        "%2 = numpy.multiply(%1, %0)",
        "%3 = numpy.sum(%2)",
    ]


def test_a_program_refuses_numbers_that_take_another_branch(load):
    program = load("engines/program")
    f = program.Program(lambda x: x * x if x > 0 else -x, 2.0)
    assert f.vjp(3.0)[1](1.0) == (6.0,)
    with pytest.raises(ValueError, match="False where it was True"):
        f.vjp(-3.0)
    first = program.Program(lambda x: x[np.argmax(x)] * 2.0, np.array([1.0, 3.0]))
    assert first.vjp(np.array([5.0, 3.0]))[1](1.0)[0].tolist() == [2.0, 0.0]
    with pytest.raises(ValueError, match=r"\(3,\) where it was \(2,\)"):
        first.vjp(np.ones(3))
