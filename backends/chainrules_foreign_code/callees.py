"""What exchanged code calls while a derivative is being taken: the functions in the place of
NumPy's, SciPy's and Python's, found by what is called.

`SEEN` is asked by the code (`exchanged_code`) for each callee. A module's function is known by its
identity, a method by its name and its owner; all else is called itself. So it does not matter by
which name a function came, from which table, default or closure. A function of the file that has
its own code yet, because it was defined since, is lent another one when it is called.
"""

import linecache
import sys
from collections.abc import Callable, Iterable
from functools import cache, partial
from operator import call
from threading import get_ident
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
from weakref import WeakKeyDictionary, ref

import numpy as np

from chainrules_foreign_code.alternatives import (
    Cached,
    LruCache,
    alternative_of_compiled,
    cached,
    dispatcher_of,
)
from chainrules_foreign_code.exchanged_code import FUTURE, WITH_DTYPE, exchanged_codes, other_code
from chainrules_foreign_code.held_functions import compiled_by_numba, functions_in, functions_with
from chainrules_foreign_code.lent_code import (
    Batch,
    Codes,
    Needed,
    SeenFile,
    codes_of,
    forget,
    has_other_code,
    lend,
    lend_made,
    lending,
    looked_at,
    note_made,
    opened,
    own_code,
)
from chainrules_foreign_code.methods import to_be_written
from chainrules_foreign_code.new_arrays import CREATION, MOSTLY_READ, keeping
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
from chainrules_foreign_code.ufuncs_of_lists import of_lists, operand
from chainrules_py.annotations import Args, Function, Options
from chainrules_py.introspection import (
    asks_what_a_value_is,
    closure_values,
    collections_paused,
    frame_above,
    is_held_once,
    is_ours,
    may_search,
)
from chainrules_py.introspection.called_code import Calls, with_calls
from chainrules_py.introspection.waiting_code import waited_for, waiting_code
from chainrules_py.table.registration import asked_of
from chainrules_py.table.registry import default_rules
from chainrules_py.values.captured_values import closed
from chainrules_py.values.python_numbers import in_pythons_form
from chainrules_tape.arrays.behaviour import PythonBehaviour
from chainrules_tape.core.following import NUMPYS, written_function
from chainrules_tape.core.levels import (
    at_opening,
    differentiates_here,
    innermost,
    open_levels,
)
from chainrules_tape.core.reached_code import held_or_named_by, is_for_engines
from chainrules_tape.core.saved_state import reached
from chainrules_tape.in_place.reading import read_now
from chainrules_tape.refusals.handles import TracedArray, plain
from chainrules_tape.refusals.instrumented_packages import (
    files,
    is_left_out,
    is_seen,
    left_out,
    markers,
    needed_by,
    packages,
    stood_for,
)

# by identity: functions and classes that live as long as the process, and what is called for them
_KNOWN: dict[int, tuple[Any, Any]] = {}
# by source file, the flags of its code, and whether its assertions are rewritten: its lines, and the
# other codes by those in it
codes: dict[tuple[str, int, bool], tuple[list[str], dict[CodeType, CodeType]]] = {}
_MAKING = frozenset(id(getattr(np, name)) for name in (*CREATION, *MOSTLY_READ))


def call_method(name: str, x, /, *args, **options) -> Any:
    """Call a method by its name."""
    return getattr(stood_for(x), name)(*args, **options)


_BY_NAME = METHODS | {
    name: method_of_integers(name)(partial(call_method, name)) for name in WITH_DTYPE
}


def getattr_of_number(owner, name: str, *default) -> Any:
    """``getattr``, for which a traced Python number has the attributes of floats."""
    if issubclass(type(owner), PythonBehaviour) and not hasattr(owner.__class__, name):
        owner = in_pythons_form(plain(owner))
    return getattr(owner, name, *default)


