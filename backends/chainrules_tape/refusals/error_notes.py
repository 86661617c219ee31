"""Notes on errors of traced functions: that a value is traced, and in whose code it was.

Errors of the user's own are left as they are. A note is added where the message names a handle
(``unhashable type: 'TapeArray'``) or a handle raised it, and where the line is in a package that
somebody else wrote.
"""

import inspect
import os
import sys
from itertools import pairwise
from traceback import walk_tb
from types import CodeType, FrameType, FunctionType
from typing import Any

import numpy as np

from chainrules_py.errors import BatchingError, ChainRulesError, said_by
from chainrules_py.introspection import called_names, callers, line_of, module_name
from chainrules_py.rulesets.without_rules import reason_of
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.shipped import BACKENDS
from chainrules_tape.refusals.advice import (
    COMPILED,
    CONSTANT_MEANT,
    CONVERSIONS,
    ITERATE,
    OF_NUMBERS,
    for_lanes,
)
from chainrules_tape.refusals.bypassed_rules import note_bypassed_rules
from chainrules_tape.refusals.code_owners import is_installed
from chainrules_tape.refusals.errors import (
    InPlaceError,
    LostGradientError,
    Refusal,
    note_refusal,
)
from chainrules_tape.refusals.handles import is_in_lanes, names_a_handle
from chainrules_tape.refusals.instrumented_packages import (
    IN_SCIPY,
    MADE_INSIDE,
    instead_of_buffer,
    is_exchanged,
    is_seen,
)
from chainrules_tape.refusals.interrupts import raise_interrupt
from chainrules_tape.refusals.lost_gradients import TO_NUMBERS, module_with_stand_in
from chainrules_tape.refusals.names_elsewhere import instead_of_attribute
from chainrules_tape.refusals.other_libraries import LIBRARIES, from_stand_in
from chainrules_tape.refusals.unseen import Unseen

_TRACED = (
    "A value is traced here: a handle (TapeArray, DualArray or its like) stands for an array or a"
    " number. Use NumPy's operations, or take the plain value with"
    f" chainrules_tape.stop_gradient(x), if a constant is meant; {COMPILED}"
)
_INSTEAD = (
    "which is not written for traced values: {scope}call it in a function of your own marked with"
    " @primitive, and write its rule"
)
_SCOPE = (
    'differentiate it in the scope chainrules_tape.seen_through("{package}"), in which its objects are'
    " made, too, or "
)
_OWN_FILE = (
    "Or leave {file} as it is: write chainrules_tape.seen_through({name}) in the place of {name}, or"
    f" @seen_through above it; {COMPILED}"
)
_OWN_MODULE = (
    'Or leave {file} as it is: differentiate in the scope chainrules_tape.seen_through("{module}")'
)
_HELD = (
    "It was raised in SciPy's own function, which code that is not seen through called: {instead}"
)
# What NumPy says of a traced value or a buffer in an iterator or in compiled code, and of a traced
# value that it was to write.
_ITERATION = "cannot be written back to via WRITEBACKIFCOPY"
_READ_ONLY = "WRITEBACKIFCOPY base is read-only"
_NOT_WRITTEN = ("setting an array element with a sequence", "Error setting single item of array")
# What JAX says of a traced value in one of its functions.
_NOT_OF_JAX = "is not a valid JAX type"
_FROM_JAX = (
    "JAX's functions take no value that is traced here: write NumPy's instead, or convert your"
    " function that calls them, f = chainrules_jax.from_jax(f), and pass all traced values as"
    " arguments"
)
_INTO_SERIES = (
    "If that is s += x for a Series of pandas, which holds plain numbers only: write s = s + x"
)
# What SciPy's compiled splines say of one.
_NOT_CONTIGUOUS = "C contiguous array  of dtype"
# What NumPy says of an object that gives it a traced value.
_NO_ARRAY = "object __array__ method not producing an array"
_OF_OBJECT = (
    "If an object's __array__ gave a traced value, which NumPy does not take: pass the array"
    " itself, or numpy.asarray(object) in code that chainrules_tape.seen_through marks"
)
# What Python says of a number that calls itself a float and is none.
_NO_JSON = "Object of type float is not JSON serializable"
# What is said of a text that is no number: first with that text, then without it.
_READ_BACK = (
    *("could not convert string", "invalid literal for int()", "Invalid literal for Fraction"),
    "name ",
)
_NO_NUMBER = (
    *("complex() arg is a malformed string", "malformed node or string", "ConversionSyntax"),
    "string or file could not be read to its end",
)
_CONVERT = (
    "convert the number itself, or make the text of chainrules_tape.stop_gradient(x), if a constant is"
    " meant"
)
_OF_TEXT = f"If that was the text of a traced number, as str(x) is: {_CONVERT}"
# What a traced value answers to code that is seen through.
_IN_A_SCOPE = TO_NUMBERS | {"x.item()", "x.tolist()", *(said for said, _ in OF_NUMBERS.values())}
# Packages that are not to be blamed for what a user's line asks.
_OF_NUMPY = frozenset({"numpy", "numba"})
# Modules of Python's own that compute: the scope helps there, and not where values are written out
# as text or bytes.
_COMPUTING = frozenset({"bisect", "cmath", "colorsys", "heapq", "math", "random", "statistics"})
# Libraries with arrays of their own, whose code runs on these and on no others.
_WITH_ARRAYS = BACKENDS.keys() - {"numpy", "scipy"}


