"""The classes that rules dispatch on, and the array libraries that stand behind them.

Rules are written on `Array` and the `Scalar` classes. A library joins by virtual subclassing, in
one call of `register_library`: its array classes become `Array`s, and `xp` of a rule becomes its
namespace. Two facts about a class are looked up again and again, so both are plain functions with a
cache: which library it belongs to (`library_of`), and which library a whole call runs on
(`library_of_types`: the one with the highest priority, so that a traced value next to a NumPy array
is computed by the tracing namespace).
"""

import threading
import weakref
from abc import ABC
from collections.abc import Callable, Iterable
from functools import lru_cache
from numbers import Number
from typing import TYPE_CHECKING, Any, ClassVar

from numpy import float64, ndarray

from chainrules_py.annotations import Function
from chainrules_py.errors import RegistrationError
from chainrules_py.values import discovery
from chainrules_py.values.identity import made_of, qualified_name
from chainrules_py.values.records import Record
from chainrules_py.values.structure import MOST_CLASSES, declare_leaf


class Array(ABC):
    """An n-dimensional array of any registered library; a virtual base class, never instantiated."""

    __faithful__: ClassVar[bool] = True  # plum: dispatching on the class alone is enough

    if TYPE_CHECKING:  # what a rule may do with an argument annotated so

        def __getattr__(self, name: str) -> Any: ...
        def __getitem__(self, index: Any) -> Any: ...
        def __add__(self, other: Any) -> Any: ...
        def __radd__(self, other: Any) -> Any: ...
        def __sub__(self, other: Any) -> Any: ...
        def __rsub__(self, other: Any) -> Any: ...
        def __mul__(self, other: Any) -> Any: ...
        def __rmul__(self, other: Any) -> Any: ...
        def __truediv__(self, other: Any) -> Any: ...
        def __rtruediv__(self, other: Any) -> Any: ...
        def __matmul__(self, other: Any) -> Any: ...
        def __rmatmul__(self, other: Any) -> Any: ...
        def __pow__(self, other: Any) -> Any: ...
        def __neg__(self) -> Any: ...


class Scalar(ABC):
    """A number: Python's, or a library's scalar type."""

    __faithful__: ClassVar[bool] = True

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...
        def __getitem__(self, index: Any) -> Any: ...


class RealScalar(Scalar):
    """A real number that has a tangent."""


class ComplexScalar(Scalar):
    """A complex number."""


class Integer(Scalar):
    """An integer or a boolean: a number without a tangent."""


RealScalar.register(float)
ComplexScalar.register(complex)
Integer.register(int)
Scalar.register(Number)


class ArrayLibrary(Record):
    """An array library: its namespace, its classes, and what rules may ask of it.

    `namespace` is what rules receive as `xp`; `in_bodies` is what bodies do, which write into no
    array, where that is another. `mutable` says that arrays may be written in place
    (accumulation into owned buffers), `asked_by_numpy` that NumPy's functions hand their calls over
    to them. `calls` is how a function that is marked as `primitive` is called on arrays of an
    engine, where their class cannot say so itself: ``calls(primal, args, options)``.
    `implementations` maps a canonical primal to this library's function where the same dotted name
    in `namespace` is not it. `outer_types` are classes that users hold where rules get arrays, as
    PyTorch's tensors: `taken_in` makes an array of such a value, and `given_out` the value again.
    `priority` decides who computes a call on mixed types. `fuse` may make one function, such as one
    kernel, of the products that a scalar rule multiplies out (`makers/fusing.py` says what is
    asked). `make_buffer(shape, dtype)` makes zeros of one of the `buffer_types`, which take
    sums in place though arrays are not `mutable`.
    `differentiated(run, rule, mode, primal, needs, table)` returns what differentiates a call in
    the place of `run`, which is the rule's function, for primals that the library cannot compute.
    `beside(other)` is the library that computes where arrays of this one meet those of one with
    lower priority, if it is not this one.
    `number_types` are those of the `array_types` whose values are numbers. `stands_for(x)` is the
    NumPy array or number that an array holds which stands for it: rules choose the algorithm that
    they have for NumPy's arrays, and nothing is saved by kernels.
    """

    name: str
    namespace: Any
    array_types: tuple[type, ...]
    scalar_types: tuple[type, ...] = ()
    mutable: bool = True
    priority: int = 0
    implementations: Callable[[Any], Any] | None = None
    fuse: Callable[..., Function | None] | None = None
    calls: Callable[[Any, tuple[Any, ...], dict[str, Any]], Any] | None = None
    asked_by_numpy: bool = True
    outer_types: tuple[type, ...] = ()
    taken_in: Callable[[Any], Any] | None = None
    given_out: Callable[[Any], Any] | None = None
    buffer_types: tuple[type, ...] = ()
    make_buffer: Callable[[tuple[int, ...], Any], Any] | None = None
    differentiated: Callable[..., Function] | None = None
    beside: Callable[["ArrayLibrary"], "ArrayLibrary"] | None = None
    number_types: tuple[type, ...] = ()
    stands_for: Callable[[Any], Any] | None = None
    in_bodies: Any = None

    @property
    def namespace_of_bodies(self) -> Any:
        """What bodies receive as `xp`."""
        return self.namespace if self.in_bodies is None else self.in_bodies

    def implementation(self, primal: Any) -> Any:
        """Return this library's own function for a primal, or the primal where it has none."""
        try:
            return _implementation(self, primal)
        except TypeError:  # a primal that cannot be hashed
            return self._implementation(primal)

    def calling(self, primal: Any) -> "ArrayLibrary":
        """Return this library with a `primitive` in place of the function that it was made of.

        Engines then see its calls.
        """
        function = made_of(primal)
        return self if function is None else self.implementing(function, primal)

    def implementing(self, primal: Any, function: Any) -> "ArrayLibrary":
        """Return this library with another function in place of a primal."""
        return self.replaced(
            implementations=lambda other: (
                function if other is primal else self.implementation(other)
            ),
        )

    def _implementation(self, primal: Any) -> Any:
        found = self.implementations(primal) if self.implementations is not None else None
        if found is not None:
            return found
        root, _, path = qualified_name(primal).partition(".")
        if root != "numpy" or not path:
            return primal
        target = self.namespace
        for name in path.split("."):
            target = getattr(target, name, None)
            if target is None:
                return primal
        return target


