"""Constants that rules make out of nothing while they run on traced values: `arange`, `eye`, a
window of weights.

Which library is under the traced values is not known when a rule asks for a constant, only when the
two meet: in ``y_bar * xp.arange(n)`` they may be NumPy's arrays or a device's, and an array of
NumPy's next to one on a device is an error. So a constant is a recipe, ``library -> array``;
functions of constants alone are recipes too, and whatever meets one makes the array in the library
that it needs, on a device without a copy from the host. Where something else is asked of a constant
(its shape, a number), it is NumPy's array, made once; in the tuple of an index CuPy asks for an
array of its own.
"""

import operator
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from chainrules_py.table.registry import default_rules
from chainrules_py.values.arrays import ArrayLibrary, libraries, library_of, numpy_library
from chainrules_py.values.structure import fields, is_container, rebuild
from chainrules_tape.arrays.behaviour import SequenceBehaviour
from chainrules_tape.arrays.operators import (
    define_operators,
    reflected,
    slow_binary,
    slow_getitem,
    slow_unary,
)
from chainrules_tape.arrays.protocols import array_function, array_ufunc
from chainrules_tape.core.levels import Level, innermost
from chainrules_tape.refusals.advice import CONVERSIONS
from chainrules_tape.refusals.handles import TracedArray, plain

Recipe = Callable[[ArrayLibrary], Any]
NUMBERS = frozenset({bool, int, float, complex, *np.sctypeDict.values()})


class TracedConstant(SequenceBehaviour):
    """An array that each library makes for itself, once, and nobody writes to."""

    __slots__ = ("_elsewhere", "_made", "recipe")
    is_buffer = True  # whoever is handed one opens it
    __array_ufunc__ = array_ufunc
    __array_function__ = array_function
    recipe: Recipe | None

    # In the class body, as in the base. Being asked for its class is no reason to make the array:
    # it is never a number.
    __class__: Any = property(lambda self: type(self))

    def __init__(self, recipe: Recipe) -> None:
        self.level, self.recipe = constant_level, recipe
        self._made: Any = None
        self._elsewhere: tuple[ArrayLibrary, Any] | None = None

    def _host(self) -> Any:
        if self._made is None and self.recipe is not None:
            self._made = self.recipe(numpy_library())
        return self._made

    value: Any = property(_host, doc="NumPy's array.")

    def made(self, library: ArrayLibrary) -> Any:
        """The library's array."""
        if library.name == "numpy":
            return self.value
        if self._elsewhere is None or self._elsewhere[0] is not library:
            self._elsewhere = library, self._made_by(library)
        return self._elsewhere[1]

    def _made_by(self, library: ArrayLibrary) -> Any:
        if self.recipe is not None:
            return self.recipe(library)
        return (
            library.namespace.asarray(self._made) if type(self._made) is np.ndarray else self._made
        )

    def beside(self, other: Any) -> Any:
        """The array of the library of what it meets."""
        return self.made(library_beneath((self, other)) or numpy_library())

    @property
    def __cupy_get_ndarray__(self) -> Callable[[], Any]:
        """CuPy's protocol: where CuPy itself meets a constant, as in the tuple of an index, it asks
        for its own array so.
        """
        library = next((library for library in libraries() if library.name == "cupy"), None)
        if library is None or self.recipe is None:
            raise AttributeError("__cupy_get_ndarray__")
        return partial(self.made, library)

    def settled(self, level: Any = None) -> Any:
        """The constant itself: who meets it opens it."""
        return self

    def snapshot(self) -> "TracedConstant":
        """What nobody writes to later."""
        return self


def conversion(name: str) -> Callable[..., Any]:
    """What NumPy's array answers: a constant has no derivative to lose."""
    return lambda self, *args, **options: getattr(self.value, name)(*args, **options)


for _name in CONVERSIONS:
    setattr(TracedConstant, _name, conversion(_name))
define_operators(TracedConstant, slow_unary, slow_binary, slow_getitem)
LOGIC: dict[str, Callable[..., Any]] = {  # of masks: traced values have no need of it
    "__and__": slow_binary(np.bitwise_and),
    "__rand__": reflected(slow_binary(np.bitwise_and)),
    "__or__": slow_binary(np.bitwise_or),
    "__ror__": reflected(slow_binary(np.bitwise_or)),
    "__invert__": slow_unary(np.invert),
}
for _name, _operation in LOGIC.items():
    setattr(TracedConstant, _name, _operation)


