"""What exchanged code calls while a derivative is being taken: the functions in the place of
NumPy's, SciPy's and Python's, found by what is called.

`SEEN` is asked by the code (`exchanged_code`) for each callee. A module's function is known by its
identity, a method by its name and its owner; all else is called itself. So it does not matter by
which name a function came, from which table, default or closure. A function of the file that is
not exchanged yet, because it was defined since, is exchanged when it is called.
"""

import linecache
import sys
from collections.abc import Callable, Iterable
from functools import partial
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import numpy as np

from chainrules_foreign_code.alternatives import (
    LruCache,
    alternative_of_compiled,
    cached,
    dispatcher_of,
)
from chainrules_foreign_code.exchanged_code import FUTURE, WITH_DTYPE, exchanged_codes, with_seen
from chainrules_foreign_code.held_functions import compiled_by_numba, functions_in
from chainrules_foreign_code.new_arrays import CREATION, MOSTLY_READ
from chainrules_foreign_code.noting_levels import note_at_levels_of
from chainrules_foreign_code.refused_calls import from_text, refusal_of_call
from chainrules_foreign_code.replaced_calls import (
    BUILTINS,
    CONVERTING,
    METHODS,
)
from chainrules_foreign_code.replacements import (
    OF_NUMPY,
    ROOTS,
    is_half_imported,
    replacement,
    root_package,
)
from chainrules_foreign_code.steps import method_of_integers
from chainrules_foreign_code.texts import FROM_VALUES, inserting, made_by, remainder, shown
from chainrules_foreign_code.ufuncs_of_lists import of_lists
from chainrules_py.annotations import Args, Function, Options
from chainrules_py.introspection import collections_paused, frame_above, frames_outward, is_ours
from chainrules_py.introspection.called_code import Calls, with_calls
from chainrules_py.introspection.waiting_code import waited_for, waiting_code
from chainrules_py.table.registry import default_rules
from chainrules_py.values.captured_values import closed
from chainrules_py.values.python_numbers import in_pythons_form
from chainrules_tape.arrays.behaviour import PythonBehaviour
from chainrules_tape.core.levels import (
    differentiates_here,
    innermost,
    open_levels,
    prepare_when_imported,
)
from chainrules_tape.core.reached_code import is_for_engines
from chainrules_tape.in_place.reading import read_now
from chainrules_tape.refusals.handles import TracedArray, plain
from chainrules_tape.refusals.instrumented_packages import (
    is_exchanged,
    is_seen,
    markers,
    packages,
    stood_for,
)

# by identity: functions and classes that live as long as the process, and what is called for them
_KNOWN: dict[int, tuple[Any, Any]] = {}


class Files(dict[int, WeakSet[FunctionType]]):
    """The files that are seen, by the identity of their global variables, each with its functions.

    These hold the variables, and are not held here: a file goes with its last function.
    """

    def note(self, functions: Iterable[FunctionType]) -> None:
        """Note the files of some functions."""
        for each in functions:
            key = id(each.__globals__)
            if key not in self:
                for gone in [key for key, known in self.copy().items() if not known]:
                    self.pop(gone, None)
                self[key] = WeakSet()
            self[key].add(each)

    def __contains__(self, key: object) -> bool:
        return bool(self.get(key))  # type: ignore[call-overload]


files = Files()
# by source file and the flags of its code: its lines, and the codes that are exchanged
codes: dict[tuple[str, int], tuple[list[str], dict[CodeType, CodeType]]] = {}
# the codes that functions had before, for a process that begins anew: that of the tests
originals: WeakKeyDictionary[FunctionType, CodeType] = WeakKeyDictionary()
_MAKING = frozenset(id(getattr(np, name)) for name in (*CREATION, *MOSTLY_READ))


def call_method(name: str, x, *args, **options) -> Any:
    """Call a method by its name."""
    return getattr(stood_for(x), name)(*args, **options)


_BY_NAME = METHODS | {
    name: method_of_integers(name)(partial(call_method, name)) for name in WITH_DTYPE
}


def getattr_of_number(owner, name: str, *default) -> Any:
    """``getattr``, of which a number of Python's that is traced has what floats have."""
    if issubclass(type(owner), PythonBehaviour) and not hasattr(owner.__class__, name):
        owner = in_pythons_form(plain(owner))
    return getattr(owner, name, *default)


