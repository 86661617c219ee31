"""What tells a search by its decisions."""

import sys

import pytest

from chainrules_foreign_code.bisections import note_decision
from chainrules_py import default_rules
from chainrules_tape.core.config import engine_of
from chainrules_tape.core.tape import Tape


def noted(distances, is_above=lambda k: k % 2 == 0):
    tape = Tape(engine_of(default_rules))
    frame = sys._getframe()
    for k, distance in enumerate(distances):
        above = is_above(k)
        note_decision(tape, frame, distance, (above, not above), ())
    (decisions,) = tape.decisions.values()
    return decisions


@pytest.mark.parametrize(
    ("distances", "is_search"),
    [
        ([2.0**-k for k in range(30)], True),
        ([2.0**-k for k in range(12)], False),  # too few
        ([1.0 / (k + 1) for k in range(1000)], False),  # too slow
        ([1e-9] * 30, False),  # always as close
        ([*(2.0**-k for k in range(30)), 1.0], False),  # the last one is far from a tie
        ([1.0, 1e-3, 1e-6, 1e-12] * 10, False),  # several iterations, one after the other
    ],
)
def test_a_search_comes_closer_and_closer(distances, is_search):
    assert noted(distances).are_a_search() is is_search


def test_an_iteration_is_compared_until_the_answer_is_another_one():
    distances = [2.0**-k for k in range(30)]
    assert not noted(distances, lambda k: k < 29).are_a_search()
    assert noted(distances, lambda k: k % 7 == 0).are_a_search()