def has_attribute(owner, name: str) -> bool:
    """``hasattr``, for which a traced Python number has the attributes of floats."""
    is_pythons = issubclass(type(owner), PythonBehaviour)
    return hasattr(owner.__class__ if is_pythons else owner, name)


def without_entries(x) -> Any:
    """A traced number as a plain one, which nothing iterates over; other values as they are."""
    return plain(x) if issubclass(type(x), TracedArray) and x.is_number else x


def iterator_of(x, *sentinel) -> Any:
    """``iter``, which raises for traced numbers, though some can be indexed."""
    return iter(without_entries(x), *sentinel)


def is_iterable(x) -> bool:
    """``numpy.iterable``, which is False for traced numbers."""
    return np.iterable(without_entries(x))


# by identity: functions that ask what a value is, or make a text of it
TO_TEXT = (
    *(str, repr, format, ascii, np.array2string, np.array_str, np.array_repr),
    *(np.format_float_positional, np.format_float_scientific),
)
QUESTIONS: dict[int, Function] = {id(found): partial(made_by, found) for found in TO_TEXT}
QUESTIONS |= {
    id(getattr): getattr_of_number,
    id(hasattr): has_attribute,
    id(iter): iterator_of,
    id(np.iterable): is_iterable,
}


class Seen:
    """The object that exchanged code asks which function to call, or to pass on."""

    __slots__ = ()
    attribute = staticmethod(
        getattr_of_number
    )  # which a number of Python's has not by being traced
    made = staticmethod(note_made)
    operand = staticmethod(operand)
    remainder = staticmethod(remainder)
    shown = staticmethod(shown)

    def called(self, found) -> Any:
        """What is called in the place of a function, a class, a method or an object."""
        if not open_levels:
            return found
        look_up = _LOOK_UPS[type(found)]
        return found if look_up is None else look_up(found)

    def named(self, owner, name: str) -> Any:
        """The replacement for the method of this name."""
        if open_levels and issubclass(type(owner), _WITH_METHODS) and has_attribute(owner, name):
            return MethodType(_BY_NAME[name], owner)
        return self.called(getattr_of_number(owner, name))

    def held(self, found) -> Any:
        """The replacement for a value that is passed on; classes stay, as they are also dtypes."""
        if not open_levels or type(found) is np.ufunc or issubclass(type(found), type | ModuleType):
            return found
        return self.called(found)

    def take(self, *given) -> None:
        """Note at the levels of these arguments what the function compares."""
        if opened:
            looked_at.add(id(frame_above(1).f_code.co_consts[-2]))
        note_at_levels_of(given)

    def as_array(self, y) -> Any:
        """What ``__array__`` returns: where none of our functions has called it, an array of
        NumPy's, or the refusal of a traced one.
        """
        y, frame = read_now(y), frame_above(2)  # of the method
        if waited_for(frame.f_code) is not None:  # its own, in its first call
            frame = frame_above(3)
        return y if is_ours(frame) else np.asarray(y)

    def __reduce__(self) -> str:
        return "SEEN"


class SeenInScipy(Seen):
    """What SciPy's own code asks: its objects keep their own methods, which make them.

    It calls functions of SciPy's without a rule as other functions with their code (`InScipy`). So
    no function of SciPy's has another code, which the rest of a program would have to run as well.
    """

    __slots__ = ()

    def called(self, found) -> Any:
        """What is called in the place of a function, a class, a method or an object."""
        if not open_levels:
            return found
        memory = default_rules.memory  # that of now, lest a rule arrives meanwhile
        answers = memory.of_engines["chainrules_foreign_code"]
        known = answers.get(id(found))
        if known is not None and known[0] is found:
            return known[1]
        new = self.looked_up(found)
        if is_always_called_so(found):
            answers[id(found)] = found, new
            memory.asked |= asked_of(found, ("reverse", "batching"))
        return new

    def looked_up(self, found) -> Any:
        """What is called in the place of a callee that is met first, or may have another one now."""
        kind = type(found)
        if found is map:
            return on_each
        if kind is MethodType and type(found.__func__) is FunctionType:
            return MethodType(self.called(found.__func__), found.__self__)
        if kind is np.vectorize:
            new = super().called(found)
            new.pyfunc = self.called(found.pyfunc)
            return new
        if isinstance(found, type):
            lend_class(found)
        if kind not in (FunctionType, LruCache) or not is_of_scipy(found):
            return super().called(found)
        new = found if kind is LruCache else by_identity(found)
        return InScipy(found) if new is found else partial(unless_private, found, new)

    def __reduce__(self) -> str:
        return "SEEN_IN_SCIPY"


