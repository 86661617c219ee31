"""Find the traced values that a function reads of its surroundings, and exchange them.

An engine sees the arguments of an operation, not what a function among them captures. `closed`
makes a `Closure` of such a function: a dataclass with the captured values as a field, so that
levels, tangents and pullbacks find them there as they do in any container. Looked for are the cells
and defaults of functions, `functools.partial`, bound methods, the attributes of users' objects,
containers, and what our objects in the place of SciPy's were made of; not globals, nor variables
that the function assigns to, which a copy would not do.

`frozen` is for rules that call a function later, in a pullback: it copies what the function
captures, so that a loop variable, or an entry of a list, has the value of the call then.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from types import CellType, FunctionType, MethodType
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.introspection import variables_assigned
from chainrules_py.values.arrays import library_of
from chainrules_py.values.structure import fields, is_container, is_mutable, is_structural, rebuild

COPYING = ("__copy__", "__reduce__", "__reduce_ex__", "__del__")
LARGE = 8192  # entries of an array that is not copied
UNREAD: Any = object()  # what a variable holds that is not to be copied
# most of what is in large containers: without them a search there takes a twentieth of the time
PLAIN = frozenset({bool, int, float, complex, str, bytes, type(None), np.float64})


class Place:
    """The stand-in for a traced value that a copy of a function holds."""

    __slots__ = ()

    def copy(self) -> "Place":
        """Itself: a `__getstate__` copies the arrays of an object."""
        return self


@dataclass(frozen=True, eq=False)
class Closure:
    """A function beside the traced values that it captures.

    The function is a copy with a `Place` for each, which does not notice when variables of the
    original change. A call is that of the function with `captured` in these places.
    """

    function: Function
    captured: tuple[Any, ...]

    def __post_init__(self) -> None:
        self.__dict__["__wrapped__"] = self.function  # whose signature it has

    @cached_property
    def restored(self) -> Function:
        """The function, with the values that are in `captured` now."""
        search = Restoration(is_place)
        search.visit(self.function)
        return search.with_values(self.function, self.captured)

    def __call__(self, *args, **options) -> Any:
        """Call the function."""
        return self.restored(*args, **options)


def closed(x, is_wanted: Callable[[Any], bool] | None = None) -> Any:
    """Return functions that capture traced values as a `Closure`, and everything else as it is.

    `is_wanted` says which values count, in the place of `is_traced_or_recorded`.

    >>> closed(abs), closed([1.0, max])
    (<built-in function abs>, [1.0, <built-in function max>])
    """
    wanted = is_wanted or is_traced_or_recorded
    if type(x) is Closure or wanted(x):
        return x
    if is_container(x):
        parts = fields(x)
        made = {key: closed(part, is_wanted) for key, part in parts.items()}
        changed = {key: part for key, part in made.items() if part is not parts[key]}
        return rebuild(x, changed) if changed else x
    if not callable(x) or isinstance(x, type):
        return x
    search = Search(wanted)
    if not search.visit(x):
        return x
    places = [Place() if is_followed(part) else part.resolved() for part in search.found]
    captured = tuple([part for part in search.found if is_followed(part)])
    function = search.with_values(x, places)
    return Closure(function, captured) if captured else function


def frozen(x, variables_only: bool = False) -> Any:
    """Return functions, alone or in containers, with copies of what they capture.

    A rule calls it once the value is computed: what the function wrote until then has arrived.
    Arrays of more than `LARGE` entries are shared; with `variables_only` all but variables is, so
    that the function may write into it.

    >>> rate = 1.0
    >>> def f(x):
    ...     return lambda: rate * x
    >>> grow = f(2.0)
    >>> frozen(grow)() == grow(), frozen(abs)
    (True, <built-in function abs>)
    """
    search = Snapshot(variables_only)
    if not search.visit(x):
        return x
    return search.with_values(x, [array.copy("K") for array in search.found])


def is_traced_or_recorded(x) -> bool:
    """Whether a value is one that an engine follows."""
    if hasattr(type(x), "__chainrules_call__"):
        return True
    library = library_of(type(x))
    return library is not None and library.calls is not None


def is_followed(x) -> bool:
    """Whether a value is no array that was written to, and holds plain numbers at this moment."""
    return not getattr(type(x), "is_stored", False) or type(x.resolved()) is not np.ndarray


def is_place(value) -> bool:
    """Whether something stands in a function for a traced value."""
    return type(value) is Place


@dataclass(frozen=True, eq=False)
class MadeLater:
    """The stand-in for an object that is made of traced values: it is made anew of those that are in
    their places then.
    """

    make: Function
    args: tuple[Any, ...]


class Search:
    """The values of one kind in a function, in order, and which of its parts hold some."""

    leaves = PLAIN | {np.ndarray}  # classes of parts that are not visited

    def __init__(self, is_wanted: Callable[[Any], bool]) -> None:
        self.is_wanted = is_wanted
        self.found: list[Any] = []
        # by identity; a part that is being visited does not hold any, yet
        self.holds: dict[int, bool] = {}
        self.made: dict[int, Any] = {}  # what parts were replaced by; at first, what was found

    def visit(self, x) -> bool:
        """Whether there are such values in a part, all of which are put into `found`."""
        if id(x) not in self.holds:
            self.holds[id(x)] = self.is_copied(x)
            if self.is_wanted(x):
                self.found.append(x)
                self.holds[id(x)] = True
                return True
            parts = [part for _, part in self.parts_of(x) if type(part) not in self.leaves]
            if True in [self.visit(part) for part in parts]:
                self.holds[id(x)] = True
        return self.holds[id(x)]

    def is_copied(self, x) -> bool:
        """Whether a part is copied, whatever it holds."""
        return False

    def parts_of(self, x) -> Iterator[tuple[Any, Any]]:
        """List the parts of a value that are visited."""
        return captured_parts(x)

    def with_values(self, x, values: Sequence[Any]) -> Any:
        """Rebuild what was visited, with other values in the places of those that were found."""
        pairs = zip(self.found, values, strict=True)
        self.made = {id(old): new for old, new in pairs}
        return self.replaced(x)

    def replaced(self, x) -> Any:
        """Return a part with `made` in place of what was found; parts without any are kept."""
        if not self.holds.get(id(x), False):
            return x
        if id(x) not in self.made:
            if isinstance(x, FunctionType):
                self._copy_function(x)
            else:
                self.made[id(x)] = x  # where a part holds the whole
                parts = {key: self.replaced(part) for key, part in self.parts_of(x)}
                self.made[id(x)] = self.remade(x, parts)
        return self.made[id(x)]

    def remade(self, x, parts: dict[Any, Any]) -> Any:
        """A value like `x` of other parts."""
        return remade(x, parts)

    def has_own_cell(self, content) -> bool:
        """Whether the copy of a function has a cell of its own for something."""
        return self.holds.get(id(content), False)

    def _copy_function(self, x: FunctionType) -> None:
        # A cell is filled after the function is made, because it may hold that function.
        cells = [
            CellType() if self.has_own_cell(content) else cell
            for cell, content in cells_with_contents(x)
        ]
        copy = FunctionType(x.__code__, x.__globals__, x.__name__, None, tuple(cells))
        self.made[id(x)] = copy
        for cell, (old, content) in zip(cells, cells_with_contents(x), strict=True):
            if cell is not old:
                cell.cell_contents = self.replaced(content)
        copy.__defaults__ = x.__defaults__ and tuple(
            [self.replaced(part) for part in x.__defaults__]
        )
        copy.__kwdefaults__ = x.__kwdefaults__ and {
            k: self.replaced(part) for k, part in x.__kwdefaults__.items()
        }
        copy.__dict__.update(x.__dict__)
        copy.__qualname__ = x.__qualname__


class Restoration(Search):
    """The search for places: what was to be made later is made of what is in them now."""

    def remade(self, x, parts: dict[Any, Any]) -> Any:
        """A value like `x` of other parts."""
        return x.make(*parts["args"]) if type(x) is MadeLater else super().remade(x, parts)


class Snapshot(Search):
    """The search for what may change of a function later: variables, entries, attributes, small
    arrays.
    """

    leaves = PLAIN

    def __init__(self, variables_only: bool = False) -> None:
        super().__init__(is_nothing if variables_only else is_small_array)
        self.variables_only = variables_only

    def is_copied(self, x) -> bool:
        """Whether a part may change by itself."""
        if isinstance(x, FunctionType):
            return bool(x.__closure__) and not is_known_by_identity(x)
        return not self.variables_only and is_mutable(type(x)) and not is_copied_its_own_way(x)

    def parts_of(self, x) -> Iterator[tuple[Any, Any]]:
        """List the parts of a value; of a `Closure` the function, too."""
        if self.variables_only and not isinstance(x, FunctionType | MethodType | partial):
            return
        if is_copied_its_own_way(x) or (isinstance(x, FunctionType) and is_known_by_identity(x)):
            return
        if type(x) is Closure:
            yield "function", x.function
        yield from captured_parts(x)

    def has_own_cell(self, content) -> bool:
        """Whether the copy of a function has a cell of its own for something."""
        return content is not UNREAD


def is_known_by_identity(x: FunctionType) -> bool:
    """Whether a function is a primitive, or stands for one of NumPy's: a table has its rule."""
    is_ours = str(x.__globals__.get("__name__")).startswith("chainrules_")
    return is_ours and hasattr(x, "__wrapped__")


