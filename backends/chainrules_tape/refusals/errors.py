"""The errors of the engine: what would lose a gradient says so, and says what to write instead."""

import os
import warnings
from types import CodeType
from typing import Any, NamedTuple, NoReturn

from chainrules_py.annotations import Args, Options
from chainrules_py.batching.failures import note_handled
from chainrules_py.errors import BatchingError, ChainRulesError
from chainrules_py.introspection import (
    frame_outside,
    is_ours,
    is_storing_entries,
    module_name,
)
from chainrules_py.rules.rule import Rule
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.operators import BINARY, SIGNS
from chainrules_py.values.python_numbers import ufunc_of
from chainrules_tape.refusals.advice import COMPILED, CONVERSIONS
from chainrules_tape.refusals.code_owners import ENGINE, calling_frame, is_own
from chainrules_tape.refusals.other_libraries import (
    answers_nan,
    is_operation_of_another_library,
)


class LostGradientError(ChainRulesError, TypeError):
    """A traced value was about to become a plain one, without derivative: `operation`, `value`.

    Where `advice_comes_first`, the message begins with what to write instead.
    """

    advice_comes_first = False

    def __str__(self) -> str:
        return f"{self.instead}: {self.got}" if self.advice_comes_first else super().__str__()


class LostGradientWarning(UserWarning):
    """A `LostGradientError` was caught: the function may do other things than for plain values."""


class InPlaceError(ChainRulesError, TypeError):
    """A write into a traced value, or of one into a plain buffer: `operation`, `value`."""


class EscapedValueError(ChainRulesError, RuntimeError):
    """A traced value was used after the call that traced it had ended: `operation`, `value`."""


class RecomputationError(ChainRulesError, ValueError):
    """A checkpointed function computed something else when run again: `function`, `value`."""


class OutputError(ChainRulesError, TypeError):
    """A function's output has no gradient, because it is complex or large: `function`, `value`."""


class InputError(ChainRulesError, TypeError):
    """A function cannot be differentiated by an argument: `function`, `argument`, `value`."""


class SparsityError(ChainRulesError, ValueError):
    """A sparsity pattern is not that of this function at this point: `sparsity`, `shape`."""


# What the symbol is of NumPy's functions that ``a += x`` and its like call, with `a` for their
# buffer.
AUGMENTED: dict[Any, str] = {ufunc: SIGNS[name] for name, ufunc in BINARY.items()}


_TO_BUFFER = CONVERSIONS["__buffer__"][0]
_WRITTEN = "a traced x written into a plain array a, which would lose its derivative"


class Refusal(NamedTuple):
    """A conversion that was refused, what to write instead, and the line that asked for it, with
    its code and global variables.

    `answered_by` is what would be nan in the place of the error.
    """

    operation: str
    instead: str
    filename: str
    line: int
    answered_by: str | None
    code: CodeType
    variables: dict[str, Any]


def raise_lost_gradient(operation: str, value, instead: str) -> NoReturn:
    """Raise: this conversion would drop a derivative.

    The level remembers a refusal, because somebody may catch the error.
    """
    if value.level is None:
        raise LostGradientError(
            operation,
            "a buffer, whose memory belongs to the traced values that it may take",
            "use numpy.array(x), a copy of its plain numbers",
            operation=operation,
            value=value,
        )
    if value.level.closed:
        raise_escaped_value(operation, value)

    # by the first refusal, as below: explanations take more modules than refusals
    from chainrules_tape.refusals.lost_gradients import explained, is_possible_conversion

    found = explained(operation, value, instead)
    frame = calling_frame()
    # Python 3.12 asks for a buffer first: a sparse product and `y[index] = [x]` go on to ask for an
    # array, and are answered there.
    is_asked_elsewhere = is_operation_of_another_library(frame) or (
        operation == _TO_BUFFER and is_storing_entries(frame)
    )
    if is_possible_conversion(operation, value.shape, frame) and not is_asked_elsewhere:
        place = frame.f_code.co_filename, frame.f_lineno
        answered_by = module_name(frame) if answers_nan(frame) else None
        if value.level.refused is None or value.level.refused.answered_by is None:
            asked = found.operation, found.instead, *place, answered_by
            value.level.refused = Refusal(*asked, frame.f_code, frame.f_globals)

    said = found.operation, found.got, found.instead
    if found.is_write:
        raise InPlaceError(*said, operation=found.operation, value=value)
    data = {"operation": found.operation, "value": value}
    if found.advice_comes_first:
        data["advice_comes_first"] = True
    raise LostGradientError(*said, **data)