def is_of_scipy(found) -> bool:
    """Whether a function is one of SciPy's, by the module that it says."""
    return root_package(getattr(found, "__module__", None)) == "scipy"


def is_always_called_so(found) -> bool:
    """Whether a callee lives as long as its module, and what is called in its place does not depend
    on where that is.
    """
    kind = type(found)
    if kind is BuiltinFunctionType:
        return type(found.__self__) in _OWNERS and id(found) not in _MAKING
    if kind is type:
        return found in _CLASSES
    if kind is type(np.sum):
        return id(found) not in _MAKING
    return kind in (FunctionType, LruCache) and root_package(found.__module__) in _LASTING


_LASTING = sys.stdlib_module_names | {"scipy"}
_OWNERS = (type(None), ModuleType)  # of functions that are written in C
_CLASSES = frozenset({float, int, complex, bool, str, list, tuple, dict, set, type})


class InScipy:
    """A function of SciPy's without a rule, as SciPy's own code calls it."""

    __slots__ = ("__wrapped__", "twin")

    def __init__(self, function: Any) -> None:
        self.__wrapped__ = function
        self.twin: Any = None

    def __call__(self, /, *args, **options) -> Any:
        """Call the function itself where nothing is traced, and else another one with its code."""
        if all(map(is_certainly_plain, (*args, *options.values()))):
            y = self.__wrapped__(*args, **options)
            if type(y) is np.ndarray and y.base is None and is_held_once(y):  # nobody else has it
                is_buffer = self.__wrapped__.__name__ in CREATION
                y = to_be_written(y, frame_above(1), None, is_buffer)
            return y
        if self.twin is None:
            self.twin = twin_of(self.__wrapped__)
        return self.twin(*args, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)

    def __reduce__(self) -> Any:
        return InScipy, (self.__wrapped__,)


def is_certainly_plain(value) -> bool:
    """Whether a value holds no traced one and calls nothing, as its class says."""
    cls = type(value)
    if cls is np.ndarray:
        return value.dtype.kind != "O"
    if cls is tuple or cls is list:
        return all(map(is_certainly_plain, value))
    return cls in _PLAIN or issubclass(cls, np.dtype)


_PLAIN = frozenset(
    {*(bool, int, float, complex, str, type(None), type(...), slice, type, ModuleType)}
    | {np.bool_, np.int64, np.float32, np.float64, np.complex128, BuiltinFunctionType}
)


def twin_of(found: Any) -> Any:
    """Another function with the code of one of SciPy's that asks for its callees."""
    if type(found) is LruCache:
        return Cached(found, twin_of(found.__wrapped__))
    if found not in _twins:
        own = own_code(found)
        stays = is_for_engines(own) or module_of(found) in left_out
        _twins[found] = found if stays else function_of(found, code_for(found, own))
    return _twins[found]


_twins: WeakKeyDictionary[FunctionType, FunctionType] = WeakKeyDictionary()


def lend_class(cls: type) -> None:
    """Lend other codes to the methods of a class of SciPy's, once in a derivative."""
    for each in cls.__mro__:
        if each in looked_at or not is_of_scipy(each) or each.__module__ in left_out:
            continue
        looked_at.add(each)
        if each not in _classes:
            _classes[each] = SeenFile()
            see(_classes[each], functions_in([*vars(each).values()], each.__module__))
        lend(_classes[each].functions)


