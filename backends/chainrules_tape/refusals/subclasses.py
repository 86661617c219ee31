"""Subclasses of NumPy's arrays: those for which operations mean what they mean for arrays.

The rules are written for NumPy's arrays. A subclass may change what an operation does: ``*`` of a
`numpy.matrix` multiplies matrices, a sum over a `numpy.ma.MaskedArray` leaves entries out. A rule
would compute another value, or differentiate another function, and nobody would notice. A subclass
that changes nothing that operations use, one that carries a name, is an array; one that only says
which class results have becomes an array beside a traced value.
"""

import operator
from collections.abc import Callable, Iterable
from functools import cache, partial
from types import NoneType
from typing import Any, NoReturn

import numpy as np

from chainrules_py.values.arrays import is_outer, libraries, library_of, taken_in
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.structure import fields, kind, rebuild
from chainrules_tape.refusals.advice import CONVERSIONS
from chainrules_tape.refusals.errors import (
    InputError,
    OutputError,
    raise_escaped_value,
    raise_lost_gradient,
)
from chainrules_tape.refusals.handles import TracedArray, moved

_IN_PLACE = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"),
    *("and", "or", "xor", "lshift", "rshift"),
)
_OPERATORS = (*_IN_PLACE, "divmod")
_OTHERS = (
    *("neg", "pos", "abs", "invert", "lt", "le", "gt", "ge", "eq", "ne"),
    *("bool", "int", "float", "complex", "index", "getattribute"),
    *("len", "iter", "contains", "getitem", "setitem"),
    *("array_ufunc", "array_function", "array_wrap"),
)
_WRITES = frozenset(["__setitem__", *(f"__i{name}__" for name in _IN_PLACE)])
# methods that operations use
_MEANINGS = frozenset(
    [
        *(f"__{name}__" for name in (*_OPERATORS, *_OTHERS)),
        *(f"__r{name}__" for name in _OPERATORS),
        *(name for name in dir(np.ndarray) if not name.startswith("_")),
        *_WRITES,
    ]
)
COMMON = frozenset({np.ndarray, np.float64, float, int, str, NoneType})
WRITTEN_OUT = "with what the class does written out (numpy.where for a mask, @ for a product)"
BY_METHODS = "; an author gives the class __chainrules_parts__ and __chainrules_with_parts__"
OF_ENGINES = 50  # traced values, which stand for those of any library, have at least this priority
# What a class may define anew that only carries something more: which class results have, how its
# own objects are copied, and what else happens when entries are read or written.
_CARRYING = frozenset({"__array_wrap__", "__getitem__", "copy", *_WRITES})
# What handles have of their own, and would show in place of what a class has under the name.
_HIDDEN = frozenset({"value", "level", "unit", "slot", "tangent", "node", "storage", "resolved"})
_ARRAYS = frozenset({np.memmap, np.recarray})  # every operation makes plain arrays of them


def refuse_escaped(function, results: list[Any]) -> None:
    """Raise where a function returns what an earlier derivative has left, which would be a constant."""
    for y in results:
        level = y.level if issubclass(type(y), TracedArray) else None
        if level is not None and level.closed:
            raise_escaped_value(function, y)


def refuse_other_arrays(where, values: Iterable[Any]) -> None:
    """Raise where an argument of a function is an array for which operations mean something else
    than for NumPy's.
    """
    for value in values:
        cls = type(value)
        if cls not in COMMON and not issubclass(cls, TracedArray):
            refuse_other_classes(where, (cls,))
            refuse_unwrapped(where, cls)
            refuse_hidden(where, cls, value)


def refuse_others_in_lists(where, values: Iterable[Any]) -> None:
    """Raise where one of several arrays in a list is one of these."""
    for value in values:
        if type(value) in (list, tuple):
            refuse_other_arrays(where, value)


def refuse_hidden(where, cls: type, value: Any = None) -> None:
    """Raise for a subclass of NumPy's arrays with an attribute that handles hide: a program would
    read another value, silently.
    """
    if cls is np.ndarray or not issubclass(cls, np.ndarray) or kind(cls) == "declared":
        return
    bases = cls.__mro__[: cls.__mro__.index(np.ndarray)]
    own = getattr(value, "__dict__", {})
    names = _HIDDEN & set().union(own, *map(vars, bases))
    if names:
        got = f"a {qualified_name(cls)} with the attribute {min(names)}, as traced values have one"
        instead = f"give it another name, or pass numpy.asarray(x){BY_METHODS}"
        raise_refused_class(where, got, instead, 0, cls)