def has_attribute(owner, name: str) -> bool:
    """``hasattr``, of which a number of Python's that is traced has what floats have."""
    is_pythons = issubclass(type(owner), PythonBehaviour)
    return hasattr(owner.__class__ if is_pythons else owner, name)


def is_iterable(x) -> bool:
    """``numpy.iterable``, which numbers are not."""
    is_number = issubclass(type(x), TracedArray) and x.is_number
    return not is_number and np.iterable(x)


# by identity: functions that ask what a value is, or make a text of it
TO_TEXT = (
    *(str, repr, format, ascii, np.array2string, np.array_str, np.array_repr),
    *(np.format_float_positional, np.format_float_scientific),
)
QUESTIONS: dict[int, Function] = {id(found): partial(made_by, found) for found in TO_TEXT}
QUESTIONS |= {
    id(getattr): getattr_of_number,
    id(hasattr): has_attribute,
    id(np.iterable): is_iterable,
}


class Seen:
    """What exchanged code asks for a callee, or for a function that it hands on."""

    __slots__ = ("levels",)

    def __init__(self) -> None:
        self.levels = open_levels  # the code asks nothing more while there is none

    def called(self, found) -> Any:
        """What is called in the place of a function, a class, a method or an object."""
        if not open_levels:
            return found
        look_up = _LOOK_UPS[type(found)]
        return found if look_up is None else look_up(found)

    def named(self, owner, name: str) -> Any:
        """What is called in the place of the method of this name."""
        if open_levels and issubclass(type(owner), _WITH_METHODS) and has_attribute(owner, name):
            return MethodType(_BY_NAME[name], owner)
        return self.called(getattr_of_number(owner, name))

    def held(self, found) -> Any:
        """What is handed on in the place of a value: a class is a dtype, too, and stays."""
        if not open_levels or type(found) is np.ufunc or issubclass(type(found), type | ModuleType):
            return found
        return self.called(found)

    def take(self, *given) -> None:
        """Take the arguments of a function: what it compares is noted at their levels."""
        note_at_levels_of(given)

    def attribute(self, owner, name: str) -> Any:
        """An attribute of a value, which a number of Python's has not by being traced."""
        return getattr_of_number(owner, name)

    def as_array(self, y) -> Any:
        """What ``__array__`` returns: where none of our functions has called it, an array of
        NumPy's, or the refusal of a traced one.
        """
        y, callers = read_now(y), frames_outward(frame_above(2))
        caller = next(frame for frame in callers if waited_for(frame.f_code) is None)
        return y if is_ours(caller) else np.asarray(y)

    def shown(self, text: str) -> str:
        """A text, which may be one of traced numbers."""
        return shown(text) if open_levels else text

    def remainder(self, left, right) -> Any:
        """``left % right``, which may be a text of traced numbers."""
        return remainder(left, right) if open_levels else left % right

    def __reduce__(self) -> str:
        return "SEEN"


class SeenInScipy(Seen):
    """What SciPy's own code asks: its objects keep their own methods, which make them."""

    __slots__ = ()

    def called(self, found) -> Any:
        """What is called in the place of a function, a class, a method or an object."""
        if open_levels and type(found) is MethodType and type(found.__func__) is FunctionType:
            return MethodType(of_python(found.__func__), found.__self__)
        new = super().called(found)
        is_other = new is not found and type(found) is FunctionType
        is_of_scipy = is_other and root_package(found.__module__) == "scipy"
        return partial(unless_private, found, new) if is_of_scipy else new

    def __reduce__(self) -> str:
        return "SEEN_IN_SCIPY"


def unless_private(found, new, *args, **options) -> Any:
    """Call what stands for a function of SciPy's; with options of its own, SciPy's function."""
    is_private = any(name.startswith("_") for name in options)
    return (found if is_private else new)(*args, **options)


_WITH_METHODS = (TracedArray, np.ndarray, np.generic, np.ufunc)
SEEN, SEEN_IN_SCIPY = Seen(), SeenInScipy()
markers.update((Seen, SeenInScipy))


