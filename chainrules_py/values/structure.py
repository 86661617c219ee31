"""Containers: which values are some, their fields, and copies of them with other fields.

This module alone knows, for tangents, projection, accumulation and the test kit alike:

    kind        fields                         copied by
    namedtuple  its names, and attributes of   _replace, or without the constructor
                SciPy's results
    dataclass   its declared fields            dataclasses.replace: derived fields are computed again,
                                               attributes that were set later are kept
    attrs       its declared attributes        its constructor, by init aliases (attrs itself is not imported)
    mapping     its keys                       a shallow copy, then assignment
    tuple       0, 1, ...                      its constructor
    list, deque 0, 1, ...                      a shallow copy, then assignment
    object      vars and slots                 a shallow copy, then object.__setattr__: no constructor runs
    partial     func, args, keywords           a shallow copy, then __setstate__
    declared    what its functions say         its functions, which `container` was given, or its
                                               methods __chainrules_parts__, __chainrules_with_parts__

All but objects and partials are containers, which hold values and nothing else. Plain objects of
users' classes and partials are structural, too: they may have tangents, field by field. Arrays,
numbers, strings, functions, modules and classes are leaves.

What functools.cached_property has stored is not a field and is not carried over: it may depend on
what is replaced.
"""

import copy
import enum
import functools
from collections import deque
from collections.abc import Callable, Mapping, MutableMapping
from inspect import signature
from numbers import Number
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any, TypeVar

import numpy as np

from chainrules_py.errors import TangentTypeError
from chainrules_py.values.awaited import Awaited
from chainrules_py.values.records import Record

Rebuild = Callable[[Any, dict[Any, Any]], Any]

_LEAVES = (
    *(Number, str, bytes, bytearray, type, enum.Enum, BaseException),
    *(FunctionType, BuiltinFunctionType, MethodType, ModuleType),
)
# the kinds whose parts are attributes
RECORDS = frozenset({"namedtuple", "dataclass", "attrs", "object", "partial"})
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: made by a class statement, not in C

MOST_CLASSES = 256  # of which something is remembered: a class of a user's may be gone before us
# replaced whole when a class is declared: who finds a kind out meanwhile writes into the old one
_kinds: dict[type, str | None] = {}
_arrays: set[type] = set()
_declared_containers: set[type] = {SimpleNamespace}
_parts: dict[type, "Parts"] = {}
_awaited = Awaited()
Class = TypeVar("Class", bound=type)


def declare_leaf(cls: type) -> None:
    """Say that a class is one of arrays, whatever fields its objects have."""
    if cls not in _arrays:
        _arrays.add(cls)
        _forget_kinds()


def _forget_kinds() -> None:
    global _kinds
    _kinds = {}


class Parts(Record):
    """How the objects of a declared class are taken apart, and made again."""

    of: Callable[[Any], dict[Any, Any]]
    exchanged: Rebuild
    of_tangent: Callable[[Any, Any], dict[Any, Any]] | None = None


def container(
    cls: Class,
    *,
    parts: Callable[[Any], dict[Any, Any]] | None = None,
    with_parts: Rebuild | None = None,
    tangent_parts: Callable[[Any, Any], dict[Any, Any]] | None = None,
) -> Class:
    """Declare that the attributes of a class's objects are values to differentiate.

    Other objects of the class are made by copying one and assigning attributes: its constructor
    does not run. If that does not fit, ``parts(x)`` returns a dict of what in `x` is
    differentiated, and ``with_parts(x, others)`` an object like `x` with other values in their
    places: traced values, or gradients. A class with the methods ``__chainrules_parts__`` and
    ``__chainrules_with_parts__`` is declared by these.

    ``tangent_parts(x, x_dot)`` is a dict of what a caller's tangent has in their places, where that
    depends on `x`: its axes in the same order, its numbers in the same unit. It raises where
    `x_dot` is no tangent of `x`. By default a tangent is taken apart as `x` is.

    >>> @container
    ... class Line:
    ...     def __init__(self, slope):
    ...         self.slope = slope
    >>> fields(Line(2.0)), is_container(Line(2.0))
    ({'slope': 2.0}, True)
    """
    if parts is not None and with_parts is not None:
        _parts[cls] = Parts(parts, with_parts, tangent_parts)
    _declared_containers.add(cls)
    _forget_kinds()
    return cls


def declare_when_met(package: str, declare: Callable[[], None]) -> None:
    """Say which function declares the containers of a package, when the first of them is met."""
    _awaited.add(package, declare)
    _forget_kinds()


