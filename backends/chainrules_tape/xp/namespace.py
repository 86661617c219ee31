"""Traced values as an array library: what `xp` is for rules that run on values of an outer level.

It is NumPy, whose functions find their way back by NumPy's protocols. Only the functions that make
arrays are different. What they make is a constant that each library makes for itself (`constants`),
since the values under the traced ones may be on a device. A rule may fill what it made
(``buffer[index] = traced``), so some make a `TracedBuffer`, a value that can be replaced by another
one. The engine opens a buffer as soon as a rule returns it; whatever else meets one takes its
current value.
"""

import operator
from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

import numpy as np

from chainrules_py.values.arrays import (
    ArrayLibrary,
    libraries,
    numpy_library,
    on_register,
    register_library,
)
from chainrules_py.values.identity import takes_plain_values_only
from chainrules_tape.arrays.protocols import array_ufunc
from chainrules_tape.core.duals import HANDLES as DUAL_HANDLES
from chainrules_tape.core.levels import call, innermost
from chainrules_tape.core.tape import HANDLES as TAPE_HANDLES
from chainrules_tape.in_place.storages import STORED, buffer_of
from chainrules_tape.refusals.handles import TracedArray
from chainrules_tape.xp.recipes import (
    NUMBERS,
    Recipe,
    TracedConstant,
    constant_level,
    library_beneath,
    made_by,
)


class TracedBuffer(TracedConstant):
    """A mutable place for a value, plain or traced; each write makes another value."""

    __slots__ = ()

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(recipe)

    def hold(self, value: Any) -> None:
        """Another value: what nothing but this buffer has."""
        self.recipe, self._made = None, value

    def made(self, library: ArrayLibrary) -> Any:
        """The value in a library; not kept, because it may be written to."""
        return self.value if library.name == "numpy" else self._made_by(library)

    def snapshot(self) -> TracedConstant:
        """A constant of the same recipe."""
        return TracedConstant(self.recipe) if self.recipe is not None else self

    def __getitem__(self, index: Any) -> Any:
        entries = self.value[index]
        return holding(entries.copy()) if type(entries) is np.ndarray else entries

    def __setitem__(self, index: Any, entries: Any) -> None:
        entries = opened(entries)
        self.hold(with_entries_set(self.beside(entries), index, entries))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        out = options.pop("out", (None,))[0]
        if isinstance(out, TracedBuffer):
            out[...] = array_ufunc(self, ufunc, method, *inputs, **options)
            return out
        if method == "at" and ufunc is np.add and inputs[0] is self:
            entries = opened(inputs[2])
            self.hold(with_entries_added(self.beside(entries), inputs[1], entries))
            return None
        return array_ufunc(
            self, ufunc, method, *inputs, **options if out is None else {**options, "out": (out,)}
        )


def holding(value: Any) -> TracedBuffer:
    """A buffer that holds a value."""
    buffer: TracedBuffer = object.__new__(TracedBuffer)
    buffer.level, buffer._elsewhere = constant_level, None
    buffer.hold(value)
    return buffer


def augmented_by(
    operation: Callable[[Any, Any], Any],
) -> Callable[[TracedBuffer, Any], TracedBuffer]:
    """Augmented assignment to a buffer."""

    def augment(self: TracedBuffer, other: Any) -> TracedBuffer:
        other = opened(other)
        self.hold(operation(self.beside(other), other))
        return self

    return augment


for _name in ("add", "sub", "mul", "truediv"):
    setattr(TracedBuffer, f"__i{_name}__", augmented_by(getattr(operator, _name)))


def opened(value: Any) -> Any:
    """The current value of a buffer; other values as they are."""
    return value.value if isinstance(value, TracedConstant) else value


def with_entries_set(value: Any, index: Any, entries: Any) -> Any:
    """The value after ``value[index] = entries``, as another value where either is traced."""
    if innermost((value, entries)) is None:
        value[index] = entries
        return value
    # a rule pack, loaded with the first rule that needs it
    from chainrules_py.rulesets.entries.replacing import replaced

    return replaced(value, index, entries)


