"""`numpy.vectorize`, for functions that are called on traced numbers."""

from typing import Any

import numpy

from chainrules_py.rulesets.formulas.vectorized_calls import Calls
from chainrules_tape.core.levels import innermost, open_levels
from chainrules_tape.refusals.errors import LostGradientError, forget_refusal


# NumPy's stub says that the class lives in a module of exactly that name, so that no subclass
# could.
class vectorize(numpy.vectorize):  # pyright: ignore[reportIncompatibleVariableOverride]
    """`numpy.vectorize` with traced arguments, and of functions that read traced variables.

    Each call of the function is traced as if it stood there by itself, so its ``if`` and ``while``
    see one number.

    >>> from chainrules_tape import grad
    >>> ramp = vectorize(lambda x, slope: x if x > 0 else slope * x)
    >>> grad(lambda x: ramp(x, 0.1).sum())(numpy.array([2.0, -3.0]))
    array([1. , 0.1])
    """

    @classmethod
    def like(cls, other: numpy.vectorize) -> "vectorize":
        """A `vectorize` of this class for a function that NumPy's own class vectorised."""
        made = cls.__new__(cls)
        vars(made).update(vars(other))
        return made

    def __call__(self, *args: Any, **options: Any) -> Any:
        """The results of all calls, as arrays."""
        if not open_levels:
            return super().__call__(*args, **options)
        if innermost((*args, *options.values())) is None:
            try:
                return super().__call__(*args, **options)
            # the function reads traced values, so its results are no plain array
            except LostGradientError as error:
                forget_refusal(error.value)
        calls = Calls(self, args, options)
        return calls.result([self.pyfunc(*own, **named) for own, named in calls])
