"""Functions with steps in foreign code: ``floor``, ``int``, ``x // c``, ``x % c`` and their like.

Between its steps such a function is constant. Programs use one for two purposes, which the size of
the step tells apart:

* They clean up digits, ``int(x * 1e6) / 1e6``. The step is below 1e-5 of the number, and would cut
  off a derivative that is meant: an error says so.
* They count, or choose. The result is a constant, and ``x % c`` has the derivative 1, as NumPy's
  rules have it. The number is noted, so that there is a warning where a gradient is zero because of
  its steps (`chainrules_foreign_code.bisections`).

Elsewhere these functions are what they are in NumPy; so they are where a derivative has a table of
rules with one for the function.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import update_wrapper
from types import FrameType
from typing import Any

import numpy as np

from chainrules_foreign_code.bisections import note_constant_entries
from chainrules_foreign_code.lanes import in_any_lane, require_no_lanes, without_derivative
from chainrules_py.annotations import Function
from chainrules_py.table.registry import default_rules
from chainrules_py.values.structure import fields, is_container
from chainrules_tape.core.levels import innermost, open_levels
from chainrules_tape.in_place.reading import read_now
from chainrules_tape.refusals.code_owners import calling_frame
from chainrules_tape.refusals.handles import TracedArray
from chainrules_tape.refusals.instrumented_packages import is_seen_through, stood_for

FINE = 1e5  # a number of so many steps is taken for one without
ROUNDING = frozenset({np.floor, np.ceil, np.trunc, np.rint})
QUOTIENTS = frozenset({np.floor_divide, np.remainder, np.fmod, np.divmod, np.modf})
STEPS = ROUNDING | QUOTIENTS
_NAMES = {np.floor_divide: "x // c", np.remainder: "x % c", np.divmod: "divmod(x, c)"}
INTEGER_KINDS = frozenset("iu")
KINDS = INTEGER_KINDS | frozenset("mMSU")  # as constant are times and texts


def is_real(x) -> bool:
    """Whether a value is a real number or an array of real numbers of NumPy's, traced or not."""
    value = without_derivative(x)
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype.kind in "fiu"
    return isinstance(value, float | int)


def note_steps(ufunc, inputs: tuple[Any, ...], frame: FrameType) -> bool:
    """Note what a ufunc with steps cuts in a foreign frame; whether its result is constant there."""
    if not is_seen_through(frame) or not all(map(is_real, inputs)) or innermost(inputs) is None:
        return False
    if has_own_rule(ufunc, inputs):
        return False
    x, step = inputs if len(inputs) == 2 else (inputs[0], 1.0)
    name = _NAMES.get(ufunc, f"{ufunc.__name__}(x)")
    cut = inputs if ufunc in (np.floor_divide, np.divmod) else (x,)
    note_quotient(x, step, cut, frame, name)
    return ufunc in ROUNDING or ufunc is np.floor_divide


def note_quotient(x, step, cut: tuple[Any, ...], frame: FrameType, name: str) -> None:
    """Note numbers that a function cuts to multiples of a step."""
    with np.errstate(all="ignore"):
        steps = np.divide(without_derivative(read_now(x)), without_derivative(read_now(step)))
    for each in cut:
        note_cut(each, steps, frame, name)


def note_cut(x, steps, frame: FrameType, name: str) -> None:
    """Note that a function cuts a traced value of so many steps, and whether these are fine."""
    x = read_now(x)
    if issubclass(type(x), TracedArray) and is_real(x):
        is_fine = in_any_lane(np.isfinite(steps) & (np.abs(steps) >= FINE))
        reason = f"{name} is constant between its steps"
        note_constant_entries(x, True, frame, reason, cuts_digits=is_fine)


def has_own_rule(function, inputs: tuple[Any, ...]) -> bool:
    """Whether the derivative that is taken has a table with a rule of its own for a function."""
    engine = getattr(innermost(inputs), "engine", None)
    if engine is None or engine.table is default_rules:
        return False
    first = next(engine.table.rules(function), None)
    return first is not next(default_rules.rules(function), None)


def note_integers(y, args: Iterable[Any], frame: FrameType, name: str) -> None:
    """Note traced values of which a frame makes integers, times or texts."""
    kind = getattr(getattr(y, "dtype", None), "kind", None)
    if kind in KINDS:
        for x in traced_in(args):
            note_cut(x, y if kind in INTEGER_KINDS else 0.0, frame, name)


def integers_by(function: Function) -> Function:
    """Make ``numpy.array(x, dtype=int)`` or its like for foreign code."""
    name = function.__name__

    def convert_as_foreign(*args, **options):
        if not open_levels:
            return function(*args, **options)
        if name == "fromiter":  # which is read twice
            args = (list(args[0]), *args[1:])
        y = function(*args, **options)
        if not issubclass(type(y), TracedArray):  # which is no integer
            note_integers(y, (*args, *options.values()), calling_frame(), f"{name}(x, dtype=int)")
        return y

    return update_wrapper(convert_as_foreign, function)


WITH_DTYPE = (
    *("sum", "cumsum", "prod", "cumprod", "mean", "nansum", "nanprod", "nancumsum", "nancumprod"),
    *("nanmean", "full", "full_like", "arange", "trace", "linspace", "logspace", "geomspace"),
    *("concatenate", "stack", "hstack", "vstack", "einsum", "insert", "fromiter", "require"),
)


def method_of_integers(name: str) -> Callable[[Function], Function]:
    """Decorate ``x.sum()`` or its like, whose integers are noted in foreign frames."""

    def noted(operate: Function) -> Function:
        def method(self, *args, **options):
            y = operate(self, *args, **options)
            is_asked = "dtype" in options or len(args) > 1
            if is_asked and is_seen_through(frame := calling_frame()):
                note_integers(y, (self,), frame, f"x.{name}(dtype=int)")
            return y

        return update_wrapper(method, operate)

    return noted


def whole_number(function: Callable[..., int], x, frame: FrameType, name: str) -> int:
    """The integer that ``int``, ``round``, ``math.floor`` or the like makes of a traced number."""
    require_no_lanes(function, x)
    value = function(without_derivative(x))
    note_cut(x, float(value), frame, name)
    return value


def traced_in(values: Iterable[Any]) -> Iterator[Any]:
    """Yield the traced values among some, and in containers among them."""
    for value in map(stood_for, values):
        if issubclass(type(value), TracedArray):
            yield value
        elif is_container(value):
            yield from traced_in(fields(value).values())
