"""Programs for the array API standard: the namespace of traced arrays.

``x.__array_namespace__()`` of a traced array is NumPy, which follows the standard, by the names in
`chainrules_tape.numpy`; the library of the array computes. `array_api_compat`, and each copy of it
that a package has inside, knows arrays by their classes: it is told, when a derivative begins after
its import, that the namespace of arrays is this one for as long as the thread computes a derivative,
for plain arrays as well, so that ``array_namespace(data, x)`` does not ask which of them is traced.
"""

import sys
from collections.abc import Callable
from functools import cache, partial, update_wrapper
from importlib import import_module
from types import ModuleType, NoneType
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.values.arrays import call, libraries, library_of, numpy_library, taken_in
from chainrules_py.values.late_names import UFUNC_METHODS, found_at
from chainrules_tape.core import guests
from chainrules_tape.core.levels import (
    differentiates_here,
    innermost,
    open_levels,
    prepare_when_imported,
    undecided,
)
from chainrules_tape.in_place.storages import as_buffer
from chainrules_tape.refusals.handles import TracedArray, library_beneath

PLAIN = frozenset({np.ndarray, np.float64, float, int, bool, NoneType, str})
NUMPYS = "chainrules_tape.numpy"
COPIES = (
    "array_api_compat",
    "scipy._lib.array_api_compat",
    "sklearn.externals.array_api_compat",
)
# What `array_api_compat` computes in arrays that take no traced values, or by functions in C.
CONVERTING = frozenset({"asarray", "clip", "count_nonzero", "eig", "solve"})
LATE = frozenset({"dask", "jax"})  # libraries whose numbers may be computed later
CREATING = frozenset(
    {
        *("arange", "empty", "empty_like", "eye", "full", "full_like", "linspace"),
        *("ones", "ones_like", "zeros", "zeros_like"),
    }
)


class StandardNamespace(ModuleType):
    """A module that follows the standard, NumPy or what is made of it, for traced arrays."""

    def __init__(self, module: ModuleType, beneath: str, path: str = "") -> None:
        # what programs ask a namespace is which library it is of
        super().__init__(module.__name__)
        self.__wrapped__, self._beneath, self._path = module, beneath, path

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.__wrapped__, name)
        made = self.made(name, found)
        setattr(self, name, made)
        return made

    def made(self, name: str, found) -> Any:
        """What stands in the place of something in the module."""
        if name == "__array_namespace_info__":
            return partial(Information, found, self._beneath)
        if isinstance(found, ModuleType):
            return StandardNamespace(found, self._beneath, f"{self._path}{name}.")
        if isinstance(found, type) or not callable(found):
            return found
        original = found_at(np, self._path + name)
        made = self.of_arrays(name, found, original)
        if name in CREATING or name == "asarray":
            made = on_any_device(self.made_beneath(name, made))
        return made if name in CREATING else of_any_library(made, original)

    def made_beneath(self, name: str, make: Function) -> Function:
        """A function that makes arrays, by the library beneath if its arrays meet none of NumPy's."""
        library = next((known for known in libraries() if known.name == self._beneath), None)
        if library is None or library is numpy_library() or not library.mutable:
            return make
        make_there = getattr(library.namespace, name)

        def maker(*args, **options):
            if innermost((*args, *options.values())) is not None:
                return make(*args, **options)
            y = make_there(*args, **options)
            return y if any(y is arg for arg in args) else as_buffer(y)

        return update_wrapper(maker, make)

    def of_arrays(self, name: str, found, original) -> Any:
        """The function for NumPy's arrays, and traced ones, in the place of one in the module."""
        if not self._path and name in OWN:
            return OWN[name]
        if found is not original and name not in CONVERTING | CREATING:
            return found
        ours = found_at(import_module(NUMPYS), self._path + name)
        if found is original or name in CREATING:
            return ours
        return where_traced(clip if name == "clip" else ours, found)

    def __dir__(self) -> list[str]:
        return dir(self.__wrapped__)

    def __repr__(self) -> str:
        return f"<{self.__name__}, of traced arrays>"