def is_asked_by_another_library() -> bool:
    """Whether an operation asks that leaves itself to an operand which is no array."""
    return is_operation_of_another_library(calling_frame())


def raise_decision(level, error: BatchingError) -> NoReturn:
    """Raise: a program decides by a value that differs from lane to lane.

    The level remembers it, because the program may catch the error. What our own rules catch, they
    catch on purpose.
    """
    if not is_ours(calling_frame()):
        level.note_failure(error)
    raise error


def warn_of_rounding(digits: int) -> None:
    """Warn at the user's line that digits are cut off, and with them the derivative."""
    frame = calling_frame()
    message = (
        f"round(x, {digits}): the rounded number is a constant, with the derivative zero; round the"
        " result, outside of the differentiated function, or write"
        f" round(stop_gradient(x), {digits}), if a constant is meant"
    )
    warnings.warn_explicit(message, LostGradientWarning, frame.f_code.co_filename, frame.f_lineno)


def note_refusal(level, error: Exception) -> None:
    """Say with another error which refusal it came of, as where SciPy rewords one."""
    refused: Refusal | None = level.refused
    if refused is not None and not isinstance(error, ChainRulesError):
        error.add_note(
            f"Before this error, {refused.operation} was refused for a traced value at"
            f" {refused.filename}:{refused.line}; {refused.instead}; {COMPILED}"
        )


def note_caught(error: BaseException | None) -> None:
    """Note that an error was caught by who computes what it stopped in another way: the level of a
    traced value that was refused does not tell of it.
    """
    note_handled(error)
    if isinstance(error, LostGradientError | InPlaceError) and error.value is not None:
        error.value.level.refused = None


def refuse_objects(primal, y) -> None:
    """Raise where traced numbers became an array of Python objects, which would be a constant."""
    if getattr(getattr(y, "dtype", None), "kind", None) == "O":
        got = "a result of dtype object, whose entries would lose their derivative"
        raise LostGradientError(
            qualified_name(primal), got, "keep to dtypes of numbers", operation=primal, value=y
        )


def raise_write_refused(operation: str, value, instead: str, library: str = "") -> NoReturn:
    """Raise: a write is not traced, by what it does or by whose array it is."""
    got = "a write in place, which is not traced" + (f" in arrays of {library}" if library else "")
    raise InPlaceError(operation, got, f"write {instead}", operation=operation, value=value)


def raise_escaped_value(primal, value) -> NoReturn:
    """Raise: the call that traced this value is over; `primal` may be what a conversion is called."""
    primal = ufunc_of(primal)
    where = primal if isinstance(primal, str) else qualified_name(primal)
    if is_own(getattr(primal, "__module__", None)):  # no name that the user has written
        frame = frame_outside({*ENGINE, "chainrules_py"}, calling_frame())
        where = f"line {frame.f_lineno} of {os.path.basename(frame.f_code.co_filename)}"
    raise EscapedValueError(
        where,
        "a traced value that outlived the call in which it was traced: a list, a cache, an"
        " attribute or a variable outside of the function has kept it",
        "return it beside the result (has_aux=True); or keep stop_gradient(x) there, or empty the"
        " list or cache after each derivative",
        operation=primal,
        value=value,
    )


def refuse_buffers(rule: Rule, options: Options, traced: bool, args: Args) -> None:
    """Raise where a traced call is to write into a buffer, or any call into a traced value."""
    if not traced and (not rule.differentiable or options.get("out") is None):
        return

    buffer = options["out"][0] if type(options["out"]) is tuple else options["out"]
    where = rule.label
    got = "out= with traced values, a write that is not traced"
    instead = "use the result: y = f(x)"
    if args and args[0] is buffer and rule.primal in AUGMENTED:
        symbol = AUGMENTED[rule.primal]
        where, got = f"a {symbol}= x", _WRITTEN
        instead = (
            f"write a = a {symbol} x; if a is a part of an array, build the whole array by"
            " numpy.concatenate"
        )
    raise InPlaceError(where, got, instead, operation=rule.primal, value=buffer)