def with_entries_added(value: Any, index: Any, entries: Any) -> Any:
    """The value after ``numpy.add.at(value, index, entries)``, as another value where either is
    traced.
    """
    if innermost((value, entries)) is None:
        np.add.at(value, index, entries)
        return value
    from chainrules_py.rulesets.entries.scatter import scatter_add

    region = np.empty(value.shape, bool)[index].shape
    return value + scatter_add(
        np.broadcast_to(entries, region), index=index, shape=value.shape, dtype=value.dtype
    )


class TracedNamespace:
    """NumPy, or a module of it, with functions that make arrays making constants and buffers."""

    def __init__(self, module: Any, home: str = "") -> None:
        self._module, self._home = module, home
        self._all_are_asked = True
        on_register(self.look_again)
        self.look_again()

    def look_again(self) -> None:
        """Find ufuncs anew where NumPy's functions do not ask the arrays of a library that has
        joined.
        """
        if self._all_are_asked and not all(library.asked_by_numpy for library in libraries()):
            self._all_are_asked = False
            for name in [name for name, found in vars(self).items() if type(found) is np.ufunc]:
                delattr(self, name)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        if type(found) is ModuleType:
            made: Any = TracedNamespace(found, name)
        elif name in MAKERS:
            made = MAKERS[name](found)
        elif type(found) is np.ufunc and found.signature is not None:
            made = beside_arrays(found)
        elif type(found) is np.ufunc and not self._all_are_asked:
            made = elementwise(found)
        else:
            made = completed(found, self._home) if type(found) is _FUNCTION else found
        setattr(self, name, made)
        return made


def beside_arrays(product: np.ufunc) -> Callable[..., Any]:
    """A product of NumPy's; constants become arrays before another library's array sees them:
    CuPy's product asks for none.
    """

    @wraps(product)
    def called(*args: Any, **options: Any) -> Any:
        if any(type(arg) is TracedConstant for arg in args):
            library = library_beneath(args)
            args = args if library is None else made_by(library, args)
        return product(*args, **options)

    return called


def elementwise(ufunc: np.ufunc) -> Callable[..., Any]:
    """A ufunc of NumPy's; that of the arrays' library where they are plain, and not ones that NumPy
    asks.
    """

    @wraps(ufunc)
    def called(x: Any, *args: Any, **options: Any) -> Any:
        if hasattr(type(x), "__array_ufunc__") or innermost((x, *args)) is not None:
            return ufunc(x, *args, **options)
        library = library_beneath((x, *args))
        return (ufunc if library is None else getattr(library.namespace, ufunc.__name__))(
            x, *args, **options
        )

    for name in ("at", "reduce", "reduceat", "accumulate", "outer"):
        setattr(called, name, getattr(ufunc, name))
    return called


_FUNCTION = type(np.sum)  # those that NumPy hands over to arrays of other libraries
_KEEPING = frozenset[Any]((np.asarray, np.asanyarray))  # which give an array back as it is
_CONVERTERS: frozenset[Any] = _KEEPING.union((np.array, np.ascontiguousarray, np.asfortranarray))


def completed(function: Callable[..., Any], home: str) -> Callable[..., Any]:
    """A function of NumPy's; where nothing is traced, that of the arrays' library, completed by
    what rules need.

    Of numbers alone it makes a constant. Not every library is asked by NumPy's functions: arrays of
    JAX's would become NumPy's.
    """

    @wraps(function)
    def called(*args: Any, **options: Any) -> Any:
        first = args[0] if args else None
        if (options or not isinstance(first, TracedArray)) and innermost(
            (*args, *options.values())
        ) is None:
            library = library_beneath((args, options))
            if library is not None and library.name != "numpy":
                module = getattr(library.namespace, home) if home else library.namespace
                return getattr(module, function.__name__)(*args, **options)
        y = function(*args, **options)
        return (
            constant_of(y)
            if type(y) is np.ndarray and library_beneath((args, options)) is None
            else y
        )

    return called


