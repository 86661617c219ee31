"""Functions with steps in foreign code: ``floor``, ``int``, ``x // c``, ``x % c`` and their like.

Between its steps such a function is constant. Programs use one for two purposes, which the size of
the step tells apart:

* They clean up digits, ``int(x * 1e9) / 1e9``. The step is below 1e-8 of the number, as fine as
  roundoff. The number keeps its derivative; ``x % c`` is what is cut off, and is a constant.
* They count, or choose. The result is a constant, and ``x % c`` has the derivative 1, as NumPy's
  rules have it. The number is noted, so that there is a warning where a gradient is zero because of
  its steps (`chainrules_foreign_code.bisections`).

Elsewhere these functions are what they are in NumPy; so they are where a derivative has a table of
rules with one for the function.
"""

from collections.abc import Callable
from functools import update_wrapper
from types import FrameType
from typing import Any

import numpy as np

from chainrules_foreign_code.bisections import note_constant_entries
from chainrules_foreign_code.lanes import (
    in_all_lanes,
    in_any_lane,
    require_no_lanes,
    without_derivative,
)
from chainrules_foreign_code.whole_numbers import whole
from chainrules_py.table.registry import default_rules
from chainrules_py.values.python_numbers import in_pythons_form
from chainrules_tape.core.levels import call, innermost, open_levels
from chainrules_tape.in_place.reading import read_now
from chainrules_tape.refusals.code_owners import calling_frame
from chainrules_tape.refusals.handles import TracedArray
from chainrules_tape.refusals.instrumented_packages import is_seen_through

FINE = 1e8  # a number of so many steps is taken for one without
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


def stepped(ufunc, inputs: tuple[Any, ...], frame: FrameType) -> Any:
    """The result of a ufunc with steps in a foreign frame; NotImplemented in any other."""
    if not is_seen_through(frame) or not all(map(is_real, inputs)) or innermost(inputs) is None:
        return NotImplemented
    if has_own_rule(ufunc, inputs):
        return NotImplemented
    inputs = tuple(map(read_now, inputs))
    if ufunc in ROUNDING:
        return cut(inputs[0], ufunc(without_derivative(inputs[0])), frame, ufunc.__name__)
    x, step = inputs if len(inputs) == 2 else (inputs[0], 1.0)
    name = _NAMES.get(ufunc, f"{ufunc.__name__}(x)")
    if ufunc is np.floor_divide:
        return quotient(x, step, frame, name)
    if ufunc is np.divmod:
        return quotient(x, step, frame, name), rest(x, step, np.remainder, frame, name)
    if ufunc is np.modf:
        whole_part = cut(x, np.trunc(without_derivative(x)), frame, name)
        return rest(x, step, np.fmod, frame, name), whole_part
    return rest(x, step, ufunc, frame, name)


def has_own_rule(function, inputs: tuple[Any, ...]) -> bool:
    """Whether the derivative that is taken has a table with a rule of its own for a function."""
    engine = getattr(innermost(inputs), "engine", None)
    if engine is None or engine.table is default_rules:
        return False
    first = next(engine.table.rules(function), None)
    return first is not next(default_rules.rules(function), None)


def cut(x, value, frame: FrameType, name: str, step: float = 1.0) -> Any:
    """The value that a function with steps cuts a number to.

    It has the number's derivative where the steps are fine.
    """
    x = read_now(x)
    fine = is_fine(value, step)
    if in_all_lanes(fine):
        return x + (value - without_derivative(x))  # exact: the two are nearly the same
    note(x, ~fine, frame, name)
    if not in_any_lane(fine):
        return value
    return np.where(fine, x, 0.0) + np.where(fine, value - without_derivative(x), value)


def quotient(x, step, frame: FrameType, name: str) -> Any:
    """``x // step``, with the derivative of ``x / step`` where the steps are fine."""
    value = np.floor_divide(without_derivative(x), without_derivative(step))
    fine = is_fine(value)
    if in_any_lane(fine):
        return cut(x / step, value, frame, name)
    note(x, ~fine, frame, name)
    note(step, ~fine, frame, name)
    return value


def rest(x, step, ufunc, frame: FrameType, name: str) -> Any:
    """``x % step`` or the like, which is a constant where the steps are fine."""
    value = call(ufunc, (without_derivative(x), without_derivative(step)), {})
    with np.errstate(all="ignore"):
        fine = is_fine(without_derivative(x), np.abs(without_derivative(step)))
    if in_all_lanes(fine):
        return value
    note(x, ~fine, frame, name)
    y = original(ufunc, x, step)
    return np.where(fine, value, y) if in_any_lane(fine) else y


def original(ufunc, x, step) -> Any:
    """The result of a ufunc by its rule."""
    return innermost((x, step)).call(ufunc, (x, step), {})  # type: ignore[union-attr]


def is_fine(value, step: Any = 1.0) -> Any:
    """Whether steps are below 1e-8 of each number."""
    return np.isfinite(value) & (np.abs(value) >= FINE * step)