def kind(cls: type) -> str | None:
    """Name the kind of a class, a row in the table of this module; None for leaves.

    >>> kind(dict), kind(float)
    ('mapping', None)
    """
    known = _kinds
    try:
        return known[cls]
    except KeyError:
        if len(known) >= MOST_CLASSES:
            _forget_kinds()
            known = _kinds
        known[cls] = found = _kind_of_container(cls)
        return found


def _kind_of_container(cls: type) -> str | None:
    for base in cls.__mro__:
        _awaited.meet(str(base.__module__).partition(".")[0])
    if hasattr(cls, "__chainrules_parts__") and cls not in _parts:
        declared: Any = cls
        _parts[cls] = Parts(declared.__chainrules_parts__, declared.__chainrules_with_parts__)
        _declared_containers.add(cls)
    if not _parts.keys().isdisjoint(cls.__mro__):
        return "declared"
    if not _arrays.isdisjoint(cls.__mro__):
        return None
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return "namedtuple"
    if hasattr(cls, "__dataclass_fields__"):
        return "dataclass"
    if hasattr(cls, "__attrs_attrs__"):
        return "attrs"
    for base, name in ((Mapping, "mapping"), (tuple, "tuple"), (list, "list"), (deque, "list")):
        if issubclass(cls, base):
            return name
    if issubclass(cls, functools.partial):
        return "partial"
    return "object" if _is_declared(cls) or _has_fields(cls) else None


def _has_fields(cls: type) -> bool:
    # By attributes rather than by class, so that array libraries are leaves before anybody
    # registers them.
    is_array = hasattr(cls, "dtype") and hasattr(cls, "shape")
    if is_array or issubclass(cls, _LEAVES) or not cls.__flags__ & _HEAP_TYPE:
        return False
    return hasattr(cls, "__dict__") and ("__dict__" in dir(cls) or bool(slot_names(cls)))


def is_container(x: Any) -> bool:
    """Whether `x` holds values and nothing else, as tuples, dicts and dataclasses do.

    So do a `SimpleNamespace` and the objects of a class that is marked with `container`.
    """
    found = kind(type(x))
    return found is not None and (found not in ("object", "partial") or _is_declared(type(x)))


def _is_declared(cls: type) -> bool:
    return not _declared_containers.isdisjoint(cls.__mro__)


def is_structural(x) -> bool:
    """Whether `x` has fields of its own: a container, or an object of a user's class."""
    return kind(type(x)) is not None


def field_names(cls: type) -> tuple[str, ...] | None:
    """The names every instance of a class has, in order; None where only an instance can tell.

    >>> from collections import namedtuple
    >>> field_names(namedtuple("Point", "x y")), field_names(dict)
    (('x', 'y'), None)
    """
    found = kind(cls)
    if found == "namedtuple":
        return None if _has_attributes(cls) else _declared(cls, "_fields")
    if found == "dataclass":
        import dataclasses  # half a millisecond, for programs that have imported it

        return tuple(field.name for field in dataclasses.fields(cls))
    if found == "attrs":
        return tuple(attribute.name for attribute in _declared(cls, "__attrs_attrs__"))
    if found == "partial":
        return ("func", "args", "keywords")
    if found == "object" and "__dict__" not in dir(cls):
        return slot_names(cls)
    return None


def _has_attributes(cls: type) -> bool:
    """Whether a namedtuple has attributes beside its parts, as SciPy's results do."""
    return getattr(cls, "_replace", None) is None


def _declared(cls: type, attribute: str) -> tuple[Any, ...]:
    return tuple(getattr(cls, attribute))


def slot_names(cls: type) -> tuple[str, ...]:
    """The names by which the slots of a class and its bases are read; those of a base come first."""
    if not hasattr(cls, "__slots__"):  # nearly always
        return ()
    return tuple(name for base in reversed(cls.__mro__) for name in _own_slots(base))


def attribute_values(x) -> list[Any]:
    """The attributes that an object stores, in slots and in its dict."""
    slots = [getattr(x, name, None) for name in slot_names(type(x))]
    return [*slots, *getattr(x, "__dict__", {}).values()]


def _own_slots(cls: type) -> list[str]:
    slots = cls.__dict__.get("__slots__", ())
    names = [
        name
        for name in ((slots,) if isinstance(slots, str) else slots)
        if name not in ("__dict__", "__weakref__")
    ]
    private = f"_{cls.__name__.lstrip('_')}"  # Python's name mangling
    return [
        private + name if name.startswith("__") and not name.endswith("__") else name
        for name in names
    ]