def is_copied_its_own_way(x) -> bool:
    """Whether the class of an object says how it is copied, or what happens at its end, as those that
    hold files do.
    """
    cls = type(x)
    if is_container(x) or not is_structural(x):
        return False
    return any(getattr(cls, name, None) is not getattr(object, name, None) for name in COPYING)


def is_nothing(x) -> bool:
    """Whether something is wanted where nothing is."""
    return False


def is_small_array(x) -> bool:
    """Whether something is an array of NumPy's that takes little time to copy."""
    return type(x) is np.ndarray and x.size <= LARGE


def cells_with_contents(function: FunctionType) -> list[tuple[CellType, Any]]:
    """The cells of a function with what is in each; `UNREAD` for those that are empty, or that the
    function assigns to.
    """
    if not function.__closure__:
        return []
    changed = variables_assigned(function.__code__)
    return [
        (cell, UNREAD if name in changed or cell == CellType() else cell.cell_contents)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__, strict=True)
    ]


def captured_parts(x) -> Iterator[tuple[Any, Any]]:
    """List the parts of a value, in an order that does not change."""
    if type(x) is Closure:  # the places in its function are its own
        yield "captured", x.captured
    elif isinstance(x, FunctionType):
        yield from ((("cell", k), content) for k, (_, content) in enumerate(cells_with_contents(x)))
        yield from ((("default", k), part) for k, part in enumerate(x.__defaults__ or ()))
        yield from (x.__kwdefaults__ or {}).items()
    elif isinstance(x, partial):
        yield from {"func": x.func, "args": x.args, "keywords": x.keywords}.items()
    elif isinstance(x, MethodType):
        yield from {"self": x.__self__, "func": x.__func__}.items()
    elif is_made_anew(x):
        yield from enumerate(x.__reduce__()[1])
    elif is_container(x) or (
        is_structural(x)
        and hasattr(x, "__dict__")
        and not type(x).__module__.startswith("chainrules_")
    ):
        yield from fields(x).items()


def is_made_anew(x) -> bool:
    """Whether an object is made anew of other values, by what it tells `pickle`; the parts that it
    tells are the same each time.
    """
    return getattr(type(x), "__chainrules_made_anew__", False)


def remade(x, parts: dict[Any, Any]) -> Any:
    """A value like `x` of other parts."""
    if isinstance(x, partial):
        return partial(parts["func"], *parts["args"], **parts["keywords"])
    if isinstance(x, MethodType):
        return MethodType(parts["func"], parts["self"])
    if is_made_anew(x):
        return MadeLater(x.__reduce__()[0], tuple(parts.values()))
    return rebuild(x, parts)
