"""`numpy.vectorize`, for functions that are called on traced numbers."""

from typing import Any

import numpy

from chainrules_py.annotations import Args, Options
from chainrules_py.errors import BatchingError
from chainrules_py.rulesets.formulas.vectorized_calls import Calls
from chainrules_tape.core.levels import innermost, open_levels
from chainrules_tape.refusals.errors import InPlaceError, LostGradientError, note_caught
from chainrules_tape.vmap import vmap


# NumPy's stub says that the class lives in a module of exactly that name, so that no subclass
# could.
class vectorize(numpy.vectorize):  # pyright: ignore[reportIncompatibleVariableOverride]
    """`numpy.vectorize` with traced arguments, and of functions that read traced variables.

    All calls are computed at once, in lanes, where the function is the same operations for each.
    Where its ``if`` and ``while`` decide by what they see, each call is traced by itself.

    >>> from chainrules_tape import grad
    >>> ramp = vectorize(lambda x, slope: x if x > 0 else slope * x)
    >>> grad(lambda x: ramp(x, 0.1).sum())(numpy.array([2.0, -3.0]))
    array([1. , 0.1])
    """

    @classmethod
    def like(cls, other: numpy.vectorize) -> "vectorize":
        """A `vectorize` of this class for a function that NumPy's own class vectorised."""
        made = cls.__new__(cls)
        vars(made).update(vars(other), __wrapped__=other)
        return made

    def calls(self, args: Args, options: Options) -> Calls:
        """The calls that a call with these arguments consists of."""
        return Calls(self, args, options)

    def __call__(self, *args: Any, **options: Any) -> Any:
        """The results of all calls, as arrays."""
        if not open_levels:
            return super().__call__(*args, **options)
        if innermost((*args, *options.values())) is None:
            try:
                return super().__call__(*args, **options)
            # the function reads traced values, so its results are no plain array
            except LostGradientError as error:
                note_caught(error)
        calls = self.calls(args, options)
        found = all_calls_at_once(calls)
        if found is not None:
            return found
        return calls.result([self.pyfunc(*own, **named) for own, named in calls])


def all_calls_at_once(calls: Calls) -> Any:
    """The results of all calls, computed at once; None where the calls are made one by one.

    That is where there is no call or one, and where the function decides by the values that it
    sees.
    """
    if calls.count < 2 or calls.is_bare:
        return None

    def of_one(parts: dict[Any, Any]):
        args, options = calls.with_parts({**objects, **parts})
        return calls.vectorized.pyfunc(*args, **options)

    # `self` of a vectorised method, say, which is one for all calls
    objects = {
        key: varied.rows[0]
        for key, varied in calls.varied.items()
        if varied.shape == () and varied.dtype == object
    }
    rows = {key: varied.rows for key, varied in calls.varied.items() if key not in objects}
    try:
        found = vmap(of_one)(rows)
    except (BatchingError, LostGradientError, InPlaceError) as error:
        note_caught(error)
        return None
    return calls.result_of_rows(found)
