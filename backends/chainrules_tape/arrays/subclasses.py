"""What a traced array has of its value's class, a subclass of NumPy's arrays: attributes and methods.

The value under the handle is an array of the subclass, so that NumPy gives results their class and
attributes. What handles have not is looked up there, as Python does it: methods and properties
compute with the traced array, and what an object carries is what its value carries.
"""

from types import MemberDescriptorType
from typing import Any

import numpy as np

from chainrules_tape.core.levels import call_traced
from chainrules_tape.refusals.errors import InputError
from chainrules_tape.refusals.handles import TracedArray, moved, plain
from chainrules_tape.refusals.subclasses import carrying, is_array_as_it_is, refuse_hidden

_MISSING = object()


def view_as(x: Any, *args, **options) -> Any:
    """Return ``x.view(cls)`` of a class whose operations are NumPy's; None for all others."""
    if not x.shape or not is_array_as_it_is(*args, **options):
        return None
    own: Any = type(plain(x))
    cls = next(iter((*args, *options.values())), own)
    y = x[...]
    if cls is own:
        return y
    refuse_hidden(np.ndarray.view, cls)
    if x.is_stored:
        got = "an array that was written to, whose memory nobody else may have"
        instead = f"write x.copy().view({cls.__qualname__})"
        raise InputError(f"x.view({cls.__qualname__})", got, instead, function=np.copy, value=x)
    return as_class(y, cls)


def as_class(x, cls: type) -> Any:
    """A traced array with a value of another class, with the same slot or tangent."""
    if not issubclass(type(x), TracedArray):
        return np.ndarray.view(x, cls)
    value = as_class(x.value, cls)
    return moved(x, value, x.forms[type(value)])


def in_class(name: str, cls: type) -> Any:
    """What a subclass of NumPy's arrays, or one of its bases up to these, has under a name."""
    for base in cls.__mro__[: cls.__mro__.index(np.ndarray)]:
        if name in vars(base):
            return vars(base)[name]
    return _MISSING


def read_attribute(self: TracedArray, name: str):
    """Read what only the class of the value has, or the value itself."""
    value = plain(self)
    cls: Any = type(value)
    found, own = in_class(name, cls), getattr(value, "__dict__", {})
    if name in own and not hasattr(type(found), "__set__"):
        return own[name]
    if found is not _MISSING:
        x = value if type(found) is MemberDescriptorType else self
        return found.__get__(x, cls) if hasattr(found, "__get__") else found
    fallback = in_class("__getattr__", cls)
    if fallback is not _MISSING:
        return fallback(self, name)
    raise AttributeError(f"{cls.__name__!r} object has no attribute {name!r}", name=name, obj=self)


def set_attribute(self: TracedArray, name: str, new) -> None:
    """Set what handles have, or else a property of the class of the value, or else an attribute of
    the value.
    """
    if hasattr(type(self), name):
        object.__setattr__(self, name, new)
        return
    value = plain(self)
    found = in_class(name, type(value))
    if hasattr(type(found), "__set__") and type(found) is not MemberDescriptorType:
        found.__set__(self, new)
    else:
        setattr(value, name, new)


def copy_of_subclass(self: TracedArray, order: Any = "C") -> Any:
    """Return ``x.copy()``, which has the class of the array, as `numpy.copy` has not."""
    return carrying(call_traced(np.copy, (self,), {"order": order}), plain(self))


ATTRIBUTES = {
    "__getattr__": read_attribute,
    "__setattr__": set_attribute,
    "copy": copy_of_subclass,
    "__copy__": copy_of_subclass,
}
