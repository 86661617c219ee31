"""Walk through a foreign module and find all places where a function is to be replaced.

It visits what is defined in modules that are seen through: functions with their defaults, closures,
attributes and code, classes with their attributes, and lists and dicts; in slots, deques and
read-only dicts functions alone. It changes nothing, and asks nothing that others wrote: entries of
a dict are read by dict's own methods, attributes of objects in their `__dict__`, because a class
may do anything when it is asked. What another module that is seen through has by its own name is
left to the walk through that one.
"""

import builtins
import functools
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, compress
from types import (
    BuiltinFunctionType,
    CellType,
    FunctionType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy

from chainrules_foreign_code.alternatives import LruCache, cached, compiled, dispatcher_of
from chainrules_foreign_code.replaced_calls import called_defaults, called_objects, calls_in
from chainrules_foreign_code.replacements import (
    PLACES,
    ROOTS,
    distribution_in_place_of,
    replaced,
    replacement,
    root,
)
from chainrules_foreign_code.substitutions import (
    Attribute,
    ClassAttribute,
    InstanceAttribute,
    Item,
    Place,
    filled,
    standing,
)
from chainrules_py.introspection import shown_mapping
from chainrules_py.introspection.called_code import Calls, changed_codes
from chainrules_py.table.registry import default_rules
from chainrules_py.values.discovery import is_name_listed, only_listed_have_rules
from chainrules_tape.numpy.vectorizing import vectorize
from chainrules_tape.refusals.instrumented_packages import is_exchanged

_LARGE = 1000  # entries: a longer list or dict is a table of numbers
# flags of classes: only of those made in Python attributes are assigned
_IS_HEAP, _IS_IMMUTABLE = 1 << 9, 1 << 8
# Classes of values that hold nothing, and are never replaced.
_NUMBERS = (bool, int, float, complex, numpy.float64)
_TEXTS = (str, bytes)
_SETS = (set, frozenset, range, slice)
_ARRAYS = (numpy.ndarray, numpy.dtype)
_SINGLE = (type(None), type(...), type(NotImplemented))
_DESCRIPTORS = (type(str.join), type(str.__len__), type(dict.__dict__["fromkeys"]))
_ATTRIBUTES = (type(FunctionType.__code__), type(FunctionType.__globals__))
_OF_PYTHON = (*_DESCRIPTORS, *_ATTRIBUTES, type(vars(str)), type(sys.flags))
_LEAVES = frozenset((*_NUMBERS, *_TEXTS, *_SETS, *_ARRAYS, *_SINGLE, *_OF_PYTHON))
_FUNCTIONS = (MethodType, BuiltinFunctionType, numpy.ufunc, type(numpy.sum), numpy.vectorize)
_REPLACED = (ModuleType, *_FUNCTIONS)
_HOLDING = (functools.partial, tuple, dict, list, property, staticmethod, classmethod)
_BASES = (type, ModuleType, *_HOLDING)  # of which subclasses are visited as well

Visit = Callable[["Walk", Any], Any]


class Survey:
    """The knowledge that walks share: which modules are foreign, how to visit values."""

    def __init__(self, is_seen: Callable[[str], bool]) -> None:
        self.is_seen = functools.cache(is_seen)
        self.called = called_objects()
        self.visits = Visits(self.chosen_visit)
        self.visits.update(dict.fromkeys(_LEAVES))
        self.visits |= dict.fromkeys(_REPLACED, lambda _, found: replacement(found))
        self.visits |= {
            FunctionType: Walk.in_function,
            LruCache: Walk.in_cached,
            MappingProxyType: Walk.in_proxy,
            classmethod: Walk.in_wrapping_method,
            deque: Walk.in_deque,
            dict: Walk.in_dict,
            functools.cached_property: Walk.in_cached_property,
            functools.partial: Walk.in_partial,
            list: Walk.in_list,
            numpy.vectorize: Walk.in_vectorized,
            property: Walk.in_property,
            staticmethod: Walk.in_wrapping_method,
            tuple: Walk.in_tuple,
            type: Walk.in_class,
        }
        self._may_be_replaced: frozenset[int] | None = None
        self._calls: dict[int, tuple[dict[str, Any], Calls | None]] = {}
        self._unchanged: dict[int, dict[str, Any]] = {}
        self._slots: dict[type, list[MemberDescriptorType]] = {}
        self.claimed: set[int] = set()  # the identities of what earlier walks visited
        # by identity: what a foreign module defines that others name, too, and that module
        self.at_home: dict[int, tuple[Any, ModuleType]] = {}

    def calls(self, variables: dict[str, Any]) -> Calls | None:
        """The calls that are replaced in functions with these globals; None in other code."""
        known = self._calls.get(id(variables))
        if known is None:
            found = calls_in(variables, self.called) if self.is_foreign(variables) else None
            known = self._calls[id(variables)] = variables, found
        return known[1]

    def stays(self, found: FunctionType) -> bool:
        """Whether a function of a package with stand-ins is known to stay, without a look-up of its
        rules.

        One look-up takes longer than all else that is done with a function.
        """
        if is_name_listed(found.__name__):
            return False
        if self._may_be_replaced is None:
            primals = map(id, default_rules.primals())
            self._may_be_replaced = frozenset(chain(replaced(), PLACES, primals))
        return id(found) not in self._may_be_replaced

    def is_foreign(self, variables: dict[str, Any]) -> bool:
        """Whether functions with these globals are foreign; those of no module are their holder's."""
        return "__name__" not in variables or self.is_seen(name_in(variables))

    def unchanged(self, variables: dict[str, Any]) -> dict[str, Any]:
        """A copy of the globals of functions as they are outside of all scopes."""
        if id(variables) not in self._unchanged:
            places = {key: filled.get((id(variables), key)) for key in variables} if filled else {}
            self._unchanged[id(variables)] = {
                key: original_in(places.get(key), found) for key, found in variables.items()
            }
        return self._unchanged[id(variables)]

    def slots(self, cls: type) -> list[MemberDescriptorType]:
        """The slots of a class and of its bases that are made in Python."""
        if cls not in self._slots:
            bases = [vars(base) for base in cls.__mro__ if base.__flags__ & _IS_HEAP]
            held = chain.from_iterable(base.values() for base in bases)
            self._slots[cls] = [each for each in held if type(each) is MemberDescriptorType]
        return self._slots[cls]

    def chosen_visit(self, kind: type) -> Visit | None:
        """The visit of values of a class, by its bases."""
        if module_of_class(kind).startswith("numba."):
            return Walk.of_numba
        for base in _BASES:
            if issubclass(kind, base):
                return self.visits[base]
        return Walk.in_instance if self.is_seen(module_of_class(kind)) else Walk.in_wrapper


class Visits(dict[type, Visit | None]):
    """How values are visited, by their classes; that of a new class is chosen, and remembered."""

    def __init__(self, choose: Callable[[type], Visit | None]) -> None:
        super().__init__()
        self.choose = choose

    def __missing__(self, kind: type) -> Visit | None:
        visit = self[kind] = self.choose(kind)
        return visit


def name_in(variables: dict[str, Any]) -> str:
    """The name of the module that has these globals; code that somebody compiled may have none."""
    name = variables.get("__name__")
    return name if isinstance(name, str) else ""


def original_in(place: Place | None, found) -> Any:
    """The content of a place outside of all scopes, given what it holds now."""
    return place.old if place is not None and place.new is found else found


class Holders:
    """Objects of one kind that hold others, and the identities of those, in order.

    The identities are of what they hold outside of all scopes.
    """

    def __init__(self) -> None:
        self.found: list[Any] = []
        self.ids: list[int] = []


class Snapshot:
    """The identities of what holders held, and how to read that once more.

    Numbers, texts and arrays come and go, as the global variables of a program do that counts; so
    of an entry that held one, and holds one, nothing more is asked.
    """

    def __init__(self, values: Callable[[], Iterable[Any]], ids: list[int]) -> None:
        self.values, self.ids = values, tuple(ids)
        self.are_leaves = list(map(_LEAVES.__contains__, map(type, values())))

    def is_current(self) -> bool:
        """Whether all that was read is there, but for leaves."""
        now = list(self.values())
        ids = tuple(map(id, now))
        if ids == self.ids:
            return True
        if len(ids) != len(self.ids):
            return False
        changed = [position for position, found in enumerate(ids) if found != self.ids[position]]
        if not all(self.are_leaves[each] and type(now[each]) in _LEAVES for each in changed):
            return False
        self.ids = ids
        return True


class Walk:
    """One walk: the places that it found, and snapshots by which a later change is noticed.

    `is_new` says that the module was imported in a scope: it may have ours from other modules.
    """

    def __init__(self, module: ModuleType, survey: Survey, *, is_new: bool = False) -> None:
        self.survey, self.visits, self.is_new = survey, survey.visits, is_new
        self.claimed = survey.claimed
        # functions that are still to be looked at: those of the module, and others by their calls
        self.own: list[FunctionType] = []
        self.others: dict[int, tuple[Calls, list[FunctionType]]] = {}
        self.module, self.variables = module, vars(module)
        self.places: list[Place] = []
        self.dicts, self.lists = Holders(), Holders()
        self.classes, self.cells = Holders(), Holders()
        # which are visited one after the other, however deep they are
        self.waiting: list[dict[Any, Any] | list[Any]] = []
        # by identity, and kept, so that no other object gets the same one
        self.visited: dict[int, Any] = {}
        self.borrowed: set[int] = set()  # what earlier walks visited and this one would have
        self.has_stand_ins = root(module.__name__) in ROOTS
        self.has_listed_ones = only_listed_have_rules(module.__name__)
        self.calls = survey.calls(self.variables)
        self.entries(self.variables)
        while self.waiting or self.own or self.others:
            self.in_waiting()
            own, self.own, others, self.others = self.own, [], self.others, {}
            if self.calls is not None:
                self.in_foreign_functions(own, self.calls)
            for calls, functions in others.values():
                self.in_foreign_functions(functions, calls)
        survey.claimed.update(self.visited)

    def in_waiting(self) -> None:
        """Visit what lists and dicts hold that were met on the way."""
        while self.waiting:
            holder = self.waiting.pop()
            self.items(holder) if isinstance(holder, list) else self.entries(holder)

    def is_first(self, found) -> bool:
        """Whether something has not been visited yet; from now on it is."""
        identity = id(found)
        if identity in self.visited:
            return False
        if identity in self.claimed:
            self.borrowed.add(identity)
            return False
        self.visited[identity] = found
        return True

    def snapshots(self) -> list[Snapshot]:
        """Functions that read once more all that was read, and the identities of what was there."""
        dicts, lists, classes, cells = self.dicts, self.lists, self.classes, self.cells
        return [
            Snapshot(lambda: chain.from_iterable(map(dict.values, dicts.found)), dicts.ids),
            Snapshot(lambda: chain.from_iterable(map(list.__iter__, lists.found)), lists.ids),
            Snapshot(
                lambda: chain.from_iterable(one.values() for one in classes.found), classes.ids
            ),
            Snapshot(lambda: map(contents, cells.found), cells.ids),
        ]

    def value(self, found) -> Any:
        """Visit a value, and return its replacement."""
        visit = self.visits[type(found)]
        return found if visit is None else visit(self, found)

    def original(self, where: tuple[int, Any], found) -> Any:
        """The content of a place outside of all scopes; called where some place is filled."""
        if self.is_new and id(found) in standing:
            return standing[id(found)].old
        return original_in(filled.get(where), found)

    def exchanged(self, held: list[tuple[Any, Any]]) -> Iterator[tuple[Any, Any, Any]]:
        """Visit what an object holds; yield the keys with other values, what is there, and those."""
        values = [found for _, found in held]
        identities = list(map(id, values))
        # most names of a module are others' functions and classes, which stay as they are
        known = self.claimed.intersection(identities)
        self.borrowed.update(known)
        visits, visited, variables = self.visits, self.visited, self.variables
        is_plain = not self.has_stand_ins
        # what no visit looks at is left out at once, without a step of Python's
        chosen = map(visits.__getitem__, map(type, values))
        for (key, old), identity in compress(zip(held, identities, strict=True), chosen):
            if identity in known or identity in visited:
                continue
            # as `in_function` does: nearly all functions are met here
            is_own = type(old) is FunctionType and old.__globals__ is variables
            if is_own and (is_plain or self.stays(old)):
                visited[identity] = old
                self.own.append(old)
                if old.__closure__:
                    self.cells_of(old, is_foreign=True)
                continue
            visit: Any = visits[type(old)]
            new = visit(self, old)
            if new is not old:
                yield key, old, new

    def stays(self, found: FunctionType) -> bool:
        """Whether a function of a module with stand-ins is known to have no replacement."""
        return self.has_listed_ones and self.survey.stays(found)

    def originals(self, where: int, held: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
        """List the entries that an object has outside of all scopes, given those that it has now."""
        if not filled:
            return held
        return [(key, self.original((where, key), found)) for key, found in held]

    def entries(self, holder: dict[Any, Any]) -> None:
        """Visit the entries of a dict."""
        self.dicts.found.append(holder)
        ids = self.dicts.ids
        if _LEAVES.issuperset(map(type, dict.values(holder))):
            ids.extend(map(id, dict.values(holder)))
            return
        held = self.originals(id(holder), list(dict.items(holder)))
        # before anything is visited: a class may hold another one, whose entries follow
        ids += [id(found) for _, found in held]
        if holder is self.variables:
            held = [entry for entry in held if not entry[0][:2] == "__" == entry[0][-2:]]
        for key, old, new in self.exchanged(held):
            self.places.append(Place(holder, key, old, new))

    def in_dict(self, found: dict[Any, Any]) -> Any:
        """Visit a dict: neither a large one, nor what Python or another module has its names in."""
        if dict.__len__(found) > _LARGE or not self.is_first(found):
            return found
        is_of_python = found is sys.modules or found is vars(builtins)
        if not is_of_python and not dict.__contains__(found, "__builtins__"):
            self.waiting.append(found)
        return found

    def in_list(self, found: list[Any]) -> Any:
        """Visit a list that is not large."""
        if list.__len__(found) <= _LARGE and self.is_first(found):
            self.waiting.append(found)
        return found

    def items(self, holder: list[Any]) -> None:
        """Visit the items of a list."""
        self.lists.found.append(holder)
        ids = self.lists.ids
        if _LEAVES.issuperset(map(type, list.__iter__(holder))):
            ids.extend(map(id, list.__iter__(holder)))
            return
        held = self.originals(id(holder), list(enumerate(list.__iter__(holder))))
        ids += [id(item) for _, item in held]
        for index, old, new in self.exchanged(held):
            self.places.append(Item(holder, index, old, new))

    def in_tuple(self, found: tuple[Any, ...]) -> Any:
        """The replacement of a tuple; a named one keeps its class."""
        if len(found) > _LARGE or _LEAVES.issuperset(map(type, tuple.__iter__(found))):
            return found
        parts = list(map(self.value, tuple.__iter__(found)))
        if not any(map(is_other, parts, found)):
            return found
        make = getattr(type(found), "_make", None)
        return make(parts) if make is not None else tuple(parts)

    def in_partial(self, found) -> Any:
        """The replacement of a `functools.partial`."""
        function = self.value(found.func)
        if type(found) is not functools.partial:
            return (
                found
                if function is found.func
                else functools.partial(function, *found.args, **found.keywords)
            )
        args = self.in_tuple(found.args)
        options = {name: self.value(part) for name, part in found.keywords.items()}
        is_same = function is found.func and args is found.args
        if is_same and not any(map(is_other, options.values(), found.keywords.values())):
            return found
        return functools.partial(function, *args, **options)

    def in_wrapping_method(self, found) -> Any:
        """The replacement of a static or class method."""
        function = self.value(found.__func__)
        return found if function is found.__func__ else type(found)(function)

    def in_cached(self, found) -> Any:
        """The replacement of a function with a cache, by `functools.lru_cache`."""
        if not self.survey.is_seen(str(found.__module__)):
            return self.in_wrapper(found)
        self.value(found.__wrapped__)
        return cached(found)

    def in_property(self, found: property) -> Any:
        """Visit the functions of a property."""
        for part in (found.fget, found.fset, found.fdel):
            if part is not None:
                self.value(part)
        return found

    def in_cached_property(self, found) -> Any:
        """Visit the function of a property that is computed once."""
        self.value(found.func)
        return found

    def in_vectorized(self, found: numpy.vectorize) -> Any:
        """Visit the function that `numpy.vectorize` was given; ours calls it with traced values."""
        new = replacement(found)
        if new is not found:
            return new
        if self.is_first(found):
            self.value(found.pyfunc)
        return vectorize.like(found)

    def in_instance(self, found) -> Any:
        """Visit an object of a foreign class: the function in it, or its attributes."""
        if id(found) in self.visited:
            return found
        new = replacement(found)
        if new is not found or not self.is_first(found):
            return new
        if not self.in_wrapped(found):
            held = attribute_of(found, "__dict__")
            if type(held) is dict:
                self.in_dict(held)
            self.functions(content_of(slot, found) for slot in self.survey.slots(type(found)))
        return found

    def in_wrapper(self, found) -> Any:
        """Visit an object of any other class: the function in it."""
        if id(found) in self.visited:
            return found
        new = replacement(found)
        if new is found and self.is_first(found) and not self.in_wrapped(found):
            distribution = distribution_in_place_of(found)
            if distribution is not None:
                self.places.append(Place(vars(found), "dist", found.dist, distribution))
        return new

    def in_wrapped(self, found) -> bool:
        """Visit the function in an object that a decorator in C made; say whether there is one."""
        wrapped = attribute_of(found, "__wrapped__")
        if not isinstance(wrapped, FunctionType):
            return False
        self.value(wrapped)
        return True

    def in_deque(self, found) -> Any:
        """Visit the functions in a deque that is not large."""
        if len(found) <= _LARGE and self.is_first(found):
            self.functions(list(found))
        return found

    def in_proxy(self, found) -> Any:
        """Visit the functions in a dict that is shown for reading only."""
        shown = shown_mapping(found)
        if type(shown) is dict and len(shown) <= _LARGE and self.is_first(found):
            self.functions(list(shown.values()))
        return found

    def functions(self, values: Iterable[Any]) -> None:
        """Visit those of some values that are functions, where nothing can be put in their place."""
        for found in values:
            if type(found) is FunctionType:
                self.value(found)

    def of_numba(self, found) -> Any:
        """The replacement of a function that Numba compiles, with globals as they were."""
        dispatcher = dispatcher_of(found)
        if dispatcher is None:
            return self.in_wrapper(found)
        function = original_in(filled.get((id(dispatcher), "py_func")), dispatcher.py_func)
        if not self.survey.is_seen(name_in(function.__globals__)):
            return found
        plain = copied(function, self.survey.unchanged(function.__globals__))
        for holder in {
            id(one): one for one in (dispatcher, getattr(dispatcher, "_compiler", dispatcher))
        }.values():
            place = InstanceAttribute(holder, "py_func", plain)
            place.old = function
            self.places.append(place)
        traced = copied(function, function.__globals__)
        self.in_function(traced)
        return compiled(found, traced)

    def in_class(self, found: type) -> Any:
        """Visit the attributes of a class."""
        if id(found) in PLACES:  # one of NumPy's or SciPy's that has another in its place
            is_home = module_of_class(found) == self.module.__name__
            return found if is_home else replacement(found)  # its own methods make it, and no other
        if id(found) in self.visited or self.is_at_home(found):
            return found
        name = module_of_class(found)
        if (
            not self.survey.is_seen(name)
            or found.__flags__ & (_IS_HEAP | _IS_IMMUTABLE) != _IS_HEAP
        ):
            return found
        if not self.is_own(name, found, type.__getattribute__(found, "__name__")):
            return found
        if not self.is_first(found):
            return found
        attributes = vars(found)
        self.classes.found.append(attributes)
        held = self.originals(id(found), list(attributes.items()))
        self.classes.ids += [id(attribute) for _, attribute in held]
        if "__annotations__" in attributes:
            held = [entry for entry in held if entry[0] != "__annotations__"]
        for key, old, new in self.exchanged(held):
            bound = callable(new) and not hasattr(old, "__get__")
            attribute = staticmethod(new) if bound else new
            self.places.append(ClassAttribute(found, key, old, attribute))
        return found

    def is_own(self, module: str, found, name: str) -> bool:
        """Whether an object is visited here, and not where another foreign module defines it."""
        home = sys.modules.get(module)
        if home is self.module or not isinstance(home, ModuleType):
            return True
        if vars(home).get(name) is not found:
            return True
        self.survey.at_home[id(found)] = found, home
        self.borrowed.add(id(found))
        return False

    def is_at_home(self, found) -> bool:
        """Whether another foreign module defines an object, as far as `is_own` has found that."""
        known = self.survey.at_home.get(id(found))
        if known is None or known[1] is self.module:
            return False
        self.borrowed.add(id(found))
        return True

    def in_function(self, found: FunctionType) -> Any:
        """Visit a function: its closure, and if it is foreign, its defaults and code."""
        identity = id(found)
        if identity in self.visited:
            return found
        if found.__globals__ is not self.variables:
            return self.in_function_from_elsewhere(found)
        if self.has_stand_ins:
            new = replacement(found)
            if new is not found:
                return new
        if self.is_first(found):
            self.own.append(found)
            self.cells_of(found, is_foreign=True)
        return found

    def in_function_from_elsewhere(self, found: FunctionType) -> Any:
        """Visit a function of another module, unless that one has it by its name."""
        if self.is_at_home(found):
            return found
        new = replacement(found)
        if new is not found:
            return new
        variables = found.__globals__
        calls = self.survey.calls(variables)
        if calls is not None and not self.is_own(name_in(variables), found, found.__name__):
            return found
        if not self.is_first(found):
            return found
        if calls is not None and "__name__" not in variables and self.is_first(variables):
            self.waiting.append(variables)
        if found.__closure__:
            self.cells_of(found, is_foreign=calls is not None)
        if calls is not None:
            self.others.setdefault(id(calls), (calls, []))[1].append(found)
        return found

    def cells_of(self, found: FunctionType, *, is_foreign: bool) -> None:
        """Visit what the variables of a closure hold."""
        for cell in found.__closure__ or ():
            self.cell(cell, is_foreign)

    def in_foreign_functions(self, functions: list[FunctionType], calls: Calls) -> None:
        """Visit the defaults, the attributes and the codes of functions."""
        for found in functions:
            if found.__defaults__:
                self.defaults(found)
            if found.__kwdefaults__:
                self.in_dict(found.__kwdefaults__)
            attributes = found.__dict__
            if attributes and holds_more(attributes):
                self.in_dict(attributes)
        codes = [found.__code__ for found in functions]
        if filled:
            codes = [
                self.original((id(found), "__code__"), code)
                for found, code in zip(functions, codes, strict=True)
            ]
        asks = list(map(is_exchanged, codes))  # for what it calls, by itself
        for position, code in changed_codes(codes, calls):
            if asks[position]:
                continue
            place = Attribute(functions[position], "__code__", codes[position], code)
            self.places.append(place)

    def defaults(self, function: FunctionType) -> None:
        """Visit the defaults of a function's arguments."""
        old: Any = function.__defaults__
        if filled:
            old = self.original((id(function), "__defaults__"), old)
        if _LEAVES.issuperset(map(type, old)):  # nearly always
            return
        new = self.in_tuple(called_defaults(function, old))
        if any(map(is_other, new, old)):
            self.places.append(Attribute(function, "__defaults__", old, new))

    def cell(self, cell: CellType, seen: bool) -> None:
        """Visit what a variable of a closure holds."""
        if not self.is_first(cell):
            return
        found = contents(cell)
        old = found if not filled else self.original((id(cell), "cell_contents"), found)
        self.cells.found.append(cell)
        self.cells.ids.append(id(old))
        if old is EMPTY:
            return  # it is assigned to later
        if not seen:
            if isinstance(old, FunctionType):
                self.value(old)
            return
        new = self.value(old)
        if new is not old:
            self.places.append(Attribute(cell, "cell_contents", old, new))


def holds_more(attributes: dict[str, Any]) -> bool:
    """Whether a function has another attribute to visit than that of `functools.wraps`.

    What this one holds is in the function's closure, too.
    """
    return any(
        type(held) not in _LEAVES and name != "__wrapped__" for name, held in attributes.items()
    )


EMPTY: Any = object()


def contents(cell: CellType) -> Any:
    """The value of a variable of a closure, if it has been assigned to."""
    try:
        return cell.cell_contents
    except ValueError:
        return EMPTY


def module_of_class(cls: type) -> str:
    """The name of the module that defines a class.

    A class may have a property of that name; then its functions know.
    """
    name = vars(cls).get("__module__", "")
    if isinstance(name, str):
        return name
    functions = [getattr(one, "fget", one) for one in (name, *vars(cls).values())]
    return next(
        (name_in(one.__globals__) for one in functions if isinstance(one, FunctionType)), ""
    )


def content_of(slot: MemberDescriptorType, found) -> Any:
    """The value in a slot of an object, which a class may hide; None where it is empty."""
    try:
        return slot.__get__(found)
    except AttributeError:
        return None


def attribute_of(found, name: str) -> Any:
    """An attribute of an object, without asking a method of its class; None where there is none."""
    try:
        return object.__getattribute__(found, name)
    except Exception:  # a descriptor may raise anything
        return None


def copied(function: FunctionType, variables: dict[str, Any]) -> FunctionType:
    """The function with other globals."""
    code = original_in(filled.get((id(function), "__code__")), function.__code__)
    made = FunctionType(
        code, variables, function.__name__, function.__defaults__, function.__closure__
    )
    made.__dict__.update(function.__dict__)
    return made


def is_other(new, old) -> bool:
    """Whether two are not the same object."""
    return new is not old
