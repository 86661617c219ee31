"""The pullback of every sample of NumPy and SciPy: recorded, and run again at other numbers.

What cannot be recorded says so by one error; how many that are is held here, per library. A program
may stop at other numbers, by a guard; a number that is not the tape's is an error.
"""

import math
from typing import Any

import numpy as np
import pytest

from chainrules_programs.recording.errors import GuardFailedError, NotRecordedError
from chainrules_programs.recording.record import record
from chainrules_py.tangents.plain_containers import as_plain_container
from chainrules_py.testing.conformance import engine_cases
from chainrules_py.testing.coordinates import Layout
from chainrules_py.testing.random_tangents import random_tangent, seeded
from chainrules_py.values.identity import qualified_name
from chainrules_tape import vjp
from chainrules_tape.core.trees import flatten
from recorded_calls import moved, replayed, require_same
from sampled_calls import interceptable

DTYPES = ("float64", "complex128", "float32")
TOLERANCE = {"float64": 1e-8, "complex128": 1e-8, "float32": 1e-3}
# The tape calls `math` on plain arrays, which makes a float. Recorded, the rule computes by NumPy's
# sum, product or norm, which make an np.float64, a float, too: only the numbers are compared.
NUMBERS_OF_NUMPY = (math.fsum, math.prod, math.dist)
CASES = list(engine_cases(dtypes=DTYPES))
FIRST: dict[Any, Any] = {}
for _case in CASES:
    FIRST.setdefault(_case.primal, _case)

# of one function in eight: the whole sweep is `long`
SOONER = {case for k, case in enumerate(FIRST.values()) if k % 8 == 0}


def is_of_scipy(case: Any) -> bool:
    return "scipy" in qualified_name(case.primal)


def parameters(of_scipy: bool) -> list[Any]:
    return [
        pytest.param(
            case,
            id=case.name.removesuffix("-reverse"),
            marks=() if case in SOONER else pytest.mark.long,
        )
        for case in CASES
        if is_of_scipy(case) is of_scipy
    ]


class Call:
    """A sample as a function of the arguments that have tangents."""

    def __init__(self, case: Any) -> None:
        primal, args, self.options = case.settings.rules.canonical(
            case.primal, case.sample.args, dict(case.sample.options)
        )
        fixed = case.effective_settings().fixed
        self.chosen = [i for i, arg in enumerate(args) if Layout((arg,)).size and i not in fixed]
        self.called, self.args = interceptable(primal), args
        self.points = tuple(args[i] for i in self.chosen)

    def __call__(self, *values: Any) -> Any:
        given = dict(zip(self.chosen, values, strict=True))
        args = (given.get(i, arg) for i, arg in enumerate(self.args))
        return self.called(*args, **self.options)


def check(function: Any, args: Any, tolerance: float, are_classes_compared: bool) -> None:
    """Compare a recorded call with the tape, at its arguments and at others."""
    try:
        expected = function(*args)
    except Exception:
        pytest.skip("the tape refuses this sample")
    try:
        program, value = record(function, args)
    except NotRecordedError as error:
        pytest.skip(f"not recorded: {error.operation}")
    require_same(value, expected, tolerance, are_classes_compared)
    leaves, rebuilt = flatten(args)
    near = rebuilt([moved(leaf, k) for k, leaf in enumerate(leaves)])
    for given in (args, near):
        try:
            found = replayed(program, given)
            expected = function(*given)
        except (GuardFailedError, ArithmeticError, ValueError):
            continue  # another branch, or a point that the sample is not defined at
        require_same(found, expected, tolerance, are_classes_compared)


def check_pullback(case: Any) -> None:
    call, rng = Call(case), seeded(case.name, seed=0)

    def pulled(y_bar: Any, *points: Any) -> Any:
        y, pullback = vjp(call, *points)
        return y, pullback(y_bar)

    with np.errstate(all="ignore"):
        try:
            y, _ = vjp(call, *call.points)
            y_bar = as_plain_container(random_tangent(rng, y), y)
        except Exception:
            pytest.skip("the tape refuses this sample")
        compares = case.primal not in NUMBERS_OF_NUMPY
        check(pulled, (y_bar, *call.points), TOLERANCE[case.dtype], compares)


@pytest.mark.parametrize("case", parameters(of_scipy=False))
@pytest.mark.filterwarnings("ignore")
def test_pullbacks_of_numpy(case):
    check_pullback(case)


@pytest.mark.parametrize("case", parameters(of_scipy=True))
@pytest.mark.filterwarnings("ignore")
def test_pullbacks_of_scipy(case):
    check_pullback(case)


OF_NUMPY = [case for case in FIRST.values() if not is_of_scipy(case)]


def refuses(case: Any) -> bool:
    """Whether the pullback of a sample cannot be recorded."""
    try:
        check_pullback(case)
    except pytest.skip.Exception as reason:
        return str(reason).startswith("not recorded")
    return False


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_few_functions_of_numpy_are_not_recorded():
    assert sum(map(refuses, OF_NUMPY)) <= 0.02 * len(OF_NUMPY)