def explain_error(level, error: Exception, function, args) -> None:
    """Add to an error what tracing has to do with it, or raise the refusal that it came of."""
    if came_of_refusal(level, error):
        refused = level.refused
        operation = refused.operation
        got = "a traced value would become a plain one, without its derivative"
        instead = refused.instead
        if said_by(error).startswith(_NOT_WRITTEN) and "chainrules_tape" not in instead:
            instead = instead_of_buffer(CONVERSIONS["__array__"][1], innermost_frame(error))
        lost = LostGradientError(operation, got, instead, operation=operation, value=None)
        note_held_function(lost, error)
        note_own_file(lost, error, function)
        raise lost from error

    raise_interrupt(error)
    note_advice(error)
    if type(error) is LostGradientError:
        advise_array(error, args)
    note_refusal(level, error)
    if type(error) in (TypeError, AttributeError, ValueError, NameError, LostGradientError):
        refusal = refusal_meant_by(level, error)
        if refusal is not None:
            note_held_function(refusal, error)
            raise refusal.with_traceback(error.__traceback__) from None
    note_code(level, error, function)
    note_own_file(error, error, function)
    # after a refusal that was caught, or raised in another thread, lines may fail that would not
    if level.refused is not None and not isinstance(error, ChainRulesError):
        unseen = unseen_of(level.refused)
        if unseen is not None:
            is_caught = not isinstance(error.__cause__ or error.__context__, ChainRulesError)
            error.__dict__.setdefault("unseen", unseen._replace(is_caught=is_caught))
    if type(error) is ValueError and type(error.__cause__) is InPlaceError:
        # "setting an array element with a sequence": with the traceback of that, which has the
        # user's line
        for note in getattr(error, "__notes__", ())[1:]:
            add_note_once(error.__cause__, note)
        unseen = error.__dict__.get("unseen")
        if unseen is not None:
            said = unseen._replace(operation=said_of(error.__cause__))
            error.__cause__.__dict__["unseen"] = said
        note_own_file(error.__cause__, error, function)
        raise error.__cause__.with_traceback(error.__traceback__) from None


def unseen_of(refused: Refusal) -> Unseen | None:
    """The code that asked for a conversion which was refused, where a scope answers that; for a
    program that has caught the error.
    """
    code, variables = refused.code, refused.variables
    module = str(variables.get("__name__"))
    package, place = module.partition(".")[0], (refused.filename, refused.line)
    if package.startswith("chainrules_") or package in _OF_NUMPY or is_exchanged(code):
        return None
    if not is_answered(refused.operation, refused.instead):
        return None
    if is_seen(module) or not is_installed(refused.filename):
        return Unseen(refused.operation, place, None, code, variables)
    return Unseen(refused.operation, place, package) if is_advised_on(package) else None


