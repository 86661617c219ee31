"""The pullback of a sample of each function, recorded at other numbers and run again at its own.

What cannot be recorded says so by one error; how many do is held here. Where a program
stops, by a guard, the tape has the derivative.
"""

import numpy as np
import pytest

from chainrules_programs.recording.errors import GuardFailedError, NotRecordedError
from chainrules_programs.recording.record import record
from chainrules_py.errors import SeedError
from chainrules_py.testing import Settings
from chainrules_py.testing.conformance import run_engine_case
from chainrules_py.values.identity import qualified_name
from chainrules_tape import vjp
from chainrules_tape.core.trees import flatten
from recorded_calls import moved, replayed
from sampled_calls import Tape, first_cases

DTYPES = ("float64", "complex128", "float32")


REFUSED: list[NotRecordedError] = []


class Recorded:
    """An engine whose pullbacks are programs."""

    call = staticmethod(Tape.call)

    @staticmethod
    def vjp(f, *points):
        """The value by the tape, and a pullback that is recorded elsewhere."""

        def pullback(y_bar):
            leaves, rebuilt = flatten((y_bar, *points))
            near = rebuilt([moved(leaf, k) for k, leaf in enumerate(leaves)])
            try:
                program, _ = record(pulled, near)
                return replayed(program, (y_bar, *points))
            except NotRecordedError as error:
                REFUSED.append(error)
            except (GuardFailedError, SeedError, ArithmeticError, ValueError):
                pass  # another branch or shape, or a point that the sample is not defined at
            return pulled(y_bar, *points)

        def pulled(y_bar, *x):
            return vjp(f, *x)[1](y_bar)

        return vjp(f, *points)[0], pullback


SAMPLED = {(case.primal, case.dtype): case for case in reversed(first_cases(DTYPES, Settings()))}
FIRST = {case.primal: case for case in SAMPLED.values()}
# of one function in eight: the whole sweep is `long`
SOONER = {case for k, case in enumerate(FIRST.values()) if k % 8 == 0}


def run(case):
    with np.errstate(all="ignore"):
        run_engine_case(Recorded, case, inner=())


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case,
            id=case.name.removesuffix("-reverse"),
            marks=() if case in SOONER else pytest.mark.long,
        )
        for case in SAMPLED.values()
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_pullbacks(case):
    run(case)


def refuses(case) -> bool:
    """Whether the pullback of a sample cannot be recorded."""
    REFUSED.clear()
    run(case)
    return bool(REFUSED)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_few_functions_of_numpy_are_not_recorded():
    cases = [case for case in FIRST.values() if "scipy" not in qualified_name(case.primal)]
    assert sum(map(refuses, cases)) <= 0.02 * len(cases)