# Rules that see their arrays late ask at each call; what is remembered here is a library's answer
# to a name.
_implementation = lru_cache(maxsize=4096)(ArrayLibrary._implementation)
forget_implementations = _implementation.cache_clear

_libraries: dict[str, ArrayLibrary] = {}
# replaced whole when a library joins: who looks a class up meanwhile writes into the old one
_library_of_type: dict[type, ArrayLibrary | None] = {}
_listeners: list[weakref.WeakMethod[Callable[[], None]]] = []


def register_library(library: ArrayLibrary) -> ArrayLibrary:
    """Let a library's arrays into every rule written on `Array`; safe to call again (it replaces).

    A library of the same name with other classes is another library, and refused.
    """
    _require_classes(library)
    _require_own_name(library)
    for array_type in library.array_types:
        Array.register(array_type)
        declare_leaf(array_type)
    _libraries[library.name] = library
    _forget_classes()
    for reference in list(_listeners):
        listener = reference()
        if listener is not None:
            listener()
    return library


def _forget_classes() -> None:
    global _library_of_type
    _library_of_type = {}


def _require_classes(library: ArrayLibrary) -> None:
    classes = getattr(library, "array_types", None)
    if isinstance(classes, tuple | list) and all(isinstance(cls, type) for cls in classes):
        return
    got = f"got {library!r}" if classes is None else f"its array_types are {classes!r}"
    instead = (
        "pass ArrayLibrary(name=..., namespace=..., array_types=(TheClass,)), a tuple of classes"
    )
    raise RegistrationError("register_library", got, instead, primal=None, rule=None)


def _require_own_name(library: ArrayLibrary) -> None:
    other = _libraries.get(library.name)
    if other is None or _class_names(other) & _class_names(library):
        return
    got = (
        f"the name {library.name!r} is that of the library of"
        f" {', '.join(sorted(_class_names(other)))}"
    )
    raise RegistrationError(
        "register_library", got, "choose another name, your package's say", primal=None, rule=None
    )


def _class_names(library: ArrayLibrary) -> set[str]:
    # By name, not by identity: a module that is loaded again, by another name even, brings new
    # classes.
    return {cls.__qualname__ for cls in library.array_types}


def on_register(listener: Callable[[], None]) -> None:
    """Call a bound method whenever a library joins, for as long as its object lives."""
    _listeners.append(weakref.WeakMethod(listener, _listeners.remove))


def libraries() -> Iterable[ArrayLibrary]:
    """The libraries that have joined so far."""
    return tuple(_libraries.copy().values())


def library_of(cls: type) -> ArrayLibrary | None:
    """Find the library a class belongs to, loading its backend the first time, or None."""
    try:
        return _library_of_type[cls]
    except KeyError:
        pass
    discovery.load_backend(cls)
    if len(_library_of_type) >= MOST_CLASSES:
        _forget_classes()
    known = _library_of_type
    found = next((lib for base in cls.__mro__ for lib in libraries() if _owns(lib, base)), None)
    known[cls] = found
    return found


def common_namespace(values: Iterable[Any]) -> Any:
    """The namespace in which values of several libraries are computed with."""
    return library_of_types(map(type, values)).namespace


