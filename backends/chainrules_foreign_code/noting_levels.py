"""Levels that note decisions: those of the values that exchanged code is given.

A level becomes such a one when a function of a file that is seen takes one of its values. From then
on its operators are looked up elsewhere (`level.stages`), where what decides or has steps is not
found, and so takes slow dispatch, which asks. Other levels, and all handles, are as they are.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from chainrules_foreign_code.bisections import NotedDecisions, SlowMasks
from chainrules_foreign_code.decisions import asking_frame, note_comparison
from chainrules_foreign_code.lanes import without_derivative
from chainrules_foreign_code.new_arrays import attributes_of
from chainrules_foreign_code.steps import STEPS, note_steps
from chainrules_py.annotations import Args
from chainrules_py.values.python_numbers import ufunc_of
from chainrules_tape.core.dispatch import EQUALITIES
from chainrules_tape.core.levels import open_levels
from chainrules_tape.refusals.handles import TracedArray

COMPARISONS = frozenset({np.less, np.less_equal, np.greater, np.greater_equal})
SIGNS = frozenset({np.sign, np.copysign})
NOTED = COMPARISONS | EQUALITIES | SIGNS | STEPS


class NotedByLevel(NotedDecisions):
    """The decisions at a level that notes them, operation by operation."""

    def notes(self, primal) -> bool:
        """Whether an operation decides, or has steps."""
        return ufunc_of(primal) in NOTED or super().notes(primal)

    def answer(self, level, primal, args: Args) -> Any:
        """Note an operation; the result, where that is a constant."""
        if super().notes(primal):
            return super().answer(level, primal, args)
        asked, frame = ufunc_of(primal), asking_frame()
        inputs = args if level.owns(args[0]) else args[::-1]
        if asked in COMPARISONS:
            note_comparison(frame, *inputs)
        elif asked in SIGNS:
            if isinstance(args[-1], TracedArray):
                note_comparison(frame, args[-1], 0.0)
        elif asked in STEPS and note_steps(asked, args, frame):
            return asked(*map(without_derivative, args))
        return NotImplemented


_noted: set[float] = set()  # the serials of levels that note


def note_at_levels_of(given: Iterable[Any]) -> None:
    """Have the levels note whose values these are, in containers and attributes, too."""
    if open_levels.keys() <= _noted:
        return
    for value in given:
        if issubclass(type(value), TracedArray):
            while issubclass(type(value), TracedArray):
                if value.level is not None:
                    note_at(value.level)
                value = value.value
        elif issubclass(type(value), dict):  # a class may do anything when it is asked
            note_at_levels_of(dict.values(value))
        elif issubclass(type(value), tuple):
            note_at_levels_of(tuple.__iter__(value))
        elif issubclass(type(value), list):
            note_at_levels_of(list.__iter__(value))
        elif attributes := attributes_of(value):
            note_at_levels_of(
                [each for each in attributes.values() if issubclass(type(each), TracedArray)]
            )


def note_at(level) -> None:
    """Have a level note, if it is one of a derivative."""
    if level.mode not in ("reverse", "forward") or level.closed:
        return
    _noted.intersection_update(open_levels)
    _noted.add(level.serial)
    if type(level.decisions) is not NotedByLevel:
        left_out = level.decisions and level.decisions.left_out
        level.decisions = NotedByLevel(level.decisions or {})
        level.decisions.left_out = left_out
    level.stages = noted(level.engine, level.stages)
    if level.written is not None and level.written.stages is not None:
        level.written.stages = noted(level.engine, level.written.stages)
        level.stages.clear()


def noted(engine, stages) -> Any:
    """What a level that notes looks up in the place of the stages of an engine."""
    if type(stages) is SlowMasks:
        return SlowMasks(noted(engine, stages.stages))
    if type(stages) is not dict:  # there, nothing is found
        return stages
    known = vars(engine).setdefault("noted_stages", {})
    found = known.setdefault(id(stages), {})
    return known.setdefault(id(found), found)  # itself, of a level that notes already
