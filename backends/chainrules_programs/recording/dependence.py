"""Which recorded values depend on an argument. All others are the same in each run of the program.

It is asked where code wants the numbers themselves, which a constant can give. Each step is looked
at once, and only then.
"""

import operator
from typing import Any

import numpy as np
from numpy import ndarray

from chainrules_programs.recording.known_results import FOLLOWS_SHAPES
from chainrules_programs.recording.program import Guard, Step, Value, parts_of_operand

# NumPy puts an object of the second class between an array and its windows.
_BASES = (ndarray, type(np.lib.stride_tricks.as_strided(np.zeros(1)).base))


class Dependence:
    """The identities of numbers that depend on an argument, and of the arrays that own such memory.

    `given_out` are the owners of constant memory that others have a copy of.
    """

    def __init__(self) -> None:
        self.found: set[int] = set()
        self.given_out: set[int] = set()
        self.seen = 0

    def of(self, operand, steps: list[Step]) -> bool:
        """Whether some value among an operand's parts depends on an argument."""
        for step in steps[self.seen :]:
            self._note(step)
        self.seen = len(steps)
        return self._has(operand)

    def _has(self, operand) -> bool:
        return not self.found.isdisjoint(identities(operand))

    def _note(self, step: Step) -> None:
        if isinstance(step, Guard):
            return
        is_known = step.into is not None or step.primal is operator.getitem
        is_known = is_known or step.primal in FOLLOWS_SHAPES  # a clock is not, say
        if not is_known or self._has((step.args, step.options)):
            self.found |= identities((step.results, step.into))


def identities(operand) -> set[int]:
    """The identities of the values among an operand's parts, of arrays that of their memory."""
    parts = [part for part in parts_of_operand(operand) if issubclass(type(part), Value)]
    return {id(part if type(part.array) is not ndarray else owner_of(part.array)) for part in parts}


def owner_of(array) -> Any:
    """The array that owns the memory of an array, as far as it is NumPy's."""
    base: Any = array.base
    while type(base) in _BASES:
        array, base = (base if type(base) is ndarray else array), base.base
    return array