def advise_array(error: LostGradientError, args) -> None:
    """Say first of a conversion to an array that an argument is a list of numbers, if one is."""
    lists = [arg for arg in args if type(arg) in (list, tuple)]
    numbers = [arg for arg in lists if arg and all(isinstance(x, float | complex) for x in arg)]
    if numbers and error.advice_comes_first:
        kind = type(numbers[0]).__name__
        error.instead = (
            f"pass an array, x = numpy.array(x), where a {kind} is passed; or {error.instead}"
        )


def note_advice(error: Exception) -> None:
    """Say with an error what to write in the place of an iterator, of a function of JAX's, of an
    object beside arrays, or of a write into a Series of pandas.
    """
    if isinstance(error, AttributeError) and error.obj is NotImplemented:
        add_note_once(error, _INTO_SERIES)
    if (
        type(error) is TypeError
        and _NOT_OF_JAX in said_by(error)
        and names_a_handle(said_by(error))
    ):
        add_note_once(error, _FROM_JAX)
    if type(error) is ValueError and _NO_ARRAY in said_by(error):
        add_note_once(error, _OF_OBJECT)
    if any(said in said_by(error) for said in _NO_NUMBER):
        add_note_once(error, _OF_TEXT)
    if type(error) is TypeError and _ITERATION in said_by(error):
        add_note_once(error, f"If that is an array of chainrules_tape.numpy's, {ITERATE}")


def note_code(level, error: Exception, function) -> None:
    """Say with an error that came of tracing in whose code it was raised."""
    place = foreign_place(error)
    is_our_error = isinstance(error, ChainRulesError)
    is_foreign_error = not is_our_error and is_about_handles(error, place)
    if not is_foreign_error and not is_our_error and level.refused is None:
        return
    note_bypassed_rules(level.engine.table, error)
    note_held_function(error, error)
    if is_foreign_error:
        note = instead_of_attribute(error) if isinstance(error, AttributeError) else None
        note = note or _TRACED
        add_note_once(error, for_lanes(note) if is_in_lanes(level) else note)
    is_own = is_of_own_file(error) or is_in_file_of(function, error)
    if place is not None and not is_own and IN_SCIPY not in said_by(error):
        package = place.partition(" of ")[2].partition(" ")[0].partition(".")[0]
        add_note_once(error, f"It was raised by {place}, {advice_on(package)}")
        if is_advised_on(package):
            error.__dict__.setdefault(
                "unseen", Unseen(said_of(error), innermost_users_line(error), package)
            )


def note_own_file(said: Exception, error: Exception, function) -> None:
    """Say with a refusal in the user's own code how that is differentiated as it stands.

    =====================  =========================  =============================
    a refusal              is answered for            and has a note
    =====================  =========================  =============================
    that advises on SciPy  the package                no
    by lanes               code that scopes exchange  no
    that a scope answers   code that scopes exchange  on the file, or on the module
    =====================  =========================  =============================
    """
    of_scipy = isinstance(said, LostGradientError) and IN_SCIPY in said.instead
    in_lanes = isinstance(said, BatchingError) and said.__dict__.get("operation") in _IN_A_SCOPE
    is_known = getattr(said.__dict__.get("unseen"), "code", None) is not None
    # by code that is not seen, and handed to some that is
    is_made_elsewhere = isinstance(said, InPlaceError) and MADE_INSIDE in said.instead
    is_answered_here = of_scipy or in_lanes or is_answered_in_a_scope(said)
    if is_known or not (is_answered_here or is_made_elsewhere):
        return

    frame = innermost_frame(error, not_yet=is_made_elsewhere)
    written: Any = inspect.unwrap(function) if callable(function) else None
    called = ""
    if frame is not None:
        code, variables, line = frame.f_code, frame.f_globals, frame.f_lineno
        called = next(iter(called_names(frame)), "")
    elif isinstance(written, FunctionType):  # C may raise without its frames
        code, variables = written.__code__, written.__globals__
        line = code.co_firstlineno
    else:
        return
    module = str(variables.get("__name__"))
    if not (of_scipy or is_open_to_scopes(code, module)):
        return

    operation = said.__dict__["operation"] if in_lanes else said_of(said)
    if called and not operation.startswith("x."):
        operation = f"{called}(x)"
    package = "scipy" if of_scipy else None
    place = code.co_filename, line
    said.__dict__["unseen"] = Unseen(operation, place, package, code, variables)
    if of_scipy or in_lanes:
        return
    file = os.path.basename(code.co_filename)
    if getattr(written, "__globals__", None) is variables:
        name = written.__name__ if written.__name__.isidentifier() else "f"
        add_note_once(said, _OWN_FILE.format(file=file, name=name))
    elif module in sys.modules:
        add_note_once(said, _OWN_MODULE.format(file=file, module=module))