class ConstantLevel(Level):
    """The innermost level of all: operations on constants and buffers are operations on what they
    hold.
    """

    __slots__ = ()

    def __init__(self) -> None:
        self.serial, self.closed = float("inf"), False

    def call(self, primal: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """The operation in the library of what is not constant; of constants alone, another recipe."""
        # the most of them: 5 us less than the general way
        if not options and makes_one_array(primal):
            for arg in args:
                if type(arg) is not TracedConstant and type(arg) not in NUMBERS:
                    break
            else:
                return applied(primal, args, options)
        library = library_beneath((*args, *options.values()))
        if library is None:
            return combined(primal, args, options)
        given, named = made_by(library, args), made_by(library, options)
        # not all functions hand traced values over by themselves
        level = innermost((*given, *named.values()))
        if level is not None:
            return level.call(primal, given, named)
        return (
            primal(*given, **named)
            if library.name == "numpy"
            else computed(library, primal, given, named)
        )


def computed(
    library: ArrayLibrary, primal: Any, args: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    """The function by this library, whose arrays NumPy may not know what to do with."""
    function, args, options = default_rules.canonical(primal, args, options)
    return library.implementation(function)(*args, **options)


constant_level = ConstantLevel()


# Functions that make one array of constants, so that nobody has to look at it now
ARRAYS = frozenset(
    (
        *(
            np.where,
            np.reshape,
            np.expand_dims,
            np.broadcast_to,
            np.astype,
            np.concatenate,
            np.stack,
            np.pad,
            np.transpose,
        ),
        *(
            np.moveaxis,
            np.swapaxes,
            np.squeeze,
            np.polyder,
            np.polyint,
            np.tril,
            np.triu,
            np.clip,
            np.flip,
            np.roll,
            np.diag,
        ),
        *(operator.getitem, np.ndarray.reshape, np.ndarray.astype),
    )
)


def combined(primal: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """A function of constants: a recipe where it makes one array and nobody can write to them; else
    NumPy's answer now.
    """
    if not makes_one_array(primal) or any(
        part.recipe is None for part in constants_in((args, options))
    ):
        host = numpy_library()
        return primal(*made_by(host, args), **made_by(host, options))
    return applied(primal, *replaced_in((args, options), lambda constant: constant.snapshot()))


def makes_one_array(primal: Any) -> bool:
    """Whether a function of arrays is one array."""
    return primal.nout == 1 if isinstance(primal, np.ufunc) else primal in ARRAYS


def applied(primal: Any, args: tuple[Any, ...], options: dict[str, Any]) -> TracedConstant:
    """The recipe that applies a function to constants."""

    def recipe(library: ArrayLibrary) -> Any:
        given, named = made_by(library, args), made_by(library, options) if options else options
        if library.name == "numpy":
            return primal(*given, **named)
        return computed(library, primal, given, named)

    return TracedConstant(recipe)


def constants_in(value: Any) -> Iterable[TracedConstant]:
    """The constants in a value and its containers."""
    if isinstance(value, TracedConstant):
        yield value
    elif is_container(value):
        for part in fields(value).values():
            yield from constants_in(part)


def replaced_in(value: Any, change: Callable[[TracedConstant], Any]) -> Any:
    """A value with the constants in it and its containers changed."""
    cls = type(value)
    if cls is tuple or cls is list:
        return cls([replaced_in(part, change) for part in value])
    if issubclass(cls, TracedConstant):
        return change(value)
    if not is_container(value):
        return value
    return rebuild(value, {key: replaced_in(part, change) for key, part in fields(value).items()})


def made_by(library: ArrayLibrary, value: Any) -> Any:
    """A value in which each constant is an array of a library."""
    return replaced_in(value, lambda constant: constant.made(library))


def library_beneath(value: Any) -> ArrayLibrary | None:
    """The library of the arrays in a value, under their levels; None where there are no arrays but
    constants.
    """
    found = [library for library in libraries_beneath(value) if library is not None]
    return max(found, key=operator.attrgetter("priority"), default=None)


def libraries_beneath(value: Any) -> Iterable[ArrayLibrary | None]:
    """The library of each array in a value."""
    cls = type(value)
    if cls in NUMBERS:  # they go with every library
        return
    if issubclass(cls, TracedConstant):
        if value.recipe is None and isinstance(value.value, TracedArray):
            yield library_of(type(plain(value.value)))
    elif issubclass(cls, TracedArray):
        yield library_of(type(plain(value)))
    elif is_container(value):
        for part in fields(value).values():
            yield from libraries_beneath(part)
    elif hasattr(value, "shape"):
        yield library_of(cls)
