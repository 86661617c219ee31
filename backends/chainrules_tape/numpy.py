"""NumPy for code that is differentiated: ``import chainrules_tape.numpy as np``, in the place of ``autograd.numpy``, say.

Every name is NumPy's own. Plain ``import numpy as np`` does as well, except for the functions that NumPy does not let anybody
intercept, above all those that build arrays from lists: `array`, `asarray` and their like, `full`, the polynomials of
``numpy.polynomial``. Here these find the rule that the table has for them, and `vectorize` calls its function on traced values;
with plain values they are NumPy's, too.

>>> import chainrules_tape.numpy as tnp
>>> from chainrules_tape import grad
>>> grad(lambda x: tnp.sum(tnp.array([x, 2 * x, 1.0]) ** 2))(3.0)
30.0
"""

import types
from collections.abc import Callable
from functools import update_wrapper
from typing import Any

import numpy

from chainrules_py.registry import default_rules
from chainrules_py.rulesets.vectorized_calls import Calls
from chainrules_tape.levels import call, innermost
from chainrules_tape.refusals import LostGradientError, forgive

_AS_THEY_ARE = (type, numpy.ufunc, type(numpy.sum))  # classes, and functions that hand traced values over by themselves
# These look at some arguments only: not at the value to fill with, not at a default, not into a list of numbers or a range.
_SOMETIMES = {
    *(numpy.full_like, numpy.select, numpy.polyval),
    *(numpy.histogram, numpy.histogram_bin_edges, numpy.histogram2d, numpy.histogramdd),
}


def interceptable(function: Any) -> Callable[..., Any]:
    """A function that hands calls with traced values to the tape, whether it was made for that or not.

    >>> import numpy as np
    >>> from chainrules_tape import grad
    >>> polyval = interceptable(np.polynomial.polynomial.polyval)
    >>> grad(lambda x: polyval(x, np.array([1.0, 0.0, 5.0])))(2.0)
    20.0
    """
    if isinstance(function, numpy.vectorize):
        return vectorize.like(function)

    def intercepted(*args: Any, **options: Any) -> Any:
        return call(function, args, options)

    return update_wrapper(intercepted, function)


# NumPy's stub says that the class lives in a module of exactly that name, so that no subclass could.
class vectorize(numpy.vectorize):  # pyright: ignore[reportIncompatibleVariableOverride]
    """NumPy's, with traced arguments, and with functions that read traced values of their surroundings.

    Each call of the function is traced as if it stood there by itself, so its ``if`` and ``while`` see one number.

    >>> from chainrules_tape import grad
    >>> ramp = vectorize(lambda x, slope: x if x > 0 else slope * x)
    >>> grad(lambda x: ramp(x, 0.1).sum())(numpy.array([2.0, -3.0]))
    array([1. , 0.1])
    """

    @classmethod
    def like(cls, other: numpy.vectorize) -> "vectorize":
        """The same for a function that NumPy vectorised."""
        made = cls.__new__(cls)
        vars(made).update(vars(other))
        return made

    def __call__(self, *args: Any, **options: Any) -> Any:
        """The results of all calls, as arrays."""
        if innermost((*args, *options.values())) is None:
            try:
                return super().__call__(*args, **options)
            except LostGradientError as error:  # the function reads traced values, so its results are no plain array
                forgive(error.value)
        calls = Calls(self, args, options)
        return calls.result([self.pyfunc(*own, **named) for own, named in calls])


class Namespace:
    """A module with some of its functions made interceptable, modules inside it included."""

    def __init__(self, module: types.ModuleType) -> None:
        self.__wrapped__ = module

    def __getattr__(self, name: str) -> Any:
        found = _made_interceptable(getattr(self.__wrapped__, name))
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        return dir(self.__wrapped__)

    def __repr__(self) -> str:
        return f"<{self.__wrapped__.__name__}, interceptable>"


def _made_interceptable(found: Any) -> Any:
    if isinstance(found, types.ModuleType):
        return Namespace(found)
    if not callable(found) or (isinstance(found, _AS_THEY_ARE) and found not in _SOMETIMES) or found not in default_rules:
        return found
    return interceptable(found)


_namespace = Namespace(numpy)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):  # what Python asks of a module is not NumPy's to answer
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_namespace, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(numpy)})