def sort(x, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Any:
    """The entries in order; `numpy.sort` has no other direction."""
    y = np.sort(x, axis=axis, stable=stable)
    return np.flip(y, axis=axis) if descending else y


def argsort(x, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Any:
    """The positions of the entries in order, equal ones in theirs; as `sort`."""
    if not descending:
        return np.argsort(x, axis=axis, stable=stable)
    order = np.flip(np.argsort(np.flip(x, axis=axis), axis=axis, stable=stable), axis=axis)
    return x.shape[axis] - 1 - order


def astype(x, dtype, /, *, copy: bool = True, device: Any = None) -> Any:
    """The array in another type of numbers; a new one takes traced values."""
    y = call(np.astype, x, dtype, copy=copy)
    return y if y is x else as_buffer(y)


def clip(x, /, min: Any = None, max: Any = None) -> Any:
    """Entries moved into an interval, in their own dtype, as the standard has it."""
    y = np.clip(x, min, max)
    return y if y.dtype == x.dtype else y.astype(x.dtype)


# What the standard says of them is more than NumPy has.
OWN: dict[str, Function] = {f.__name__: f for f in (sort, argsort, astype)}


class Information:
    """What a namespace says of itself; where numbers come later or in lanes, that no shape depends
    on them.
    """

    def __init__(self, find: Callable[[], Any], beneath: str) -> None:
        self._found, self._beneath = find(), beneath

    def __getattr__(self, name: str) -> Any:
        return getattr(self._found, name)

    def capabilities(self) -> dict[str, Any]:
        """The capabilities of the library: of masks that differ from lane to lane, not as many
        entries are chosen.
        """
        found: dict[str, Any] = self._found.capabilities()
        if undecided.isdisjoint(open_levels) and self._beneath not in LATE:
            return found
        return {**found, "boolean indexing": False, "data-dependent shapes": False}


def on_any_device(make: Function) -> Function:
    """A function that makes arrays, which are brought to the device of those that they meet."""

    def maker(*args, device: Any = None, **options):
        return make(*args, **options)

    return update_wrapper(maker, make)


def of_any_library(function: Function, original) -> Function:
    """A function that is computed by the library of its arguments, where these are plain arrays."""

    def call_of_any_library(*args, **options):
        if all(map(is_numpys, args)):
            return function(*args, **options)
        args = tuple(map(taken_in, args))
        if original is None or innermost((*args, *options.values())) is not None:
            return function(*args, **options)
        return call(original, *args, **options)

    for name in UFUNC_METHODS if isinstance(function, np.ufunc) else ():
        setattr(call_of_any_library, name, getattr(function, name))
    return update_wrapper(call_of_any_library, function)


def is_numpys(x) -> bool:
    """Whether no other library than NumPy has a say in what is computed of a value."""
    cls = type(x)
    if cls in PLAIN or issubclass(cls, TracedArray):
        return True
    if issubclass(cls, tuple | list):
        return all(map(is_numpys, x))
    library = library_of(cls)
    return library is None or library is numpy_library()


def where_traced(traced: Function, plain: Function) -> Function:
    """One function where an argument is traced, and another where none is."""

    def call_where_traced(*args, **options):
        is_traced = innermost((*args, *options.values())) is not None
        return (traced if is_traced else plain)(*args, **options)

    return update_wrapper(call_where_traced, plain)


namespace_like: Callable[..., StandardNamespace] = cache(StandardNamespace)


def array_namespace(x, api_version: str | None = None) -> StandardNamespace:
    """The namespace of a traced array."""
    if api_version is not None:
        plain: Any = np.empty(0)
        plain.__array_namespace__(api_version=api_version)  # raises for versions that NumPy lacks
    return namespace_like(np, x.beneath)


def teach(copy: str) -> None:
    """Have a copy of `array_api_compat` answer for traced arrays, and for plain ones beside them."""
    helpers = sys.modules[f"{copy}.common._helpers"]
    original = vars(helpers).get("_cls_to_namespace")
    if original is None:  # of a version before 1.11, which asks each array
        return

    def of_class(cls: type, api_version: str | None, use_compat: bool | None):
        if not differentiates_here() or not is_class_with_namespace(cls):
            return original(cls, api_version, use_compat)
        found, info = original(np.ndarray, api_version, use_compat)
        return namespace_like(found, library_beneath(cls)), info

    helpers._cls_to_namespace = update_wrapper(of_class, original)  # type: ignore[attr-defined]


def is_class_with_namespace(cls: type) -> bool:
    """Whether a class is one of arrays, plain or traced; numbers of Python's have no namespace."""
    if issubclass(cls, TracedArray):
        return not cls.is_pythons
    if issubclass(cls, np.ndarray | np.generic):
        return True
    return not issubclass(cls, int | float | complex) and library_of(cls) is not None


guests.give_namespace(array_namespace)
for _copy in COPIES:
    prepare_when_imported(_copy, partial(teach, _copy))