def is_open_to_scopes(code: CodeType, module: str) -> bool:
    """Whether code is the user's, or of a package that is seen through, and is not exchanged yet."""
    if module.startswith("chainrules_") or is_exchanged(code):
        return False
    return is_seen(module) or not is_installed(code.co_filename)


def is_in_file_of(function, error: Exception) -> bool:
    """Whether an error was raised in the file of the function that is differentiated, not in a
    package.
    """
    frame = innermost_frame(error)
    written = inspect.unwrap(function) if callable(function) else None
    if frame is None or is_installed(frame.f_code.co_filename):
        return False
    return getattr(written, "__globals__", None) is frame.f_globals


def is_of_own_file(error: Exception) -> bool:
    """Whether a refusal is one of which `note_own_file` says what to do."""
    frame = innermost_frame(error)
    return frame is not None and not is_foreign(frame) and is_answered_in_a_scope(error)


def is_answered_in_a_scope(error: Exception) -> bool:
    """Whether an error is the refusal of what code may do that is seen through."""
    if not isinstance(error, LostGradientError | InPlaceError):
        return False
    if IN_SCIPY in error.instead:
        return False
    return is_answered(error.where, error.instead)


def is_answered(operation: str, instead: str) -> bool:
    """Whether a scope answers an operation that was refused, with what to write instead."""
    advice = instead.replace("chainrules_tape.stop_gradient", "")
    return operation in _IN_A_SCOPE or "chainrules_tape." in advice


def innermost_frame(error: Exception, not_yet: bool = False) -> FrameType | None:
    """The innermost frame that is neither ours, nor NumPy's, nor SciPy's, nor of text that a package
    wrote; `not_yet` of code that is seen through.
    """
    others = [
        frame
        for frame in frames_of(error)
        if not is_generated(frame)
        and not is_ours_or_numpys(frame)
        and package_of_frame(frame) != "scipy"
        and not (not_yet and is_exchanged(frame.f_code))
    ]
    return others[-1] if others else None


def frames_of(error: Exception) -> list[FrameType]:
    """The frames that an error came through, the innermost last."""
    return [frame for frame, _ in walk_tb(error.__traceback__)]


def note_held_function(said: Exception, error: Exception) -> None:
    """Say what to write instead of a function of SciPy's that was called by code which is not seen
    through, with traced values.
    """
    for caller, frame in pairwise(frames_of(error)):
        module = module_of(caller)
        if package_of_frame(frame) != "scipy" or not is_seen(module_of(frame)) or is_seen(module):
            continue
        held = module_with_stand_in([frame])
        if held is None or is_ours_or_numpys(caller) or is_exchanged(caller.f_code):
            return
        add_note_once(said, _HELD.format(instead=from_stand_in(held)))
        if not is_installed(caller.f_code.co_filename):
            unseen = Unseen(said_of(said), line_of(caller), None, caller.f_code, caller.f_globals)
            said.__dict__.setdefault("unseen", unseen)
        return


