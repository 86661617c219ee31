"""Notes of decisions by traced values, comparisons and signs, while a scope lasts.

`bisections` says what for. The operators of traced values are observed while a scope lasts
(`arrays.handles.observe`), so that other programs are as fast as before.
"""

from collections.abc import Callable
from math import isfinite
from types import FrameType
from typing import Any

import numpy as np

from chainrules_foreign_code.bisections import (
    note_constant_entries,
    note_decision,
    note_equality,
)
from chainrules_foreign_code.lanes import (
    beneath_lanes,
    in_any_lane,
    without_derivative,
)
from chainrules_foreign_code.steps import (
    STEPS,
    method_of_integers,
    note_steps,
    ufunc_of_integers,
)
from chainrules_py.introspection import frame_above, frame_outside, module_name
from chainrules_py.values.arrays import as_known
from chainrules_py.values.python_numbers import in_pythons_form, is_pythons, ufunc_of
from chainrules_tape.arrays.handles import observe, stop_observing
from chainrules_tape.in_place.lane_memory import lane_sizes
from chainrules_tape.refusals.code_owners import ENGINE, calling_frame
from chainrules_tape.refusals.handles import TracedArray, plain

_COMPARISONS = ("__lt__", "__le__", "__gt__", "__ge__")
_EQUALITIES = ("__eq__", "__ne__")
_SIGNS = frozenset({np.sign, np.copysign})
# of a plain array's or NumPy's number's operators
_UFUNCS = frozenset({np.less, np.less_equal, np.greater, np.greater_equal})
_WITH_STEPS = {"__floordiv__": np.floor_divide, "__mod__": np.remainder, "__divmod__": np.divmod}
_WITH_STEPS |= {f"__r{name[2:]}": ufunc for name, ufunc in _WITH_STEPS.items()}
_WITH_DTYPE = frozenset({"sum", "cumsum", "prod", "cumprod", "mean"})
# rules that compare, or take signs, because a program does so with values of an inner level
_ON_BEHALF = (
    *("chainrules_py.batching.", "chainrules_py.makers."),
    "chainrules_py.values.python_numbers",
)
_EQUAL = frozenset({np.equal, np.not_equal})