_classes: WeakKeyDictionary[type, SeenFile] = WeakKeyDictionary()


def on_each(function, *sequences) -> Any:
    """``map(f, ...)`` in SciPy's code."""
    return map(SEEN_IN_SCIPY.called(function), *sequences)


def unless_private(found, new, *args, **options) -> Any:
    """Call what stands for a function of SciPy's; with options of its own, SciPy's function."""
    is_private = any(name.startswith("_") for name in options)
    return (twin_of(found) if is_private else new)(*args, **options)


_WITH_METHODS = (TracedArray, np.ndarray, np.generic, np.ufunc)
SEEN, SEEN_IN_SCIPY = Seen(), SeenInScipy()
markers.update((Seen, SeenInScipy))


def see(
    file: SeenFile,
    functions: list[FunctionType],
    wait: bool = False,
    compiled: Function = compiled_by_numba,
) -> bool:
    """Note functions of a file with their other codes; return whether one was new.

    Those of packages `wait` for their first call, but for those that ask for their callers, of which
    waiting code would be one. What Numba compiles stays as it is, which reads the code, and so do
    methods for engines.
    """
    for gone in [each for each in [*file.functions] if each() is None]:
        file.functions.pop(gone, None)
    found = [
        each
        for each in functions
        if ref(each) not in file.functions and not is_for_engines(each.__code__)
    ]
    compiled_ones = compiled() if found else ()
    new = [each for each in found if id(each) not in compiled_ones]
    for each in new:
        if each not in codes_of:
            own = own_code(each)
            if wait and (_FRAMES.isdisjoint(own.co_names) or is_of_scipy_with_rule(each)):
                codes_of[each] = Codes(own, None, waiting_code(each, at_first_call))
            else:
                codes_of[each] = Codes(own, code_for(each, own))
        file.functions[ref(each)] = codes_of[each]
    if new:
        needed_by.clear()
    if open_levels:
        lend(file.functions)
    return bool(new)


# what gives a function its callers
_FRAMES = frozenset({"_getframe", "currentframe"})


def see_file_of(function: Function, refused: CodeType | None = None, is_held: bool = True) -> bool:
    """Let the functions of a function's file take traced values in derivatives; return whether some
    did not.

    The file is told by the global variables of its functions, as a notebook is. A function that only
    others hold is lent another code when such code calls it; all objects of the process are looked
    at where no other function has the code that was refused; the given one may be held by nobody.
    """
    written = written_function(function)
    if written is None:
        return False
    variables = written.__globals__
    with lending:
        file = files.setdefault(id(variables), SeenFile())
        found = [written] * is_held + functions_with(variables)
        if refused is not None:
            needed_by.clear()
            if all(own_code(each) is not refused for each in found):
                found += functions_with(variables, anywhere=True)
        is_new = see(file, found) or not file.is_own
        file.is_own, file.count = True, len(variables)  # last: an interrupt may come before
        # by another thread, it may be
        return is_new or any(codes.own is refused for codes in file.functions.values())


# functions that were marked, whose files are seen when a derivative calls them
marked: dict[ref[FunctionType], Codes] = {}


def mark(function: FunctionType) -> None:
    """Have the file of a function be seen from the first derivative on that calls it."""
    codes = Codes(own_code(function), None, waiting_code(function, at_marked_call))
    marked[ref(function, lambda gone: marked.pop(gone, None))] = codes
    if id(function.__globals__) not in files:
        needed_by.clear()
    if open_levels:
        lend({ref(function): codes})


def at_marked_call(function: FunctionType, args: Args, options: Options) -> FunctionType:
    """A function that was marked, whose file is seen from now on."""
    if open_levels:
        if function not in codes_of:
            see_file_of(function)
        note_at_levels_of((*args, *options.values(), *closure_values(function).values()))
        function.__code__ = own_code(function)
        lend_other_code(function)
    return function