def came_of_refusal(level, error: Exception) -> bool:
    """Whether an error came of a plain number that was refused to C code, in a call of SciPy's or
    NumPy's own code.

    That says something else on the line where it was refused, or goes on in spite of it: then
    Python finds an error that is still set, or operations fail in a further call from that line.
    """
    if level.refused is None or isinstance(error, ChainRulesError):
        return False
    if isinstance(error, SystemError):
        return isinstance(error.__cause__, LostGradientError)
    is_of_scipy = package_of_frame(frames_of(error)[-1]) == "scipy"
    if isinstance(error.__context__, LostGradientError) and is_of_scipy:
        return True
    place = level.refused.filename, level.refused.line
    is_written = (
        said_by(error).startswith(_NOT_WRITTEN) and type(error.__cause__) is not InPlaceError
    )
    return any(
        (is_written or package_of_frame(frame) in ("numpy", "scipy"))
        and (frame.f_code.co_filename, line) == place
        for frame, line in walk_tb(error.__traceback__)
    )


def refusal_meant_by(level, error: Exception) -> LostGradientError | None:
    """The refusal to raise where compiled code says neither what was refused nor why.

    That is of SciPy's own, and of NumPy's iterators.
    """
    text = said_by(error)
    # From Python 3.12 on, Cython and NumPy ask the handle itself.
    asks_handle = text.startswith("x.__buffer__()")
    is_handed_over = names_a_handle(text) or asks_handle or _NOT_CONTIGUOUS in text
    if is_handed_over and is_refused_in_scipy(error):
        function = function_of_scipy(error)
        parts = qualified_name(function).split(".")
        name = ".".join(part for part in parts if not part.startswith("_"))
        said = "x.__buffer__()" if asks_handle else text
        got = f"a traced value in SciPy's own code, which takes plain ones there ({said})"
        module, _, attribute = name.rpartition(".")
        reason = reason_of("no rule yet", module, attribute) or LIBRARIES["scipy"].instead
        instead = f"{reason}; {CONSTANT_MEANT}"
        return LostGradientError(name, got, instead, operation=function, value=None)
    if text == _NO_JSON:
        got = "a traced number, of which Python says that it is a float"
        instead = "write chainrules_tape.stop_gradient(x) there, whose digits are constants"
        return LostGradientError("json.dumps(x)", got, instead, operation=str, value=None)
    is_value = type(error) in (ValueError, NameError) and text.startswith(_READ_BACK)
    if is_value and names_a_handle(text):
        got = f"the text of a traced number is read back ({text})"
        return LostGradientError("float(text)", got, _CONVERT, operation=str, value=None)
    if level.refused is not None and _ITERATION in text:
        got = "a traced value, whose entries would become plain ones, without their derivative"
        return LostGradientError("numpy.nditer", got, ITERATE, operation=np.nditer, value=None)
    return None


def is_refused_in_scipy(error: Exception) -> bool:
    """Whether SciPy's own code asked a traced value for what it has not, or handed it to compiled
    code that raised.
    """
    frames = frames_of(error)
    if not isinstance(error, AttributeError):
        frames = [frame for frame in frames if not is_ours_or_numpys(frame)]
    while frames and package_of_frame(frames[-1]) == "chainrules_foreign_code":  # which asks for it
        frames.pop()
    return bool(frames) and package_of_frame(frames[-1]) == "scipy"


def function_of_scipy(error: Exception) -> Any:
    """The function or class of SciPy's that was called last by code that is not SciPy's, when it
    raised; SciPy itself where its module has none of that name.
    """
    frames = [frame for frame in frames_of(error) if not is_ours_or_numpys(frame)]
    names = [(module_of(frame), name_in_module(frame.f_code)) for frame in frames]
    others = [k for k, (module, _) in enumerate(names) if module.partition(".")[0] != "scipy"]
    inside = names[others[-1] + 1 if others else 0 :]
    found = [getattr(sys.modules[module], name, None) for module, name in inside]
    return next(filter(callable, found), sys.modules["scipy"])


def name_in_module(code: CodeType) -> str:
    """The name of a function, of the class whose method it is, or of what a wrapper is named."""
    return code.co_name if "<locals>" in code.co_qualname else code.co_qualname.partition(".")[0]


def add_note_once(error: Exception, note: str) -> None:
    """Add a note, unless an inner derivative has added it."""
    if note not in error.__dict__.get("__notes__", ()):
        error.add_note(note)