def refuse_unwrapped(where, cls: type) -> None:
    """Raise for an array whose library has another class that means what NumPy's arrays do."""
    library = library_of(cls)
    if library is None or cls in library.array_types or not hasattr(cls, "__array__"):
        return
    if not issubclass(cls, (np.generic, *library.array_types)):
        got = (
            f"a {qualified_name(cls)}, for which NumPy's names may mean something else than the"
            " rules know"
        )
        instead = (
            f"pass {qualified_name(library.array_types[0])}(x), which holds it and has NumPy's"
            " meaning"
        )
        raise_refused_class(where, got, instead, 0, cls)


def refuse_other_classes(where, types: tuple[type, ...]) -> None:
    """Raise for a class that changes what operations mean, and that no library has registered.

    An operation on arrays of two immutable libraries is refused as well, because neither takes the
    arrays of the other; NumPy's arrays go with those of each.
    """
    known = [library for cls in types if (library := library_of(cls)) is not None]
    owners = {
        library.name for library in known if not library.mutable and library.priority < OF_ENGINES
    }
    if len(owners) > 1:
        got = f"arrays of {' and of '.join(sorted(owners))} in one operation"
        instead = "move them to one library first; NumPy's arrays and numbers go with those of each"
        raise_refused_class(where, got, instead, 0, types)
    for argument, cls in enumerate(types):
        if is_labelled(cls):
            got = f"a {qualified_name(cls)}, an array with labels, which the rules do not know"
            instead = "compute with its values, x.values, and put the labels on afterwards"
            raise_refused_class(where, got, instead, argument, cls)
        if cls is not np.ndarray and issubclass(cls, np.ndarray) and changes_meanings(cls):
            names = ", ".join(sorted(defined_anew(cls))[:3])
            got = (
                f"an array of the class {qualified_name(cls)}, for which operations mean something"
                f" else than the rules know ({names})"
            )
            instead = f"pass numpy.asarray(x), {WRITTEN_OUT}{BY_METHODS}"
            raise_refused_class(where, got, instead, argument, cls)


def raise_refused_class(where, got: str, instead: str, argument: int, value) -> NoReturn:
    """Raise: a function is not differentiated by an argument of this class."""
    raise InputError(
        qualified_name(where), got, instead, function=where, argument=argument, value=value
    )


def refuse_labelled_results(where, results: Iterable[Any]) -> None:
    """Raise where a result is an array with labels that holds traced values.

    It would be a constant, and keep them.
    """
    for value in results:
        cls: type = type(value)
        if cls not in COMMON and is_labelled(cls) and labels_traced(value):
            got = f"a {qualified_name(cls)} of traced values in the result, an array with labels"
            instead = "return the array that it was made of, and put the labels on afterwards"
            raise OutputError(qualified_name(where), got, instead, function=where, value=value)


def labels_traced(labelled) -> bool:
    """Whether an array with labels holds a traced array, or traced numbers as objects."""
    inside = getattr(labelled, "data", None)
    if not isinstance(inside, TracedArray):
        inside = labelled.values
    objects = inside.flat if type(inside) is np.ndarray and inside.dtype == object else (inside,)
    return any(isinstance(each, TracedArray) for each in objects)


def refuse_view(x: TracedArray, *args, **options) -> Any:
    """Raise for ``x.view(...)``, and name the class or dtype as which it shows memory."""
    operation, instead = CONVERSIONS["view"]
    for cls in (*args, *options.values()):
        if isinstance(cls, type) and issubclass(cls, np.ndarray):
            operation = f"x.view({qualified_name(cls)})"
            instead = f"keep to numpy.ndarray, {WRITTEN_OUT}"
    return raise_lost_gradient(operation, x, instead)


def is_array_as_it_is(*args, **options) -> bool:
    """Whether ``x.view(...)`` asks for the array, as it is, or as a class that means the same."""
    classes = (*args, *options.values())
    return all(
        isinstance(cls, type) and issubclass(cls, np.ndarray) and not changes_meanings(cls)
        for cls in classes
    )


def shown_as(x, *args, **options) -> Any:
    """The object to return for ``x.view(cls)``, of a class that says how its objects are made of
    traced arrays, by two methods or by `container`; None for other classes.
    """
    classes = (*args, *options.values())
    is_class = len(classes) == 1 and isinstance(classes[0], type)
    if not is_class or not issubclass(classes[0], np.ndarray) or kind(classes[0]) != "declared":
        return None
    # its parts are those of any values of this shape and dtype
    example = np.zeros(x.shape, x.dtype).view(classes[0])
    parts = fields(example)
    if len(parts) != 1:
        return None
    ((name, part),) = parts.items()
    is_whole = isinstance(part, np.ndarray) and part.shape == x.shape
    return rebuild(example, {name: x[...]}) if is_whole else None