def call(function, /, *args, **options) -> Any:
    """Call a function in the library of its arguments, as an operation if they are traced."""
    given = (*args, *options.values())
    return library_of_types(map(type, given)).implementation(function)(*args, **options)


def _owns(library: ArrayLibrary, cls: type) -> bool:
    return cls in library.array_types or cls in library.scalar_types or cls in library.outer_types


def is_outer(cls: type) -> bool:
    """Whether a library computes with values of a class by taking them into its own arrays."""
    library = library_of(cls)
    return (
        library is not None and bool(library.outer_types) and issubclass(cls, library.outer_types)
    )


def taken_in(x) -> Any:
    """The array that a library makes of one of its outer values; other values as they are."""
    library = library_of(type(x))
    if library is None or library.taken_in is None or not issubclass(type(x), library.outer_types):
        return x
    return library.taken_in(x)


def given_out(x) -> Any:
    """The outer value of an array that stands for one; other values as they are."""
    library = library_of(type(x))
    if library is None or library.given_out is None or not issubclass(type(x), library.array_types):
        return x
    return library.given_out(x)


def is_numpys(x) -> bool:
    """Whether an array is NumPy's own or stands for one: what to compute is chosen as for those."""
    cls = type(x)
    if cls is ndarray:
        return True
    if cls is float64:  # nearly always, where it is no array
        return False
    library = library_of(cls)
    if library is None or library.stands_for is None:
        return False
    return cls in library.array_types and cls not in library.number_types


def stood_for(x) -> Any:
    """The NumPy array or number that a value of a library stands for; None where it is no such."""
    library = library_of(type(x))
    if library is None or library.stands_for is None or type(x) not in library.array_types:
        return None
    return library.stands_for(x)


def as_known(x) -> Any:
    """The NumPy array or number that a value stands for; other values themselves."""
    found = stood_for(x)
    return x if found is None else found


def call_on_numbers(function: Function, *args, **options) -> Any:
    """Call a function that takes Python's or NumPy's numbers; by their library, where values only
    stand for some.
    """
    for x in (*args, *options.values()):
        if stood_for(x) is not None:
            library = library_of_types([type(x)])
            return library.implementation(function)(*args, **options)
    return function(*args, **options)


def held_array(x) -> Any:
    """The NumPy array whose memory an array lies in: itself, or the one that it stands for."""
    return x if type(x) is ndarray else stood_for(x)


class Making(threading.local):
    """The thread's replacement of `numpy.zeros` and its like; None where NumPy makes the arrays."""

    call: Callable[[Any, tuple[Any, ...], dict[str, Any]], Any] | None = None
    # ``calling(primal, function)`` is what to call, in the place of a function, for a primal whose
    # functions may capture values of a recording
    calling: Callable[[Any, Any], Any] | None = None

    def made(self, make: Function, *args, **options) -> Any:
        """Call a function that makes a new array, such as `numpy.zeros`, by the replacement."""
        return make(*args, **options) if self.call is None else self.call(make, args, options)

    def implementation(self, primal, types: Iterable[type]) -> Any:
        """The function for a primal of the library of some types, or what is in its place."""
        function = library_of_types(types).implementation(primal)
        return function if self.calling is None else self.calling(primal, function)


making = Making()


def is_number_class(cls: type) -> bool:
    """Whether values of a class of some library's are numbers, and not arrays."""
    library = library_of(cls)
    return library is not None and cls in (*library.scalar_types, *library.number_types)


def shape_of(x) -> tuple[int, ...]:
    """The shape of an array; () of a number."""
    return getattr(x, "shape", ())


def library_of_types(types: Iterable[type]) -> ArrayLibrary:
    """Find the library that computes a call on these types; NumPy for Python's values alone."""
    found = None
    for cls in types:
        library = library_of(cls)
        if library is not None and library is not found:
            found = library if found is None else foremost(found, library)
    return numpy_library() if found is None else found


def foremost(one: ArrayLibrary, other: ArrayLibrary) -> ArrayLibrary:
    """The library that computes a call on arrays of two; the first where neither has priority."""
    first, second = (other, one) if other.priority > one.priority else (one, other)
    return first if first.beside is None else first.beside(second)


def outranking(types: Iterable[type], tangents: Iterable[type]) -> tuple[type, ...]:
    """List the classes of tangents whose library is to compute a forward rule, not the values'."""
    own = library_of_types(types).priority
    known = [(cls, library_of(cls)) for cls in tangents]
    return tuple([cls for cls, library in known if library is not None and library.priority > own])


def numpy_library() -> ArrayLibrary:
    """NumPy, the reference library."""
    if "numpy" not in _libraries:
        discovery.load_backend_named("numpy")
    return _libraries["numpy"]