def is_about_handles(error: Exception, place: str | None) -> bool:
    """Whether an error comes of a handle where something else was expected.

    Its message names the class of a handle; or it is about a type or an attribute, and was raised
    by a handle or at `place`, in an installed package.
    """
    if names_a_handle(said_by(error)) or _READ_ONLY in said_by(error):
        return True
    if not isinstance(error, TypeError | AttributeError):
        return False
    last = module_name(frames_of(error)[-1])
    return place is not None or last == "chainrules_tape.arrays.behaviour"


def foreign_place(error: Exception) -> str | None:
    """Function, module and line of the innermost frame outside this library and NumPy.

    None unless that is in foreign code. For a package that called SciPy, it is the package's frame.
    """
    frames = [
        (frame, line)
        for frame, line in walk_tb(error.__traceback__)
        if not is_ours_or_numpys(frame) and not is_generated(frame)
    ]
    if not frames or not is_foreign(frames[-1][0]):
        return None

    frame, line = frames[-1]
    others = [found for found in frames if package_of_frame(found[0]) != "scipy"]
    if others and is_foreign(others[-1][0]):
        frame, line = others[-1]
    return f"{frame.f_code.co_qualname} of {module_of(frame)} ({frame.f_code.co_filename}:{line})"


def advice_on(package: str) -> str:
    """Say what to write instead of code of a package that takes no traced values."""
    if package in sys.stdlib_module_names and package not in _COMPUTING:
        return (
            "which takes plain values: give it chainrules_tape.stop_gradient(x), if a constant is"
            " meant"
        )
    return _INSTEAD.format(scope=_SCOPE.format(package=package) if is_advised_on(package) else "")


def is_advised_on(package: str) -> bool:
    """Whether a scope may help in a package, and is not there yet."""
    return not is_seen(package) and may_be_seen(package)


def innermost_users_line(error: Exception) -> tuple[str, int]:
    """The innermost line of the user's own, on the way to an error or where the derivative is."""
    frames = [*reversed(frames_of(error)), *callers(0)]
    own = [frame for frame in frames if not is_ours_or_numpys(frame) and not is_foreign(frame)]
    return line_of((own or frames)[0])


def said_of(error: Exception) -> str:
    """What was refused: the operation, or what somebody else's error says of a traced value."""
    return error.where if isinstance(error, ChainRulesError) else type(error).__name__


def may_be_seen(package: str) -> bool:
    """Whether a scope may change something in a package: not in ours, nor where others compute."""
    if package in sys.stdlib_module_names:
        return package in _COMPUTING
    return not package.startswith("chainrules_") and package not in _WITH_ARRAYS


def package_of_frame(frame: FrameType) -> str:
    """The name of the package whose code a frame runs."""
    return module_of(frame).partition(".")[0]


def module_of(frame: FrameType) -> str:
    """The name of the module whose code a frame runs.

    For a file that a package runs without importing it, the name of the package.
    """
    if frame.f_globals.get("__name__") is not None:
        return module_name(frame)
    filename = frame.f_code.co_filename
    for name, module in sys.modules.copy().items():
        paths = getattr(module, "__path__", ()) if "." not in name else ()
        if any(filename.startswith(os.path.join(path, "")) for path in paths):
            return name
    return ""


def is_ours_or_numpys(frame: FrameType) -> bool:
    """Whether a frame runs code of this library, one of its backends, or NumPy."""
    package = package_of_frame(frame)
    return package in _OF_NUMPY or package.startswith("chainrules_")


def is_generated(frame: FrameType) -> bool:
    """Whether a frame runs text that a program wrote, as SymPy's `lambdify` does: it is in no file,
    and its variables are those of no module.
    """
    is_in_file = not frame.f_code.co_filename.startswith("<")
    return not is_in_file and frame.f_globals.get("__name__") in (None, "builtins")


def is_foreign(frame: FrameType) -> bool:
    """Whether a frame runs code of an installed package, or of one that is seen through."""
    return is_installed(frame.f_code.co_filename) or is_seen(module_of(frame))