def exchange(functions: list[FunctionType]) -> bool:
    """Exchange the codes of functions for those that ask; whether there was such a one.

    What Numba compiles stays as it is, which reads the code, and so do methods for engines.
    """
    functions = [each for each in functions if not is_for_engines(each.__code__)]
    met = [each for each in functions if waited_for(each.__code__) is None]
    compiled_ones = compiled_by_numba(met)
    is_new = False
    for function in functions:
        now = function.__code__
        code = waited_for(now) or now
        if not is_exchanged(code) and id(function) not in compiled_ones:
            new = code_for(function, code)
            if new is not now:
                originals[function] = code
                function.__code__ = new
                is_new = True
    return is_new


def code_for(function: FunctionType, code: CodeType) -> CodeType:
    """The code of a function that asks for its callees: that of its source, where the code is of
    that, and else its own with other calls (`replaced_calls`).
    """
    key = code.co_filename, code.co_flags & FUTURE
    lines, known = codes.get(key, (None, {}))
    if code not in known:
        linecache.checkcache(code.co_filename)
        now = linecache.getlines(code.co_filename, function.__globals__)
        if now != lines:  # a file that is looked at first, or was written since
            known = exchanged_codes("".join(now), *key, function.__globals__, seen_by(function))
            codes[key] = now, known
    if any(name.startswith("@py_") for name in code.co_varnames):  # pytest has rewritten assertions
        place = code.co_qualname, code.co_firstlineno
        alike = [new for new in known.values() if (new.co_qualname, new.co_firstlineno) == place]
        if alike and alike[0].co_freevars == code.co_freevars:
            return alike[0]
    if code in known:
        return known[code]
    new = with_calls(code, calls_without_source(function.__globals__))
    return with_seen(new, seen_by(function))


def seen_by(function: FunctionType) -> Seen:
    """What the code of a function asks."""
    return SEEN_IN_SCIPY if root_package(function.__globals__.get("__name__")) == "scipy" else SEEN


def calls_without_source(variables: dict[str, Any]) -> Calls:
    """The calls that are replaced in code without a source: of functions by their global names, of
    methods, and of modules that stand for others.
    """
    held = list(variables.copy().items())
    called = [name for name, found in held if callable(found)]
    functions = {name: CalledByName(name) for name in (*called, *_BUILTINS)}
    pairs = [(name, found, replacement(found)) for name, found in held]
    values = {name: new for name, found, new in pairs if new is not found}
    return Calls(functions.get, method_of_any, values.get)


_BUILTINS = [found.__name__ for found in BUILTINS]


def method_of_any(name: str) -> Function:
    """What is called in the place of a method of this name, or of a function of a module."""
    return METHODS.get(name) or partial(call_seen, name)


def call_seen(name: str, owner, *args, **options) -> Any:
    """Call what is called in the place of a method of an object."""
    return SEEN.called(getattr_of_number(owner, name))(*args, **options)