def is_mutable(cls: type) -> bool:
    """Whether the fields of a class's objects can be assigned to.

    >>> is_mutable(list), is_mutable(tuple)
    (True, False)
    """
    found = kind(cls)
    if found == "mapping":
        return issubclass(cls, MutableMapping)
    if found == "dataclass":
        declared: Any = cls
        return not declared.__dataclass_params__.frozen
    if found == "attrs":
        return cls.__setattr__.__name__ != "_frozen_setattrs"
    return found in ("list", "object")


def fields(x: Any) -> dict[Any, Any]:
    """List the fields of a container by name, key or position; those not set are left out.

    >>> fields((1.0, 2.0))
    {0: 1.0, 1: 2.0}
    """
    found = kind(type(x))
    if found is None:
        raise _error(
            "fields", x, f"a {type(x).__name__} has no fields", "ask is_structural(x) first"
        )
    if found == "mapping":
        return dict(x)
    if found in ("tuple", "list"):
        return dict(enumerate(x))
    if found == "declared":
        return _parts_of(type(x)).of(x)
    return _attribute_fields(x)


def fields_of_tangent(x, x_dot) -> dict[Any, Any] | None:
    """List what a caller's tangent of a declared container has in the places of its fields; None
    where its class does not say.
    """
    of_tangent = _parts_of(type(x)).of_tangent
    return None if of_tangent is None else of_tangent(x, x_dot)


def _attribute_fields(x) -> dict[Any, Any]:
    names = field_names(type(x))
    if names is None and kind(type(x)) == "namedtuple":
        names = (*x._fields, *vars(x))
    elif names is None:
        names = (*slot_names(type(x)), *vars(x))
    own = getattr(x, "__dict__", {})  # where a property of this name may give a copy
    return {
        name: own[name] if name in own else getattr(x, name)
        for name in names
        if (name in own or hasattr(x, name)) and not _is_cached(type(x), name)
    }


def _is_cached(cls: type, name: str) -> bool:
    return isinstance(getattr(cls, name, None), functools.cached_property)


def rebuild(x: Any, updates: Mapping[Any, Any]) -> Any:
    """Another value of the same class with some fields replaced; `x` is not written.

    >>> rebuild((1.0, 2.0), {1: 5.0})
    (1.0, 5.0)
    """
    present = fields(x)
    unknown = [key for key in updates if key not in present]
    if unknown:
        got = f"got the fields {unknown}"
        raise _error("rebuild", x, got, f"a {type(x).__name__} here has the fields {list(present)}")
    return _REBUILD[str(kind(type(x)))](x, dict(updates))


def leaves_of(x) -> list[Any]:
    """List the values in a value, which are itself or the parts of a container."""
    if not is_container(x):
        return [x]
    leaves: list[Any] = []
    for part in fields(x).values():
        if kind(type(part)) is None:  # most are, of several in each call of an operation
            leaves.append(part)
        else:
            leaves += leaves_of(part)
    return leaves


def mapped(function: Callable[[Any], Any], x) -> Any:
    """Apply a function to a value, or to each part of a container.

    >>> mapped(abs, {"a": -1.0, "b": (-2.0, 3.0)})
    {'a': 1.0, 'b': (2.0, 3.0)}
    """
    if type(x) in (tuple, list):  # as arguments are
        return type(x)([mapped(function, part) for part in x])
    if not is_container(x):
        return function(x)
    parts = {key: mapped(function, part) for key, part in fields(x).items()}
    return rebuild(x, parts) if parts else x


def _rebuild_namedtuple(x, updates: dict[Any, Any]):
    if not _has_attributes(type(x)):
        return x._replace(**updates)
    values = {**_attribute_fields(x), **updates}
    made = tuple.__new__(type(x), [values.pop(name) for name in x._fields])
    vars(made).update(values)
    return made


def _rebuild_dataclass(x, updates: dict[Any, Any]):
    if not x.__dataclass_params__.init:
        return _rebuild_object(x, updates)
    import dataclasses

    declared = {field.name: field.init for field in dataclasses.fields(x)}
    try:
        made = dataclasses.replace(
            x, **{name: value for name, value in updates.items() if declared[name]}
        )
    except (TypeError, ValueError) as error:  # a TypeError since Python 3.13
        if "InitVar" not in str(error):
            raise
        raise _error("rebuild", x, str(error), "store the InitVar in a field") from error
    state = _state(x, declared)
    if state and hasattr(x, "__post_init__"):
        state = _set_later(state, dataclasses.replace(x))
        if state and signature(type(x)).parameters.keys() - declared.keys():
            got = f"its constructor made {list(state)} of an InitVar that is not its default"
            raise _error("rebuild", x, got, "store the InitVar in a field")
    return _assign(made, state | {name: x for name, x in updates.items() if not declared[name]})