def marks_alone() -> Batch:
    """The functions that were marked in files that are not seen."""
    return {each: codes for each, codes in marked.copy().items() if each() not in codes_of}


def see_module(variables: dict[str, Any], compiled: Function = compiled_by_numba) -> SeenFile:
    """The functions of a module of a package that is seen."""
    file = files.get(id(variables))
    if file is None or file.packages != len(packages):
        file = file or files.setdefault(id(variables), SeenFile())
        file.packages = len(packages)
        with collections_paused(all_stay=True):
            own = str(variables.get("__name__"))
            held = functions_in([*variables.copy().values()], own)
            found = [each for each in held if is_seen(module_of(each) or own)]
            see(file, found, wait=True, compiled=compiled)
    return file


def module_of(function: FunctionType) -> str:
    """The name of the module that a function is written in; empty where that is not known."""
    return str(function.__globals__.get("__name__") or "")


def lend_for(function: Any) -> None:
    """Lend codes as a level is opened for a function of the user's. What is needed in a derivative is
    lent by its first level, of inner ones the function that is differentiated. A derivative of another
    one opens a level for that.
    """
    kind = type(function)
    if kind in NUMPYS or hasattr(kind, "prints_as_call") or not (files or packages or marked):
        return
    written = function if kind is FunctionType else written_function(function)
    with lending:
        own = [serial for serial, thread in open_levels.copy().items() if thread == get_ident()]
        outermost = min(own)
        if outermost in looked_at:
            lend_to(written)
            return
        if not looked_at:
            lend_made(is_open=True)
        looked_at.add(None)
        needed = needed_by.get(id(written))
        if needed is not None and needed.times > 1:
            if needed.batch is None:
                needed.batch = batch_for(function, needed.looked_at)
            lend(needed.batch)
            looked_at.update(needed.looked_at)
        else:
            lend_all()
            lend_to(written)
            if written is not None:
                opened.append(needed_by.setdefault(id(written), Needed(written)))
        looked_at.add(outermost)  # last: whatever comes between may open levels, too


def lend_to(function: FunctionType | None, in_any_file: bool = False) -> None:
    """Lend codes to a function that is differentiated or called, a closure for instance, which no
    variable holds; None where that is not found among what this library has made of it.
    """
    if function is None or has_other_code(function):
        return
    look_at(function.__globals__.get("__name__"), function.__globals__)
    if in_any_file or id(function.__globals__) in files:
        lend_other_code(function)


def lend_all() -> None:
    """Lend codes to all functions that are seen; those of packages wait, and those that are marked."""
    lend(marks_alone())
    for key, file in files.copy().items():
        if not file.is_own:
            continue
        some = next(filter(None, map(call, [*file.functions])), None)
        if some is None:  # the variables are gone
            files.pop(key, None)
            continue
        lend(file.functions)
        if len(some.__globals__) != file.count:
            see_file_of(some)
        looked_at.add(key)
    lend_waiting()


def lend_waiting() -> None:
    """Lend codes that wait to all functions of what is seen: other modules of the same package hold
    those that decorators have made.
    """
    compiled, roots = cache(compiled_by_numba), set(map(root_package, packages))
    for name, module in sys.modules.copy().items() if packages else ():
        is_meant = is_seen(name) or (root_package(name) in roots and not is_left_out(name))
        is_module = issubclass(type(module), ModuleType)
        if is_meant and is_module and not is_half_imported(module):
            lend(see_module(vars(module), compiled).functions, waiting=True)


