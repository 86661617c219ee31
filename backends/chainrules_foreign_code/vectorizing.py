"""`numpy.vectorize` for foreign code, whose results may be integers that were cut from numbers."""

from collections.abc import Sequence
from types import FrameType
from typing import Any

import numpy as np

from chainrules_foreign_code.steps import KINDS, of_integers
from chainrules_foreign_code.whole_numbers import integer_of, number_of
from chainrules_py.rulesets.formulas.vectorized_calls import Calls
from chainrules_tape.numpy.vectorizing import vectorize
from chainrules_tape.refusals.code_owners import calling_frame


class vectorize_as_foreign(vectorize):
    """A vectorised function whose integers keep the derivative of numbers with fine steps."""

    def calls(self, args: tuple[Any, ...], options: dict[str, Any]) -> Calls:
        """The calls that a call with these arguments consists of."""
        return CallsOfIntegers(self, args, options, calling_frame())


class CallsOfIntegers(Calls):
    """Calls of a function in a frame, of which the results may become integers."""

    def __init__(
        self, vectorized, args: tuple[Any, ...], options: dict[str, Any], frame: FrameType
    ) -> None:
        super().__init__(vectorized, args, options)
        self.frame = frame

    def stacked(self, column: Sequence[Any]) -> Any:
        """The results of all calls in an array: of integers, the numbers that they were cut from."""
        return super().stacked([*map(number_of, column)])

    def dtype_of(self, y) -> Any:
        """The dtype of the result of one call."""
        return super().dtype_of(integer_of(y))

    def converted(self, y, dtype: np.dtype[Any]) -> Any:
        """The results of all calls in the dtype of the output."""
        made = super().converted(y, dtype)
        if dtype.kind not in KINDS:
            return made
        return of_integers(y, made, self.frame, "numpy.vectorize(f)(x) of integers")