def note(x, coarse, frame: FrameType, name: str) -> None:
    """Note that a function with steps makes constants of entries of a traced value."""
    if issubclass(type(x), TracedArray):
        note_constant_entries(x, coarse, frame, f"{name} is constant between its steps")


def of_integers(x, y, frame: FrameType, name: str) -> Any:
    """Integers that a frame makes of traced values: traced where no step shows, else constants."""
    if not issubclass(type(x), TracedArray) or not is_real(x):
        return y
    if y.dtype.kind in INTEGER_KINDS and in_all_lanes(is_fine(y)):
        return cut(x, y * 1.0, frame, name)
    note(x, np.ones(np.shape(x), bool), frame, name)
    return y


def integers_by(function: Callable[..., Any], name: str = "") -> Callable[..., Any]:
    """Make ``numpy.array(x, dtype=int)`` or its like for foreign code."""
    name = name or function.__name__
    position = DTYPE_AT.get(name, 1)

    def convert_as_foreign(*args, **options):
        if not open_levels:
            return function(*args, **options)
        if name == "fromiter":  # which is read twice
            args = (list(args[0]), *args[1:])
        y = function(*args, **options)
        if getattr(getattr(y, "dtype", None), "kind", None) not in KINDS:
            return y
        is_asked = len(args) > position or "dtype" in options
        if not is_asked and name not in AS_ANOTHER:
            return y
        x = with_digits(function, name, args, options)
        dtype = "int" if y.dtype.kind in INTEGER_KINDS else y.dtype.name
        return of_integers(x, y, calling_frame(), f"{name}(x, dtype={dtype})")

    return update_wrapper(convert_as_foreign, function)


# by name, where a function has its dtype: a number of the argument, where that is not 1
DTYPE_AT = {
    **dict.fromkeys(("sum", "cumsum", "prod", "cumprod", "mean", "nansum", "nanprod"), 2),
    **dict.fromkeys(("nancumsum", "nancumprod", "nanmean", "full", "full_like"), 2),
    **dict.fromkeys(("arange", "trace"), 3),
    **dict.fromkeys(("linspace", "logspace", "geomspace"), 5),
    **dict.fromkeys(("concatenate", "stack", "hstack", "vstack", "einsum", "insert"), 99),
}
WITH_DTYPE = (*DTYPE_AT, "fromiter", "require")
AS_ANOTHER = ("full_like", "insert")  # these give the dtype of their first argument


def with_digits(
    function: Callable[..., Any], name: str, args: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    """The result of a function whose result is to be integers before they are that."""
    if name == "astype":
        return read_now(args[0])
    position = DTYPE_AT.get(name, 1)
    given = {key: value for key, value in options.items() if key not in ("dtype", "casting")}
    if name == "insert":
        return function(np.asarray(args[0], float), *args[1:], **given)
    before, after = args[:position], args[position + 1 :]
    if name in ("fromiter", "full_like", "require"):  # without one it is not that of the values
        if after:
            return function(*before, float, *after, **given)
        return function(*before, **given, dtype=float)
    return function(*before, *([None] if after else []), *after, **given)


def ufunc_of_integers(
    call_ufunc: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    """``numpy.add(x, y, dtype=int)`` or its like in a foreign frame; else as it is."""
    y, frame = call_ufunc(*args, **options), calling_frame()
    _, ufunc, method, *inputs = args
    if getattr(getattr(y, "dtype", None), "kind", None) not in KINDS or not is_seen_through(frame):
        return y
    given = {key: value for key, value in options.items() if key not in ("dtype", "casting")}
    is_stepped = ufunc in STEPS and method == "__call__"
    x = stepped(ufunc, tuple(inputs), frame) if is_stepped else call_ufunc(*args, **given)
    return of_integers(x, y, frame, f"numpy.{ufunc.__name__}(..., dtype=int)")


def method_of_integers(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate ``x.sum()`` or its like, whose integers `integers_by` looks at in foreign frames."""

    def noted(operate: Callable[..., Any]) -> Callable[..., Any]:
        of_foreign = integers_by(operate, name)

        def method(self, *args, **options):
            is_asked = "dtype" in options or len(args) > 1
            if is_asked and is_seen_through(calling_frame()):
                return of_foreign(self, *args, **options)
            return operate(self, *args, **options)

        return update_wrapper(method, operate)

    return noted


def whole_number(
    function: Callable[..., int],
    x,
    frame: FrameType,
    name: str,
    in_form: Callable[[Any], Any] = in_pythons_form,
) -> Any:
    """The integer that ``int``, ``round``, ``math.floor`` or the like makes of a traced number."""
    require_no_lanes(function, x)
    value = function(without_derivative(x))
    if not (issubclass(type(x), TracedArray) and is_real(x)):
        return value
    number = x if x.is_number else np.reshape(x, ())[()]
    return whole(value, lambda: in_form(cut(number, float(value), frame, name)))