def _rebuild_attrs(x, updates: dict[Any, Any]):
    declared = {each.name: each.init for each in _declared(type(x), "__attrs_attrs__")}
    state = _state(x, declared)
    if state:
        state = _set_later(state, _made_of_attrs(x, fields(x)))
    made = _made_of_attrs(x, fields(x) | updates)
    return _assign(made, state | {name: x for name, x in updates.items() if not declared[name]})


def _made_of_attrs(x, values: dict[Any, Any]):
    attributes = _declared(type(x), "__attrs_attrs__")
    return type(x)(**{each.alias: values[each.name] for each in attributes if each.init})


def _state(x, declared: dict[str, bool]) -> dict[str, Any]:
    """The attributes that are no arguments of the constructor, by name."""
    return {
        name: value
        for name, value in {**fields(x), **getattr(x, "__dict__", {})}.items()
        if not declared.get(name) and not _is_cached(type(x), name)
    }


def _set_later(state: dict[str, Any], again) -> dict[str, Any]:
    """The attributes that the constructor gives other values, in an object made `again` of the
    same fields; all others are computed from the fields.
    """
    absent = object()
    return {
        name: value
        for name, value in state.items()
        if _is_other(value, getattr(again, name, absent))
    }


def _is_other(one, other) -> bool:
    """Whether two values are certainly not the same, by the numbers and texts in them."""
    if one is other or type(one) is not type(other):
        return one is not other
    if isinstance(one, np.ndarray):
        return not np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")
    if isinstance(one, int | float | complex | np.generic | str | bytes):
        return bool(one != other) and one == one
    if kind(type(one)) not in ("namedtuple", "tuple", "list", "mapping"):
        return False
    parts, others = fields(one), fields(other)
    return parts.keys() != others.keys() or any(_is_other(parts[k], others[k]) for k in parts)


def _rebuild_mapping(x, updates: dict[Any, Any]):
    if not isinstance(x, MutableMapping):
        return type(x)(dict(x) | updates)  # a read-only mapping: its constructor takes a dict
    return _rebuild_items(x, updates)


def _rebuild_tuple(x, updates: dict[Any, Any]):
    entries = tuple(updates.get(index, value) for index, value in enumerate(x))
    try:
        return type(x)(entries)
    except TypeError:  # as of torch.Size, which takes whole numbers only
        return entries


def shallow_copy(x) -> Any:
    """Copy a container, or return one that cannot be copied, as a `ChainMap` without mappings."""
    try:
        return copy.copy(x)
    except Exception:
        return x


def _rebuild_items(x, updates: dict[Any, Any]) -> Any:
    made = copy.copy(x) if updates else shallow_copy(x)
    for key, value in updates.items():
        made[key] = value
    return made


def _rebuild_declared(x, updates: dict[Any, Any]):
    if any(value is None for value in updates.values()):
        return x  # where only the structure is asked for
    return _parts_of(type(x)).exchanged(x, fields(x) | updates)


def _parts_of(cls: type) -> Parts:
    return next(_parts[base] for base in cls.__mro__ if base in _parts)


def _rebuild_object(x, updates: dict[Any, Any]) -> Any:
    made = copy.copy(x)
    for name in [name for name in getattr(made, "__dict__", ()) if _is_cached(type(x), name)]:
        del vars(made)[name]
    return _assign(made, updates)


def _rebuild_partial(x, updates: dict[Any, Any]):
    made, parts = copy.copy(x), fields(x) | updates
    made.__setstate__((parts["func"], parts["args"], parts["keywords"], vars(x) or None))
    return made


def _assign(made, updates: dict[Any, Any]) -> Any:
    own = getattr(made, "__dict__", {})
    for name, value in updates.items():
        if name in own:  # a property of this name may forbid to set it
            own[name] = value
        else:
            object.__setattr__(made, name, value)  # frozen classes forbid the ordinary way
    return made


_REBUILD: dict[str, Rebuild] = {
    "namedtuple": _rebuild_namedtuple,
    "dataclass": _rebuild_dataclass,
    "attrs": _rebuild_attrs,
    "mapping": _rebuild_mapping,
    "tuple": _rebuild_tuple,
    "list": _rebuild_items,
    "object": _rebuild_object,
    "partial": _rebuild_partial,
    "declared": _rebuild_declared,
}


def _error(operation: str, x, got: str, instead: str) -> TangentTypeError:
    return TangentTypeError(
        f"{operation}({type(x).__name__})", got, instead, operation=operation, operands=(x,)
    )