def constant_of(value: np.ndarray) -> TracedConstant:
    """A constant that was made of numbers: one number is a kernel's parameter on a device, several
    are copied there.
    """

    def recipe(library: ArrayLibrary) -> Any:
        if library.name == "numpy":
            return value
        xp = library.namespace
        return (
            xp.full(value.shape, value.item(), value.dtype)
            if value.size == 1
            else xp.asarray(value)
        )

    return TracedConstant(recipe)


def making(kind: type[TracedConstant]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Instead of a function that makes an array of what is not one: the function that makes a
    constant of this kind.
    """

    def made_by_each(make: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(make)
        def maker(*args: Any, **options: Any) -> Any:
            if innermost((*args, *options.values())) is not None or options.get("retstep"):
                return make(*args, **options)  # with the step beside it, it is no array
            return kind(lambda library: getattr(library.namespace, make.__name__)(*args, **options))

        return maker

    return made_by_each


def making_alike(make: Callable[..., Any]) -> Callable[..., Any]:
    """Instead of a function such as `zeros_like`: one whose NumPy arrays come in a buffer that
    traced code can write to.
    """

    @wraps(make)
    def maker(*args: Any, **options: Any) -> Any:
        # NumPy does not hand over what no handle is: a plain array of JAX's, say.
        library = library_beneath(args) if innermost(args) is None else None
        value = (make if library is None else getattr(library.namespace, make.__name__))(
            *args, **options
        )
        return holding(value) if type(value) is np.ndarray else value

    return maker


MAKERS: dict[str, Callable[[Callable[..., Any]], Callable[..., Any]]] = {
    **dict.fromkeys(("zeros", "ones", "empty", "full"), making(TracedBuffer)),
    **dict.fromkeys(("zeros_like", "ones_like", "empty_like", "full_like"), making_alike),
    **dict.fromkeys(("arange", "eye", "identity", "tri", "linspace"), making(TracedConstant)),
}


def converting(convert: Callable[..., Any]) -> Callable[..., Any]:
    """`asarray` and the like, which NumPy does not hand over: of a traced value an operation,
    unless it is as asked for.
    """

    def converter(value: Any, dtype: Any = None, **layout: Any) -> Any:
        if type(value) in NUMBERS and not layout:
            return TracedConstant(lambda library: library.namespace.asarray(value, dtype=dtype))
        if innermost((value,)) is None:
            library = library_beneath(value)
            own = (
                convert
                if library is None
                else getattr(library.namespace, convert.__name__, convert)
            )
            return own(value, dtype, **layout)
        if not isinstance(value, TracedArray):
            return np.stack([converter(part) for part in value])
        options = {
            name: option for name, option in layout.items() if option is not None or name == "copy"
        }
        # in which somebody may write
        has_memory = library_beneath((value,)) in (None, numpy_library())
        is_kept = (
            value.is_buffer or not has_memory or (convert in _KEEPING and not any(options.values()))
        )
        if not is_kept:
            given = options if dtype is None else {"dtype": dtype, **options}
            return value.__array_function__(convert, (), (value,), given)  # type: ignore[attr-defined]
        return (
            value if dtype is None or value.dtype == dtype else call(np.astype, (value, dtype), {})
        )  # type: ignore[attr-defined]

    converter.__name__ = convert.__name__
    return converter


namespace = TracedNamespace(np)
for _convert in _CONVERTERS:
    setattr(namespace, _convert.__name__, converting(_convert))


def stored_zeros(like: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Zeros that take traced values, each at the cost of what is written; None beside arrays that
    are not NumPy's.
    """
    return (
        buffer_of(np.zeros(shape, dtype))
        if library_beneath(like) in (None, numpy_library())
        else None
    )


def operation_of(primal: Any) -> Callable[..., Any] | None:
    """A function that takes plain values only, as an operation; None for all others."""
    return (
        (lambda *args, **options: call(primal, args, options))
        if takes_plain_values_only(primal)
        else None
    )


register_library(
    ArrayLibrary(
        name="tape",
        namespace=namespace,
        array_types=(*TAPE_HANDLES, *DUAL_HANDLES, *STORED, TracedConstant, TracedBuffer),
        mutable=False,
        priority=100,
        implementations=operation_of,
        buffer_types=tuple(STORED),
        make_buffer=stored_zeros,
    )
)
