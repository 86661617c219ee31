"""Explanations of conversions that would lose a gradient: who asked, and what to write instead.

That depends on the code between the user's line and the traced value: a function of NumPy's without
a rule, a package that cannot be intercepted, or an assignment to entries of a plain array.
"""

import os
import sys
from collections.abc import Iterator
from threading import current_thread, main_thread
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from chainrules_py.introspection import (
    first_variable,
    frame_outside,
    frames_inside,
    is_storing_entries,
    module_name,
    package_name,
    variables_of_frame,
)
from chainrules_py.rulesets.without_rules import reason_of
from chainrules_py.table.registry import default_rules
from chainrules_py.values.identity import home_module, qualified_name
from chainrules_tape.refusals.advice import (
    CONSTANT_MEANT,
    CONVERSIONS,
    DECISION,
    ITERATE,
    for_lanes,
)
from chainrules_tape.refusals.code_owners import calling_frame
from chainrules_tape.refusals.handles import is_in_lanes, is_over_lanes
from chainrules_tape.refusals.instrumented_packages import (
    instead_of_buffer,
    is_seen,
    or_in_scipy,
)
from chainrules_tape.refusals.other_libraries import ADVISED, BETWEEN, LIBRARIES, from_stand_in

_TO_ARRAY = CONVERSIONS["__array__"][0]
_TO_INDEX = CONVERSIONS["__index__"][0]
TO_NUMBERS = frozenset({CONVERSIONS[name][0] for name in ("__float__", "__int__", "__complex__")})
_STORED = TO_NUMBERS | {_TO_ARRAY, DECISION}
STORE = "y[index] = x"
_STORED_INSTEAD = (
    "make y an array of floats (dtype=float, not int) by chainrules_tape.numpy, whose zeros,"
    " zeros_like, empty, full, array, copy and their like take traced entries; or collect the values"
    " in a list, and write chainrules_tape.numpy.array(values)"
)
_IN_A_THREAD = "make y in the thread that differentiates, not in one that it starts; there, "
_STORED_FACT = (
    "write numpy.where(condition, a, b), whose condition may differ from lane to lane; or make y an"
    " array of floats, by chainrules_tape.numpy"
)
_WRITE_RULE = (
    "write its rule (@rrule.register or a maker), and call chainrules_tape.numpy.interceptable"
    " of it"
)
_MADE_BEFORE = (
    "make the object that holds this function of SciPy's inside of seen_through; there it holds one"
    " that takes traced values"
)
_MODULES = frozenset({"numpy", "numpy.fft", "numpy.linalg"})
# NumPy's functions without a rule, written in Python, that `chainrules_tape.numpy` has
_OWN_OF_TAPE = frozenset({"asarray_chkfinite", "require"})
_TAKING_SECONDS = frozenset(
    {
        *("sleep", "fromtimestamp", "utcfromtimestamp", "gmtime", "localtime", "ctime"),
        *("acquire", "wait", "select", "settimeout", "setitimer"),
    }
)
_OF_MODULES = frozenset({"scipy.cluster", "scipy.spatial"})  # none of whose functions have rules
_HOME = os.path.dirname(os.path.dirname(__file__))


class Explanation(NamedTuple):
    """A refused conversion as its error says it; `is_write` where it wrote into a plain array."""

    operation: str
    got: str
    instead: str
    is_write: bool = False
    advice_comes_first: bool = False


def explained(operation: str, value, instead: str) -> Explanation:
    """Say what a conversion would lose, and what to write instead, by who asks for it."""
    found = explained_by_callers(operation, value, instead)
    return found._replace(instead=for_lanes(found.instead)) if is_over_lanes(value) else found


def explained_by_callers(operation: str, value, instead: str) -> Explanation:
    """Say what a conversion would lose where a value has a derivative."""
    frames = list(frames_inside(BETWEEN))
    got = (
        f"a traced value of shape {value.shape} and dtype {value.dtype} would become a plain one,"
        f" {what_is_lost(value)}"
    )

    if operation == _TO_ARRAY:
        function = function_of_numpy(frames[-1])
        if function is np.ndenumerate:
            return Explanation("numpy.ndenumerate", got, ITERATE)
        if function is not None and not has_stand_in_of_numpy(function):
            got = f"{got}, in {qualified_name(function)}, which has no rule"
            return Explanation(operation, got, f"{_WRITE_RULE}; {CONSTANT_MEANT}")

    package = asking_package(frames)
    if package is not None and is_to_blame(package, operation):
        module = module_with_stand_in(frames)
        advice = advice_in(package, module, frames)
        if module is not None and is_seen(module_name(frame_outside(BETWEEN))):
            advice = f"{_MADE_BEFORE}; elsewhere, {advice}"
        got = f"{got}, in {module or package}"
        return Explanation(operation, got, f"{advice}; {CONSTANT_MEANT}")

    if operation in _STORED and is_assigning_entries(calling_frame()):
        got = (
            "a traced x written into a plain array y, which would hold its value"
            f" {what_is_lost(value)}"
        )
        instead = _STORED_FACT if operation == DECISION else instead_of_buffer(_STORED_INSTEAD)
        if current_thread() is not main_thread():
            instead = _IN_A_THREAD + instead
        return Explanation(STORE, got, instead, is_write=True)

    if operation != _TO_ARRAY:
        return Explanation(operation, got, instead)
    reasons = reasons_for_classes(frame_outside(BETWEEN))
    return Explanation(operation, got, "; ".join([*reasons, instead]), advice_comes_first=True)


