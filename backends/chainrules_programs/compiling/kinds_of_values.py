"""Sort the values that a program reads by whether, and how, they can change between its calls.

constant     never changes itself: numbers, strings, types, functions of libraries
value        a number, a string or a member of an enumeration, of the user's class: it has attributes
array        NumPy's, of numbers: its entries are an input of the program
text         an array of other entries: compared, entry by entry
function     of the user's, in Python: it reads its surroundings
library      a function in Python that an installed package made; it may hold one of the user's
class        of the user's
instance     an object of a class in Python: it has attributes
module       of the user's
partial, method, wrapper (a property, say), compiled
cache        a function of the user's with the results that `functools` keeps of it
asked        what stands for one in code that is seen through
seen         a function that is seen through with its file
items        a tuple, list or dict
filled       a dict or a list of the user's class, which has attributes, too
members      a set
view         of a dict, which cannot be written through
reference    a weak one
lock         of threads
unknown      everything else: whether it has changed cannot be asked
"""

import datetime
import decimal
import enum
import fractions
import inspect
import operator
import pathlib
import re
import sys
import threading
import weakref
from abc import ABC
from collections import OrderedDict, defaultdict, deque, namedtuple
from functools import cache, cached_property, lru_cache, partial, singledispatchmethod
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    CodeType,
    EllipsisType,
    FunctionType,
    GenericAlias,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    NoneType,
    NotImplementedType,
    UnionType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

from chainrules_foreign_code.alternatives import Alternative
from chainrules_foreign_code.seen_functions import SeenFunction
from chainrules_tape.refusals.code_owners import ENGINE, is_installed

_FieldOfNamedTuple = type(vars(namedtuple("Pair", "first second"))["first"])
_CONSTANTS = (
    *(bool, int, float, complex, str, bytes, NoneType, EllipsisType, NotImplementedType),
    *(range, slice, np.generic, np.dtype, np.ufunc, enum.Enum, re.Pattern, pathlib.PurePath),
    *(decimal.Decimal, fractions.Fraction, datetime.date, datetime.timedelta, UnionType),
    *(BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType, MethodWrapperType),
    *(GetSetDescriptorType, MemberDescriptorType, ClassMethodDescriptorType),
    *(
        operator.attrgetter,
        GenericAlias,
        CodeType,
        _FieldOfNamedTuple,
        inspect.Signature,
        inspect.Parameter,
    ),
    type(vars(ABC)["_abc_impl"]),  # what it knows has a check of its own: `get_cache_token`
)
# zeros of either sign, 2.0 and 2.00, one hour and 60 minutes, noon in two time zones
_EQUAL_THOUGH_DIFFERENT = (
    *(float, complex, np.inexact, decimal.Decimal, range, datetime.date),
    *(np.timedelta64, np.datetime64),
)
KIND_OF_ARRAY = {**dict.fromkeys("biufc", "array"), **dict.fromkeys("SUmM", "text")}
_ITEMS = (tuple, list, dict, OrderedDict, defaultdict, deque)
_KINDS: dict[type, str] = {
    MethodType: "method",
    set: "members",
    frozenset: "members",
    MappingProxyType: "view",
    weakref.ReferenceType: "reference",
    type(threading.Lock()): "lock",
    type(threading.RLock()): "lock",
    **dict.fromkeys(_ITEMS, "items"),
}
_BOUND = (BuiltinFunctionType, MethodWrapperType)
_WRAPPERS = (staticmethod, classmethod, property, cached_property, singledispatchmethod)
_CACHE = type(lru_cache(len))
_HEAP_TYPE, _IMMUTABLE = 1 << 9, 1 << 8  # Py_TPFLAGS_HEAPTYPE, Py_TPFLAGS_IMMUTABLETYPE
_OWN = frozenset({*ENGINE, "chainrules_py", "chainrules_numpy"})


def kind_of(x) -> str:
    """Name what a value is: one of the words at the head of this module."""
    cls = type(x)
    if cls is np.ndarray:
        return KIND_OF_ARRAY.get(x.dtype.kind, "unknown")
    if cls is FunctionType:
        return "function" if is_users(x.__globals__.get("__name__")) else "library"
    if issubclass(cls, _CONSTANTS):
        if is_users_class(cls):
            return "value"
        can_change = is_bound(x) or is_row(x) or is_slice_of_objects(x) or is_vectorized(x)
        return "unknown" if can_change else "constant"
    if issubclass(cls, type):
        return "class" if is_users_class(x) else "constant"
    if issubclass(cls, ModuleType):
        return "module" if is_users(x.__name__) else "constant"
    if hasattr(cls, "__chainrules_compiled__"):
        return "compiled"
    if hasattr(cls, "__chainrules_guarded__"):
        return "constant"
    if issubclass(cls, partial):
        return "partial"
    if cls in _KINDS:
        return _KINDS[cls]
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return "items"
    if is_cache_of_users(x):
        return "cache"
    if cls is SeenFunction:
        return "seen"
    if cls is Alternative and is_cache_of_users(x.__wrapped__):
        return "asked"
    if cls in _WRAPPERS or isinstance(wrapped_by(x), FunctionType):
        return "wrapper"
    if hasattr(cls, "__array_function__") or hasattr(cls, "__array_ufunc__"):
        return "unknown"
    given: Any = cls
    if is_plain_class(given):
        return "instance"
    if filled_class(given) is not None:
        return "filled"
    return "constant" if is_function_in_c(x) else "unknown"