def batch_for(function: FunctionType, noted: set[Any]) -> Batch:
    """What is lent to differentiate a function once more: to functions of the user's files that have
    run before, that it leads to, or that may be found otherwise; and to modules of packages of which
    some function has run.
    """
    near = reached([function], held_or_named_by, _MOST)
    leads_to = set(map(id, near)) if len(near) <= _MOST else None
    found: dict[ref[FunctionType], Codes] = {}
    written = written_function(function)
    if written in codes_of:
        found[ref(written)] = codes_of[written]
    for each in noted:  # classes of SciPy's
        found |= _classes[each].functions if each in _classes else {}
    users = marks_alone()
    for key, file in files.copy().items():
        functions = file.functions.copy()
        have_run = {each: codes for each, codes in functions.items() if codes.has_run(noted)}
        # not of modules that only hold what has run elsewhere
        is_home = any(id(getattr(each(), "__globals__", None)) == key for each in have_run)
        found |= functions if is_home and file.packages else have_run
        users |= functions if file.is_own else {}
    found |= {
        each: codes
        for each, codes in users.items()
        if leads_to is None or id(each()) in leads_to or is_always_lent(codes.own)
    }
    return found


def is_always_lent(code: CodeType) -> bool:
    """Whether the code is a method's, which operators call, say, or one that nothing refuses: it may
    be found by a computed name, and be called by what asks for nothing.
    """
    return "." in code.co_qualname or asks_what_a_value_is(code) or may_search(code)


_MOST = 500  # functions and what holds them, beyond which all of a file are lent


def at_first_call(function: FunctionType, args: Args, options: Options) -> Any:
    """Lend a waiting function of a package its other code, at its first call.

    One of SciPy's with a rule goes on waiting: our function is called in its place for traced
    values, and for others, and by our function itself, another one with its code.
    """
    own = own_code(function)
    codes = codes_of.get(function)
    if codes is None:  # it is no longer one of its file, which has another code for it
        return twin_of(function)
    if open_levels:
        looked_at.add(id(own))
    if not is_of_scipy_with_rule(function):
        if open_levels:
            function.__code__ = own
            lend_other_code(function)
        return function
    is_method = bool(args) and getattr(type(args[0]), function.__name__, None) is function
    given = (*closed(args[is_method:]), *closed(options).values())
    is_private = any(name.startswith("_") for name in options)  # SciPy's own calls of itself
    is_others = not is_private and not is_ours(frame_above(3))
    if open_levels and is_others and innermost(given) is not None:
        new = by_identity(function)
        return new if function in default_rules else partial(call_by_name, new, function)
    return twin_of(function)


def call_by_name(new: Function, function: FunctionType, *args, **options) -> Any:
    """Call what stands for a function, which may take its options by name alone.

    What has its default is left out, since it may not have been written.
    """
    count, defaults = function.__code__.co_argcount, function.__defaults__ or ()
    if len(args) > count:  # of a variable number
        return new(*args, **options)
    names, first = function.__code__.co_varnames[:count], count - len(defaults)
    given = dict(zip(names, args, strict=True))
    written = [
        name
        for name, default in zip(names[first:], defaults, strict=True)
        if given[name] is not default
    ]
    return new(*args[:first], **{name: given[name] for name in written}, **options)


def is_of_scipy_with_rule(function: FunctionType) -> bool:
    """Whether our function replaces one of NumPy's or SciPy's."""
    if root_package(function.__module__) not in ROOTS:
        return False
    return function in default_rules or by_identity(function) is not function


def code_for(function: FunctionType, code: CodeType) -> CodeType:
    """The code of a function that asks for its callees: that of its source, where the code is of
    that, and else its own with other calls (`replaced_calls`).
    """
    is_rewritten = any(name.startswith("@py_") for name in code.co_varnames)  # by pytest
    key = code.co_filename, code.co_flags & FUTURE, is_rewritten
    lines, known = codes.get(key, (None, {}))
    if code not in known:
        linecache.checkcache(code.co_filename)
        now = linecache.getlines(code.co_filename, function.__globals__)
        if now != lines:  # a file that is looked at first, or was written since
            known = exchanged_codes("".join(now), *key, function.__globals__, seen_by(function))
            codes[key] = now, known
    if code in known:
        return known[code]
    new = with_calls(code, calls_without_source(function.__globals__))
    new = other_code(new, code, seen_by(function), (), {})
    if function.__code__ is code and may_search(code):
        return waiting_code(function, partial(taking, new))
    return new