def noted_comparison(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A comparison of a traced number that notes how far from a tie it is."""

    def comparison(self, other):
        note(asking_frame(frame_above(1)), self, other)
        return compare(self, other)

    return comparison


def noted_equality(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A comparison that notes whether a traced number, or an entry, is equal to another number."""

    def equality(self, other):
        note_equal(self, other, frame_above(1))
        return compare(self, other)

    return equality


def note_equal(x, other, frame: FrameType) -> None:
    """Note a traced number that is equal to another number, or the entries of an array that are.

    Of two traced numbers it is their difference that what is differentiated may move.
    """
    name = module_name(frame)
    is_of_memory = name.startswith("chainrules_tape.in_place.")
    if name.startswith("chainrules_") and not is_of_memory:  # rules ask, too, at higher orders
        return
    x, compared = beneath_lanes(x), plain(other)
    constant = as_known(compared)
    if not issubclass(type(x), TracedArray) or not is_finite_number(constant):
        return
    value = without_derivative(x)
    equal = value == compared  # which a recording may see
    if not in_any_lane(equal):
        return
    if is_of_memory:
        frame = asking_frame()
    if x.is_number and not lane_sizes(value):
        moved = x - other if issubclass(type(other), TracedArray) else x
        note_equality(moved.level, frame, moved, constant)
    elif value.dtype.kind == "f":
        note_constant_entries(
            x, equal, frame, f"x == {constant:.6g} for entries of x, a branch for this number alone"
        )


def is_finite_number(x) -> bool:
    """Whether a value is a plain number, and finite."""
    return issubclass(type(x), float | int) and isfinite(x)


def noted_steps(name: str) -> Callable[[Callable[[Any, Any], Any]], Callable[[Any, Any], Any]]:
    """Decorate ``x // c``, ``x % c`` or ``divmod(x, c)``, which foreign code has by `steps`."""
    ufunc, is_reflected = _WITH_STEPS[name], name.startswith("__r")

    def noted(operate: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        def operation(self, other):
            inputs = (other, self) if is_reflected else (self, other)
            if not note_steps(ufunc, inputs, asking_frame()):
                return operate(self, other)
            found = ufunc(*map(without_derivative, inputs))
            of_python = is_pythons(type(self)) and is_pythons(type(other))
            return in_pythons_form(found) if of_python else found

        return operation

    return noted


def noted_ufunc(call_ufunc: Callable[..., Any]) -> Callable[..., Any]:
    """A traced value's answer to ufuncs, which notes comparisons and signs among them."""

    def ufunc_with_decisions(self, ufunc, method: str, *inputs, **options):
        asked = ufunc_of(ufunc)  # of Python's floats it is another function
        if asked in _SIGNS and isinstance(inputs[-1], TracedArray):
            note(asking_frame(), inputs[-1], 0.0)
        elif asked in _UFUNCS and method == "__call__":
            note(asking_frame(), *(inputs if inputs[0] is self else inputs[::-1]))
        elif asked in _EQUAL and method == "__call__" and inputs[0] is self:
            note_equal(self, inputs[1], asking_frame())
        elif "dtype" in options:
            return ufunc_of_integers(call_ufunc, (self, ufunc, method, *inputs), options)
        elif asked in STEPS and method == "__call__" and note_steps(asked, inputs, asking_frame()):
            found = asked(*map(without_derivative, inputs), **options)
            return found if asked is ufunc else in_pythons_form(found)
        return call_ufunc(self, ufunc, method, *inputs, **options)

    return ufunc_with_decisions


def asking_frame(frame: FrameType | None = None) -> FrameType:
    """The frame that asks for a comparison or a step.

    Where all lanes take one, or a derivative of a derivative, rules ask on behalf of the program.
    """
    found = calling_frame(frame)
    if module_name(found).startswith(_ON_BEHALF):
        return frame_outside({*ENGINE, "chainrules_py"}, found)
    return found


def note(frame: FrameType, x, other) -> None:
    """Note a decision by real numbers, or entries of arrays, of which the first is traced."""
    x, other = beneath_lanes(x), beneath_lanes(other)
    if not issubclass(type(x), TracedArray):
        x, other = other, x
    if not issubclass(type(x), TracedArray):
        return
    a, b = without_derivative(x), without_derivative(other)
    now_a, now_b = as_known(a), as_known(b)
    if not isinstance(now_a, float | np.ndarray) or not isinstance(now_b, float | int | np.ndarray):
        return
    if issubclass(type(now_a), float) and issubclass(type(now_b), float | int):
        is_above = bool(now_a > now_b)
        distance, sides = abs(now_a - now_b), (is_above, not is_above)
        is_recorded = now_a is not a or now_b is not b
    else:
        distance, sides = farthest(a, b), (True, True)  # entries of arrays have either answer
        is_recorded = distance is not as_known(distance)
    if isfinite(as_known(distance)):
        note_decision(x.level, frame, distance, sides, (x, other), is_recorded)


def farthest(a, b) -> Any:
    """The largest difference of real entries, in all lanes; infinite where there is none."""
    differences = plain(np.abs(a - b))
    known = np.asarray(as_known(differences))
    return np.max(differences) if known.dtype.kind == "f" and known.size else np.inf


def noting(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The function that makes the operator of this name note decisions."""
    if name in _EQUALITIES:
        return noted_equality
    if name in _WITH_STEPS:
        return noted_steps(name)
    if name in _WITH_DTYPE:
        return method_of_integers(name)
    return noted_comparison if name in _COMPARISONS else noted_ufunc


_OBSERVERS = {
    name: noting(name)
    for name in (*_COMPARISONS, *_EQUALITIES, *_WITH_STEPS, *_WITH_DTYPE, "__array_ufunc__")
}


_notes: set[str] = set()  # the observers, once all of them are in their places


def begin_to_note() -> None:
    """Note decisions from now on."""
    if not _notes:
        observe(_OBSERVERS)
        _notes.update(_OBSERVERS)


def stop_noting() -> None:
    """Note decisions no longer."""
    _notes.clear()
    stop_observing()