def reasons_for_classes(frame: FrameType) -> Iterator[str]:
    """Say why compiled classes of SciPy's have no rule, where the code of a frame names some.

    Nothing tells that they ask.
    """
    for name in frame.f_code.co_names:
        reason = reason_of("no rule yet", "scipy.spatial", name)
        if reason is not None:
            yield f"scipy.spatial.{name} has no rule: {reason}"


def advice_in(package: str, module: str | None, frames: list[FrameType]) -> str:
    """Say what to write in the place of the function or class of a package that was called.

    `module` is that of SciPy's, where `chainrules_tape` has one of its name.
    """
    public = module or module_name(frames[-1]).partition("._")[0]
    held = [getattr(each, "__name__", "") for frame in frames for each in wrapped_by(frame)]
    names = [*(frame.f_code.co_name for frame in frames), *held, class_in(frames[-1], public)]
    known = frozenset(getattr(sys.modules.get(public), "__all__", ()))
    called = [name for name in names if name in known]
    reason = reason_of("no rule yet", public, called[-1]) if called else None
    if reason is not None:
        return or_in_scipy(reason)
    return LIBRARIES[package].instead if module is None else from_stand_in(module)


def class_in(frame: FrameType, public: str) -> str:
    """The name of the class of which a frame makes an object, or calls one that no other stands for;
    of operators, that of the class they have in common. Empty in other frames.
    """
    cls, method = type(first_variable(frame)), frame.f_code.co_name
    if method == "__init__":
        return cls.__name__
    if any(base.__name__ == _OPERATOR for base in cls.__mro__):
        return _OPERATOR
    reason = reason_of("no rule yet", public, cls.__name__) if method == "__call__" else None
    return "" if reason is None or "class of this name" in reason else cls.__name__


_OPERATOR = "LinearOperator"


def has_stand_in_of_numpy(function) -> bool:
    """Whether `chainrules_tape.numpy` has a function of this name that takes traced values."""
    return function in default_rules or function.__name__ in _OWN_OF_TAPE


def what_is_lost(value) -> str:
    """Say what becomes of a value that is made plain: it loses a derivative, or its lanes."""
    return "the same in all lanes" if is_in_lanes(value.level) else "without its derivative"


def is_possible_conversion(operation: str, shape: tuple[int, ...], frame: FrameType) -> bool:
    """Whether a plain value of this shape can be converted so in a frame.

    Arrays are no numbers, and no float is an index; but functions of Python's that take seconds
    take a float, and ask any other object for an integer.
    """
    if operation == _TO_INDEX:
        return not _TAKING_SECONDS.isdisjoint(frame.f_code.co_names)
    return operation not in TO_NUMBERS or shape == ()


def is_assigning_entries(frame: FrameType) -> bool:
    """Whether a frame assigns to entries, outside packages that are advised on otherwise."""
    return package_name(frame) not in BETWEEN and is_storing_entries(frame)


def function_of_numpy(frame: FrameType) -> Any:
    """The function of NumPy's whose call a frame is; None where it is anything else."""
    name = frame.f_code.co_name
    if frame.f_code.co_qualname == "ndenumerate.__init__":
        name = "ndenumerate"
    found = frame.f_globals.get(name)
    home = home_module(found) if callable(found) else ""
    return found if home in _MODULES or home.startswith("numpy.polynomial.") else None


def asking_package(frames: list[FrameType]) -> str | None:
    """The package among those that cannot be intercepted whose code runs in one of these frames."""
    modules = [f"{module_name(frame)}." for frame in frames]
    for package in ADVISED:
        if any(module.startswith(f"{package}.") for module in modules):
            return package
    return None


def is_to_blame(package: str, operation: str) -> bool:
    """Whether a package that asks for a conversion is what the user has to avoid."""
    if operation == _TO_ARRAY or LIBRARIES[package].has_labels:
        return True
    return package in ("scipy", "mpmath") and operation in TO_NUMBERS


def module_with_stand_in(frames: list[FrameType]) -> str | None:
    """The module of SciPy's that the user called, if `chainrules_tape` has one of its name.

    None where there is something more special to say of it.
    """
    for frame in reversed(frames):
        modules = [str(getattr(each, "__module__", "")) for each in wrapped_by(frame)]
        for name in (module_name(frame), *modules):
            while name.startswith("scipy.") and name not in ADVISED:
                if has_stand_in(name):
                    return name
                name = name.rpartition(".")[0]
    return None


def wrapped_by(frame: FrameType) -> list[Any]:
    """The functions of SciPy's that one of its decorators holds, in whose frame the arguments are
    converted before they are called; Cython's have modules, too.
    """
    held = frame.f_code.co_freevars if package_name(frame) == "scipy" else ()
    variables = variables_of_frame(frame) if held else {}
    return [each for each in map(variables.get, held) if callable(each)]


def has_stand_in(module: str) -> bool:
    """Whether `chainrules_tape` has a module, or a package, of the name of one of SciPy's."""
    if module in _OF_MODULES:
        return False
    path = os.path.join(_HOME, *module.split("."))
    return os.path.exists(f"{path}.py") or os.path.exists(os.path.join(path, "__init__.py"))
