"""Subclasses of `float` that are made of traced numbers, in code that is seen through.

An object of such a class holds a plain number in C. In its place stands one of `FloatObject`, which
holds the traced number, takes attributes, has the methods and operators that the class defines in
Python, and says that it is of the class. Whatever the class leaves to `float` is what the traced
number does.
"""

import operator
from collections.abc import Callable
from functools import cache, update_wrapper
from types import FunctionType, MethodType
from typing import Any

from chainrules_tape.arrays.operators import reflected
from chainrules_tape.arrays.zero_dimensional import number_of_array
from chainrules_tape.core.levels import open_levels
from chainrules_tape.refusals.advice import CONVERSIONS
from chainrules_tape.refusals.apparent_instances import ApparentArray
from chainrules_tape.refusals.errors import raise_lost_gradient
from chainrules_tape.refusals.handles import TracedArray
from chainrules_tape.refusals.instrumented_packages import stood_for

_BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow")
_COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
_UNARY = ("neg", "pos", "abs")
_OTHERS: dict[str, Callable[..., Any]] = {
    "bool": bool,
    "format": format,
    "round": round,
    "str": str,
}
_BOUND = (FunctionType, property, classmethod, staticmethod)


class FloatObject(ApparentArray):
    """An object of a subclass of `float`, with a traced number in the place of the plain one."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, cls: type, number) -> None:
        vars(self).update(_apparent_class=cls, _number=number)

    def _traced(self) -> Any:
        """The traced number."""
        return self._number

    def __getattr__(self, name: str) -> Any:
        if name in ("_apparent_class", "_number"):  # while it is copied
            raise AttributeError(name)
        found = defined(self._apparent_class, name)
        if found is None:
            return getattr(self._number, name)
        return found.__get__(self, self._apparent_class) if isinstance(found, _BOUND) else found

    def __float__(self) -> Any:
        what, instead = CONVERSIONS["__float__"]
        return raise_lost_gradient(what, self._number, instead)

    def __repr__(self) -> str:
        own = defined(self._apparent_class, "__repr__")
        if own is not None:
            return str(own(self))
        return f"{self._apparent_class.__name__}({self._number!r})"


@cache
def defined(cls: type, name: str) -> Any:
    """The attribute that a subclass of `float` itself defines; None where `float` does."""
    for base in cls.__mro__:
        if base is float:
            return None
        if name in vars(base):
            return vars(base)[name]
    return None


def method(name: str, otherwise: Callable[..., Any]) -> Callable[..., Any]:
    """A special method: the class's own, or what the traced number does."""

    def call(self, *args):
        own = defined(self._apparent_class, name)
        if own is not None:
            return own(self, *args)
        return otherwise(self._number, *map(stood_for, args))

    return call


for _name in (*_BINARY, *_COMPARISONS, *_UNARY):
    _operation = getattr(operator, f"__{_name}__", divmod)
    setattr(FloatObject, f"__{_name}__", method(f"__{_name}__", _operation))
    if _name in _BINARY:
        setattr(FloatObject, f"__r{_name}__", method(f"__r{_name}__", reflected(_operation)))
for _name, _operation in _OTHERS.items():
    setattr(FloatObject, f"__{_name}__", method(f"__{_name}__", _operation))


def of_super(name: str) -> Callable[..., Any]:
    """The function to call for ``super().__add__(y)`` or its like.

    What the classes between leave to `float` is what the traced number does.
    """

    def called(owner, *args, **options):
        parent: Any = owner
        if type(owner) is super and type(parent.__self__) is FloatObject:
            classes = parent.__self__._apparent_class.__mro__
            after = classes[classes.index(parent.__thisclass__) + 1 : classes.index(float)]
            if not any(name in vars(cls) for cls in after):
                return getattr(stood_for(parent.__self__), name)(*map(stood_for, args), **options)
        return getattr(owner, name)(*args, **options)

    return called


BY_SUPER = {
    name: of_super(name)
    for name in (
        *(f"__{prefix}{name}__" for name in _BINARY for prefix in ("", "r")),
        *(f"__{name}__" for name in (*_COMPARISONS, *_UNARY)),
    )
}


def new(owner, *args, **options) -> Any:
    """``owner.__new__(cls, x)``, where the owner may be `float`, or stand for it by ``super()``."""
    if open_levels and len(args) == 2 and not options and issubclass(type(args[1]), TracedArray):
        cls, x = args
        if isinstance(cls, type) and issubclass(cls, float) and is_of_float(owner):
            return FloatObject(cls, x if x.is_number else number_of_array(x))
    return owner.__new__(*args, **options)


def is_of_float(owner) -> bool:
    """Whether ``owner.__new__`` is that of `float`."""
    return getattr(owner, "__new__", None) is float.__new__


@cache
def of_float_class(cls: type) -> Callable[..., Any] | None:
    """The function to call in the place of a subclass of `float`; None of a class written in C."""
    if type(cls) is not type or cls.__module__ in ("numpy", "builtins"):
        return None

    def made(*args, **options):
        if not open_levels or not args or not issubclass(type(args[0]), TracedArray):
            return cls(*args, **options)
        own = defined(cls, "__new__")
        own_new: Any = own.__func__ if isinstance(own, staticmethod) else own
        y = new(float, cls, args[0]) if own_new is None else own_new(cls, *args, **options)
        begin = defined(cls, "__init__")
        if begin is not None and type(y) is FloatObject:
            MethodType(begin, y)(*args, **options)
        return y

    return update_wrapper(
        made, cls, assigned=("__module__", "__name__", "__qualname__", "__doc__"), updated=()
    )