@cache
def is_labelled(cls: type) -> bool:
    """Whether a class is one of arrays with labels, by its attributes, as in pandas and xarray."""
    return (
        isinstance(getattr(cls, "values", None), property)
        and hasattr(cls, "__array__")
        and library_of(cls) is None
    )


def changes_meanings(cls: type) -> bool:
    """Whether a subclass of NumPy's arrays defines anew what operations use, and differently.

    >>> changes_meanings(np.matrix), changes_meanings(np.ma.MaskedArray)
    (True, True)
    >>> changes_meanings(type("Named", (np.ndarray,), {}))
    False
    """
    names = defined_anew(cls)
    return bool(names) and not (names <= _CARRYING and keeps_numbers(cls))


def defined_anew(cls: type) -> set[str]:
    """The names that operations use, and that a subclass of NumPy's arrays defines itself."""
    registered = _ARRAYS.union(*(library.array_types for library in libraries()))
    found: set[str] = set()
    for base in cls.__mro__:
        if base in registered:  # by whoever knows its meanings; NumPy's own class at the latest
            break
        found |= _MEANINGS.intersection(vars(base))
    return found


def only_carries(cls: type) -> bool:
    """Whether a subclass of NumPy's arrays has no arithmetic of its own, though it says which class
    results have: beside a traced value, it is the array that it is made of.

    >>> only_carries(np.matrix), only_carries(np.ma.MaskedArray), only_carries(np.ndarray)
    (False, False, False)
    """
    if cls is np.ndarray or not issubclass(cls, np.ndarray):
        return False
    return bool(defined_anew(cls)) and not changes_meanings(cls)


@cache
def keeps_numbers(cls: type) -> bool:
    """Whether operations with an array of a class, reads and writes have the numbers of NumPy's, as
    far as an array of no more than numbers can do them.
    """
    numbers = np.array([0.5, 2.0])
    for act in (*_OPERATIONS, *_READS_AND_WRITES):
        found, expected = result(act, numbers.copy().view(cls)), result(act, numbers.copy())
        if found is None and act in _OPERATIONS:  # it wants more than numbers
            return False
        if found is not None and not all(map(np.array_equal, found, expected)):
            return False
    return True


def result(act: Callable[[Any], Any], x) -> Any:
    """What is done with an array, and the array afterwards, as plain arrays; None where it raises."""
    try:
        return np.array(act(x)), np.array(x)
    except Exception:  # of whatever kind
        return None


_OPERATIONS: tuple[Callable[[Any], Any], ...] = (
    partial(np.add, 1.0),
    np.exp,
    partial(np.less, np.ones((2, 1))),
)
_CHANGES = (operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ipow)
_READS_AND_WRITES: tuple[Callable[[Any], Any], ...] = (
    *(lambda x: x[1], lambda x: x[:1], lambda x: x[[1, 0, 0]]),
    *(lambda x: x[..., None], lambda x: x[x > 1.0]),
    lambda x: np.stack([*x]),
    lambda x: x.copy(),
    *(partial(lambda change, x: change(x, 1.5), change) for change in _CHANGES),
    partial(lambda change, x: change(x, np.ones((2, 2))), operator.imatmul),
    lambda x: operator.setitem(x, 0, 3.0),
    lambda x: operator.setitem(x, slice(1, None), 3.0),
)


def becomes_array(cls: type) -> bool:
    """Whether a value of a class becomes an array of NumPy's or of its library before anything is
    computed with it.
    """
    return is_outer(cls) or only_carries(cls)


def array_of_subclass(x) -> Any:
    """The array that such a value becomes; other values as they are."""
    return numbers_of(x) if only_carries(type(x)) else taken_in(x)


def carrying(array, like) -> Any:
    """A plain array, perhaps a traced one, as one of the class of another, with what an array of
    that class carries, as NumPy makes its results.
    """
    if issubclass(type(array), TracedArray):
        value = carrying(array.value, like)
        return moved(array, value, array.forms[type(value)])
    return np.ndarray.__array_wrap__(like, numbers_of(np.asanyarray(array)))


def numbers_of(x) -> np.ndarray:
    """A subclass's array as a plain one, on the same memory."""
    return np.ndarray.view(x, np.ndarray)


def without_class(x) -> Any:
    """An array of a subclass, perhaps a traced one, as one of NumPy's; others as they are."""
    if issubclass(type(x), TracedArray):
        value = without_class(x.value)
        return x if value is x.value else moved(x, value, x.forms[type(value)])
    is_subclassed = type(x) is not np.ndarray and issubclass(type(x), np.ndarray)
    return numbers_of(x) if is_subclassed else x
