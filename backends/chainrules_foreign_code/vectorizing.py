"""`numpy.vectorize` for foreign code, which may ask for integers in the place of traced numbers."""

from types import FrameType
from typing import Any

import numpy as np

from chainrules_foreign_code.steps import note_integers
from chainrules_py.annotations import Args, Options
from chainrules_py.rulesets.formulas.vectorized_calls import Calls
from chainrules_tape.numpy.vectorizing import vectorize
from chainrules_tape.refusals.code_owners import calling_frame


class vectorize_as_foreign(vectorize):
    """A vectorised function that notes of which traced numbers it makes integers."""

    def calls(self, args: Args, options: Options) -> Calls:
        """The calls that a call with these arguments consists of."""
        return CallsOfIntegers(self, args, options, calling_frame())


class CallsOfIntegers(Calls):
    """Calls of a function in a frame, of which the results may become integers."""

    def __init__(self, vectorized, args: Args, options: Options, frame: FrameType) -> None:
        super().__init__(vectorized, args, options)
        self.frame = frame

    def converted(self, y, dtype: np.dtype[Any]) -> Any:
        """The results of all calls in the dtype of the output."""
        made = super().converted(y, dtype)
        note_integers(made, (y,), self.frame, "numpy.vectorize(f)(x) of integers")
        return made