class CalledByName:
    """A function of a file without a source, or one of Python's, which may be defined anew."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, /, *args, **options) -> Any:
        """Call what has the name now, where it is called."""
        frame = frame_above(1)
        found = frame.f_globals.get(self.name, _ABSENT)
        found = frame.f_builtins[self.name] if found is _ABSENT else found
        return SEEN.called(found)(*args, **options)


_ABSENT = object()


def of_python(found: FunctionType) -> Any:
    """A function that is written in Python: of the file itself, or of a package."""
    known = _KNOWN.get(id(found))
    if known is not None and known[0] is found:
        return known[1]
    if is_exchanged(found.__code__):
        return found
    variables = found.__globals__
    name = variables.get("__name__")
    look_at(name)
    if root_package(name) in ROOTS and (new := by_identity(found)) is not found:
        return new
    if id(variables) in files:
        files.note([found])
        is_exchanged_when_called = True
    else:
        is_written_at_run_time = found.__code__.co_filename.startswith("<")
        is_exchanged_when_called = is_written_at_run_time or sys.modules.get(name) in _modules_seen
    if is_exchanged_when_called and exchange([found]):
        return found
    return by_identity(found)


_modules = {"looked_at": 0}  # how many there were when they were looked at


def see_packages(names: Iterable[str]) -> None:
    """Have the functions of packages take traced values from now on, of modules to come, too."""
    new = dict.fromkeys(names)
    if not new.keys() <= packages.keys():
        _modules["looked_at"] = 0  # first, so that what is interrupted here is done again
        packages.update(new)
    see_imported()


def see_imported() -> None:
    """Have functions wait of modules that have been imported since they were looked for, and do so
    when the next derivative begins.
    """
    if _modules["looked_at"] != (count := len(sys.modules)):
        with collections_paused(all_stay=True):
            new = [
                module
                for name, module in sys.modules.copy().items()
                if issubclass(type(module), ModuleType) and is_seen(name) and is_unseen(module)
            ]
            have_wait([each for module in new for each in functions_of(module)])
            _modules_seen.update(new)
        _modules["looked_at"] = count
    prepare_when_imported("sys", partial(see_imported))


_modules_seen: WeakSet[ModuleType] = WeakSet()  # of packages
_looked_at: set[Any] = set()  # the names of modules whose code was called


def is_unseen(module: ModuleType) -> bool:
    """Whether a module has been imported, and not been looked at."""
    return module not in _modules_seen and not is_half_imported(module)


def functions_of(module: ModuleType) -> list[FunctionType]:
    """The functions in a module, which are its own or those of seen ones."""
    own = module.__name__
    found = functions_in(list(vars(module).copy().values()), own)
    return [each for each in found if is_seen(each.__globals__.get("__name__", own))]


def have_wait(functions: list[FunctionType]) -> None:
    """Have functions wait for their first call, but for those that Numba compiles, or that ask for
    their callers, of which waiting code would be one.
    """
    compiled_ones = compiled_by_numba(functions)
    for function in functions:
        code = function.__code__
        is_left = is_exchanged(code) or waited_for(code) or id(function) in compiled_ones
        if not is_left:
            asks = not _FRAMES.isdisjoint(code.co_names)
            new = code_for(function, code) if asks else waiting_code(function, at_first_call)
            originals[function] = code
            function.__code__ = new


_FRAMES = frozenset({"_getframe", "currentframe"})  # what gives a function its callers


def at_first_call(function: FunctionType, args: Args, options: Options) -> Any:
    """A function that has waited, which asks for its callees from now on.

    One of SciPy's with a rule goes on waiting: our function is called in its place for traced
    values, and for others, and by our function itself, another one with its code.
    """
    if root_package(function.__module__) in ROOTS and function in default_rules:
        is_method = bool(args) and getattr(type(args[0]), function.__name__, None) is function
        given = (*closed(args[is_method:]), *closed(options).values())
        is_private = any(name.startswith("_") for name in options)  # SciPy's own calls of itself
        is_others = not is_private and not is_ours(frame_above(3))
        if open_levels and is_others and innermost(given) is not None:
            return by_identity(function)
        if function not in _plain:
            parts = function.__name__, function.__defaults__, function.__closure__
            code: Any = waited_for(function.__code__)
            made = FunctionType(code_for(function, code), function.__globals__, *parts)
            made.__kwdefaults__ = function.__kwdefaults__
            _plain[function] = made
        return _plain[function]
    exchange([function])
    return function


# of functions that go on waiting, what is called for plain values
_plain: WeakKeyDictionary[FunctionType, FunctionType] = WeakKeyDictionary()


def look_at(name: Any) -> None:
    """See the module of this name, where it is of a package that is seen, and was imported since."""
    if name not in _looked_at:
        _looked_at.add(name)
        if f"{name}.".startswith(f"{OF_NUMPY}."):
            see_packages([OF_NUMPY])
        elif is_seen(str(name)):
            see_imported()


def by_identity(found) -> Any:
    """A function or class that a module has: what is called in its place."""
    known = _KNOWN.get(id(found))
    if known is None or known[0] is not found:
        new = (
            QUESTIONS.get(id(found))
            or CONVERTING.get(id(found))
            or refusal_of_call(found)
            or replacement(found)
        )
        if new is found and type(found) is FunctionType:
            return found  # one of many, which come and go
        if found in default_rules and new not in default_rules:
            default_rules.alias(new, found)  # seen code may hand it to an engine of its own
        known = _KNOWN[id(found)] = found, new
    if id(found) in _MAKING and not differentiates_here():
        return found
    return known[1]


def of_class(found: type) -> Any:
    """A class: a conversion, one of NumPy's or SciPy's that has another in its place, or itself."""
    known = _KNOWN.get(id(found))
    if known is not None and known[0] is found:
        return known[1]
    look_at(found.__module__)
    if found.__module__ in _OF_LIBRARIES or found.__module__.startswith(("numpy", "scipy")):
        return by_identity(found)
    return found


_OF_LIBRARIES = frozenset({"builtins", "fractions", "decimal", "datetime", "_pydecimal"})


def of_builtin(found: BuiltinFunctionType) -> Any:
    """A function of a module that is written in C, or a method of an object of such a class."""
    owner = found.__self__
    if owner is None or type(owner) is ModuleType:
        return by_identity(found)
    if owner is float:
        return from_text if found.__name__ == "fromhex" else found
    if isinstance(owner, type) and (new := of_class(owner)) is not owner:
        return getattr(new, found.__name__, found)
    if issubclass(type(owner), _WITH_METHODS):
        made = _BY_NAME.get(found.__name__)
        return found if made is None else MethodType(made, owner)
    return inserting(found) if type(owner) is str and found.__name__ in FROM_VALUES else found


def of_method(found: MethodType) -> Any:
    """A method that is written in Python: of a traced value, a distribution, or an object."""
    owner, function = found.__self__, found.__func__
    if issubclass(type(owner), TracedArray):
        return found
    if isinstance(owner, type) and (instead := of_class(owner)) is not owner:
        return getattr(instead, function.__name__, found)
    if type(function) is FunctionType:
        new = of_python(function)
        return replacement(found) if new is function else MethodType(new, owner)
    return MethodType(SEEN.called(function), owner)


def of_descriptor(found) -> Any:
    """``float.hex`` or the like, which a traced number has, too."""
    return partial(call_method, found.__name__) if found.__objclass__ is float else found


def of_partial(found: partial[Any]) -> Any:
    """A `functools.partial`, of what is called in the place of its function."""
    function = SEEN.called(found.func)
    if function is found.func or type(found) is not partial:
        return found
    return partial(function, *found.args, **found.keywords)


def of_cached(found) -> Any:
    """A function with a cache, which knows nothing of traced values."""
    function = found.__wrapped__
    SEEN.called(function)
    is_of_python = type(function) is FunctionType
    return cached(found) if is_of_python and is_exchanged(function.__code__) else found


def of_vectorized(found: np.vectorize) -> Any:
    """A vectorized function, whose calls are traced one by one."""
    SEEN.called(found.pyfunc)
    return replacement(found)


def of_object(found) -> Any:
    """An object that is called: a spline, say, that was made before."""
    look_at(type(found).__module__)
    return replacement(found)


def of_numba(found) -> Any:
    """A function that Numba compiles: for traced values, the one that it was given."""
    known = _KNOWN.get(id(found))
    if known is None or known[0] is not found:
        dispatcher, new = dispatcher_of(found), found
        if dispatcher is not None:
            plain = dispatcher.py_func
            code = code_for(plain, plain.__code__)
            values = plain.__name__, plain.__defaults__, plain.__closure__
            new = alternative_of_compiled(found, FunctionType(code, plain.__globals__, *values))
        known = _KNOWN[id(found)] = found, new
    return known[1]


class LookUps(dict[type, Callable[[Any], Any] | None]):
    """How to find what is called in the place of objects, by their class."""

    def __missing__(self, kind: type) -> Callable[[Any], Any] | None:
        look_up: Any = of_numba if kind.__module__.startswith("numba.") else of_object
        for base, found in list(self.items()):
            if base in (type, partial, np.ufunc) and issubclass(kind, base):
                look_up = found
        self[kind] = look_up
        return look_up


_LOOK_UPS = LookUps(
    {
        FunctionType: of_python,
        BuiltinFunctionType: of_builtin,
        type(np.sum): by_identity,
        np.ufunc: of_lists,
        type: of_class,
        MethodType: of_method,
        MethodWrapperType: None,
        MethodDescriptorType: of_descriptor,
        WrapperDescriptorType: of_descriptor,
        partial: of_partial,
        LruCache: of_cached,
        np.vectorize: of_vectorized,
    }
)