def taking(code: CodeType, function: FunctionType, args: Args, options: Options) -> FunctionType:
    """The replacement for a function without a source that may search: its decisions are noted."""
    looked_at.add(id(own_code(function)))
    note_at_levels_of((*args, *options.values()))
    return function_of(function, code)


def function_of(function: FunctionType, code: CodeType) -> FunctionType:
    """Copy a function, with another code."""
    parts = function.__name__, function.__defaults__, function.__closure__
    made = FunctionType(code, function.__globals__, *parts)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def seen_by(function: FunctionType) -> Seen:
    """The `Seen` object that the code of a function asks."""
    return SEEN_IN_SCIPY if root_package(module_of(function)) == "scipy" else SEEN


def calls_without_source(variables: dict[str, Any]) -> Calls:
    """The calls that are replaced in code without a source: of functions by their global names, of
    methods, and of modules that stand for others.
    """
    held = list(variables.copy().items())
    called = [name for name, found in held if callable(found)]
    functions = {name: CalledByName(name) for name in (*called, *_BUILTINS)}
    pairs = [(name, found, instead_of_value(found)) for name, found in held]
    values = {name: new for name, found, new in pairs if new is not found}
    return Calls(functions.get, method_of_any, values.get)


def instead_of_value(found) -> Any:
    """What code without a source has in the place of a value: of NumPy's modules, say, one that asks."""
    is_module = type(found) is ModuleType and root_package(found.__name__) in _ASKED
    return AskingModule(found) if is_module else replacement(found)


class AskingModule:
    """A module, for which what takes traced values is asked."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        return instead_of_value(found) if type(found) is ModuleType else SEEN.held(found)


_ASKED = ROOTS.union(("math", "cmath"))
_BUILTINS = [found.__name__ for found in BUILTINS]


def method_of_any(name: str) -> Function:
    """The replacement for a method of this name, or for a function of a module."""
    return METHODS.get(name) or partial(call_seen, name)


def call_seen(name: str, owner, /, *args, **options) -> Any:
    """Call the replacement for a method of an object."""
    return SEEN.called(getattr_of_number(owner, name))(*args, **options)


class CalledByName:
    """A function of a file without a source, or one of Python's, which may be defined anew."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, /, *args, **options) -> Any:
        """Call what the name means now, where it is called."""
        frame = frame_above(1)
        found = frame.f_globals.get(self.name, _ABSENT)
        found = frame.f_builtins[self.name] if found is _ABSENT else found
        return SEEN.called(found)(*args, **options)


_ABSENT = object()


def of_python(found: FunctionType) -> Any:
    """A function that is written in Python: of the file itself, or of a package."""
    if known_for(found) is None and not has_other_code(found):
        is_numpys = root_package(module_of(found)) in ROOTS
        if is_numpys and (new := by_identity(found)) is not found:
            return new
        lend_to(found, is_written_at_run_time(found))
    return found if has_other_code(found) else by_identity(found)


def known_for(found) -> Any:
    """What is called for a function or a class, if that is known."""
    known = _KNOWN.get(id(found))
    return known[1] if known is not None and known[0] is found else None


def is_written_at_run_time(function: Any) -> bool:
    """Whether something is a function that a program wrote by `exec`, as attrs does."""
    return type(function) is FunctionType and function.__code__.co_filename[:1] == "<"