def wrapped_by(x) -> Any:
    """The function that an object says to wrap; None where it says none, or raises when asked."""
    try:
        return getattr(x, "__wrapped__", None)
    except Exception:  # of a module that is imported when something is read of it, say
        return None


def is_cache_of_users(x) -> bool:
    """Whether `functools` keeps the results of a function of the user's."""
    return type(x) is _CACHE and kind_of(x.__wrapped__) == "function"


def is_function_in_c(x) -> bool:
    """Whether an object is a function of a library's in C, such as those of NumPy.

    >>> is_function_in_c(np.sin), is_function_in_c(np.where), is_function_in_c(np.random.default_rng(0))
    (True, True, False)
    """
    is_callable = callable(x) and isinstance(getattr(x, "__name__", None), str)
    return is_callable and type(getattr(x, "__wrapped__", len)) is BuiltinFunctionType


def is_bound(x) -> bool:
    """Whether a method in C belongs to an object that can change: a generator, a dict, an array."""
    owner = getattr(x, "__self__", None) if type(x) in _BOUND else None
    is_object = not isinstance(owner, NoneType | ModuleType | type)
    return is_object and kind_of(owner) not in ("constant", "library")


def is_row(x) -> bool:
    """Whether a value is a row of a structured array, which it shares its memory with."""
    return isinstance(x, np.void)


def is_vectorized(x) -> bool:
    """Whether a ufunc calls a function in Python, as those of `np.frompyfunc` do."""
    return isinstance(x, np.ufunc) and set("".join(x.types)) <= set("O->")


def is_slice_of_objects(x) -> bool:
    """Whether the bounds of a slice are objects that Python asks for their number at each use."""
    return type(x) is slice and any(
        kind_of(bound) != "constant" for bound in (x.start, x.stop, x.step)
    )


def is_users_class(cls) -> bool:
    """Whether a class was made by a class statement of the user's."""
    return bool(cls.__flags__ & _HEAP_TYPE) and is_users(cls.__module__)


def is_users(module) -> bool:
    """Whether the code of a module belongs to the user, not to Python or an installed package."""
    return not isinstance(module, str) or not _is_library(module)


@cache
def _is_library(name: str) -> bool:
    root = name.partition(".")[0]
    if name.startswith("namedtuple_"):  # so Python calls the module of what makes one
        return True
    if root in _OWN or (root in sys.stdlib_module_names and root != "__main__"):
        return True
    file = getattr(sys.modules.get(name), "__file__", None)
    return file is not None and is_installed(file)


def filled_class(cls) -> type | None:
    """The class of containers on which the user's class of an object is built."""
    return container_below(cls) if is_users_class(cls) else None


@cache
def container_below(cls) -> type | None:
    """The class of containers, `dict` or `list`, on which a class in Python is built."""
    return next((base for base in (dict, list) if is_plain_class(cls, base)), None)


@cache
def is_plain_class(cls, built_on: type = object) -> bool:
    """Whether all that an object of a class holds are attributes that Python code can read, and the
    items of the class that it is built on.
    """
    slots, is_built = 0, built_on is object
    for base in cls.__mro__[:-1]:
        if base is built_on:
            is_built = True
            continue
        if not base.__flags__ & _HEAP_TYPE or base.__flags__ & _IMMUTABLE:
            return False
        own = base.__dict__.get("__slots__", ())
        slots += 1 if isinstance(own, str) else len(tuple(own))
    # an object of CPython has two words; two more are for the dict and for weak references
    word = object.__basicsize__ // 2
    return is_built and bool(cls.__basicsize__ <= built_on.__basicsize__ + (2 + slots) * word)


def is_same_constant(one, other) -> bool:
    """Whether a program that was recorded with one constant serves for another.

    >>> is_same_constant(0.0, -0.0), is_same_constant(1, True), is_same_constant("a", "a")
    (False, False, True)
    """
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, _EQUAL_THOUGH_DIFFERENT):
        return repr(one) == repr(other)
    if type(one) is tuple:
        return len(one) == len(other) and all(map(is_same_constant, one, other))
    try:
        return bool(one == other)
    except Exception:  # of a class that refuses to be compared
        return False
