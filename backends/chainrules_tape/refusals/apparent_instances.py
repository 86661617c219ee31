"""Objects that `isinstance` takes for those of another class.

Other people's code asks it of integers, arrays and SciPy's objects, in whose place such an object
stands. ``type(x)`` tells the truth. Traced values do the same (`handles`).
"""

from typing import Any

from chainrules_tape.refusals.instrumented_packages import arrays_of, stood_for, with_traced


class ApparentInstance:
    """An object that says that its class is `_apparent_class`, an attribute or a property."""

    __slots__ = ()
    _apparent_class: Any
    __class__: Any = property(lambda self: self._apparent_class)


class ApparentArray(ApparentInstance):
    """One with which NumPy computes by the traced value that it stands for, `_traced`."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        arrays_of[cls] = cls._traced

    def _traced(self) -> Any:
        """The traced value in the place of this object."""
        raise NotImplementedError

    def __array_ufunc__(self, ufunc, method: str, *inputs, **options) -> Any:
        return getattr(ufunc, method)(*map(stood_for, inputs), **with_traced(options))

    def __array_function__(self, function, types, args, options) -> Any:
        return function(*with_traced(args), **with_traced(options))