def lend_other_code(found: FunctionType) -> None:
    """Lend another code to a function that was found when it was called: a closure, say."""
    own = found.__code__
    if has_other_code(found) or is_for_engines(own):
        return
    codes = codes_of.get(found)
    if codes is None or codes.own is not own:
        forget(found)
        codes = codes_of[found] = Codes(own, None)
    codes.other = codes.other or code_for(found, own)
    lend({ref(found): codes})


def see_packages(names: Iterable[str]) -> None:
    """Have the functions of packages take traced values from now on, in derivatives."""
    new = dict.fromkeys(names)
    is_new = not packages.keys() >= new.keys()
    packages.update(new)
    if is_new:
        needed_by.clear()
        # who is in a derivative just now looks again
        looked_at.intersection_update({None, *open_levels.copy()})
        with lending:
            if open_levels:
                lend_waiting()


def look_at(name: Any, variables: dict[str, Any] | None = None) -> None:
    """Lend other codes to the functions of a module, if it is seen, once in a derivative."""
    key = name if variables is None else id(variables)
    if key in looked_at:
        return
    looked_at.add(key)
    if f"{name}.".startswith(f"{OF_NUMPY}."):
        see_packages([OF_NUMPY])
    module = sys.modules.get(name)
    variables = vars(module) if variables is None and type(module) is ModuleType else variables
    if variables is None:
        return
    if is_seen(str(name)):
        lend(see_module(variables).functions)
    elif id(variables) in files:
        lend(files[id(variables)].functions)


def look_at_class(cls: type) -> None:
    """Lend other codes to the modules of a class and those that it is derived from."""
    if id(cls) not in looked_at:
        looked_at.add(id(cls))
        for each in cls.__mro__:
            look_at(each.__module__)
            for method in filter(is_written_at_run_time, [*vars(each).values()]):
                lend_other_code(method)
        if is_of_scipy(cls) and by_identity(cls) is cls:
            lend_class(cls)


def by_identity(found) -> Any:
    """The replacement for a function or class of a module, found by identity."""
    new = known_for(found)
    if new is None:
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
        _KNOWN[id(found)] = found, new
    is_kept = id(found) in _MAKING and (keeping.get() or not differentiates_here())
    return found if is_kept else new


def of_class(found: type) -> Any:
    """A class: a conversion, one of NumPy's or SciPy's that has another in its place, or itself."""
    if (new := known_for(found)) is not None:
        return new
    look_at_class(found)
    name = str(found.__module__)
    if name in _OF_LIBRARIES or name.startswith(("numpy", "scipy")):
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
        return getattr(new, found.__name__, found) if isinstance(new, type) else found
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
    """A `functools.partial` of the replacement for its function."""
    function = SEEN.called(found.func)
    if function is found.func or type(found) is not partial:
        return found
    return partial(function, *found.args, **found.keywords)


def of_cached(found) -> Any:
    """The replacement for a function with a cache, which cannot take traced values."""
    function = found.__wrapped__
    SEEN.called(function)
    is_of_python = type(function) is FunctionType
    return cached(found) if is_of_python and has_other_code(function) else found


def of_vectorized(found: np.vectorize) -> Any:
    """A vectorized function, whose calls are traced one by one."""
    SEEN.called(found.pyfunc)
    return replacement(found)


def of_object(found) -> Any:
    """The replacement for an object that is called, such as a spline that was made before."""
    look_at_class(type(found))
    return replacement(found)


def of_numba(found) -> Any:
    """A function that Numba compiles: for traced values, the one that it was given."""
    new = known_for(found)
    if new is None:
        dispatcher, new = dispatcher_of(found), found
        if dispatcher is not None:
            plain = dispatcher.py_func
            code = code_for(plain, plain.__code__)
            new = alternative_of_compiled(found, function_of(plain, code))
        _KNOWN[id(found)] = found, new
    return new


class LookUps(dict[type, Callable[[Any], Any] | None]):
    """The functions that find replacements, by the class of the object."""

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
at_opening.append(lend_for)
