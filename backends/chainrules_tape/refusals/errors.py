"""The errors of the engine: what would lose a gradient says so, and says what to write instead."""

import opcode
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, NoReturn

import numpy as np

from chainrules_py.errors import ChainRulesError
from chainrules_py.rules.rule import Rule
from chainrules_py.table.registry import default_rules
from chainrules_py.values.identity import home_module, qualified_name
from chainrules_tape.refusals.advice import _BYTES, ASKERS, CONVERSIONS, ITERATE, from_stand_in
from chainrules_tape.refusals.escaped_values import kept_in
from chainrules_tape.refusals.suggested_calls import advice_for


class LostGradientError(ChainRulesError, TypeError):
    """A traced value was about to become a plain one, and its derivative with it: `operation`,
    `value`.

    Where `advice_comes_first`, the message begins with what to write instead.
    """

    advice_comes_first = False

    def __str__(self) -> str:
        return f"{self.instead}: {self.got}" if self.advice_comes_first else super().__str__()


class LostGradientWarning(UserWarning):
    """A function caught a `LostGradientError`, so that it may have gone another way than with plain
    values.
    """


class InPlaceError(ChainRulesError, TypeError):
    """A write into a traced value, or of a traced value into a plain buffer: `operation`, `value`."""


class EscapedValueError(ChainRulesError, RuntimeError):
    """A traced value was used after the call that traced it had ended: `operation`, `value`."""


class ClosureError(ChainRulesError, ValueError):
    """A function given to a rule reads a traced value that is not among its arguments: `primal`,
    `value`.
    """


class RecomputationError(ChainRulesError, ValueError):
    """A checkpointed function that computed something else when it was run again: `function`,
    `value`.
    """


class OutputError(ChainRulesError, TypeError):
    """A function whose output has no gradient in this sense, a complex or a large one: `function`,
    `value`.
    """


class InputError(ChainRulesError, TypeError):
    """Arguments with respect to which nothing can be differentiated: `function`, `argument`,
    `value`.
    """


_WRITE_RULE = (
    "write its rule (@rrule.register or a maker), and call chainrules_tape.numpy.interceptable"
    " of it"
)


# What the symbol is of NumPy's functions that ``a += x`` and its like call, with `a` for their
# buffer.
AUGMENTED: dict[Any, str] = {
    np.add: "+",
    np.subtract: "-",
    np.multiply: "*",
    np.divide: "/",
    np.matmul: "@",
    np.power: "**",
    np.floor_divide: "//",
    np.remainder: "%",
}


_OPERATORS = ("scipy.sparse.", "dask.array.", "jax._src.numpy.array_methods")
_OF_JAX = (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "divmod",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
)
_ASK_FOR_OPERANDS = frozenset(
    (
        "_matmul_dispatch",
        "is_valid_array_chunk",
        *(f"_operator_{side}{name}" for name in _OF_JAX for side in ("", "r")),
    )
)
_MODULES = frozenset({"numpy", "numpy.fft", "numpy.linalg"})
_PACKAGES = frozenset({"chainrules_tape", "numpy", "scipy", "pandas", "xarray"})
_LABELLING = ("pandas", "xarray")  # which ask for views of an array's memory, too
_STORES = frozenset(
    opcode.opmap[name] for name in ("STORE_SUBSCR", "STORE_SLICE") if name in opcode.opmap
)
_STORED = frozenset(
    CONVERSIONS[name][0] for name in ("__float__", "__int__", "__complex__", "__array__")
)
_STORED_INSTEAD = (
    "make y by chainrules_tape.numpy, whose zeros, zeros_like, empty, full, array, copy and their"
    " like take traced entries; or collect the values in a list, and make the array of it with"
    " chainrules_tape.numpy.array(values)"
)
_HOME = Path(__file__).parents[1]
_NUMBERS = frozenset({CONVERSIONS[name][0] for name in ("__float__", "__int__", "__complex__")})


class Refusal(NamedTuple):
    """A conversion that was refused, what to write instead, and the line that asked for it."""

    operation: str
    instead: str
    filename: str
    line: int


def is_operation_of_another_library(frame: FrameType) -> bool:
    """Whether a frame is that of an operation that asks what its other operand is: of scipy.sparse,
    Dask or JAX.
    """
    return frame.f_code.co_name in _ASK_FOR_OPERANDS and frame.f_globals.get(
        "__name__", ""
    ).startswith(_OPERATORS)


def raise_lost_gradient(operation: str, value: Any, instead: str) -> NoReturn:
    """Raise: this conversion would drop a derivative.

    The level remembers, because somebody may catch the error.
    """
    if value.level is None:
        got = "a buffer, whose memory belongs to the traced values that it may take"
        raise LostGradientError(
            operation,
            got,
            "use numpy.array(x), a copy of its plain numbers",
            operation=operation,
            value=value,
        )
    kind, frame, asked, more = LostGradientError, frame_outside(), operation, {}
    got = (
        f"a traced value of shape {value.shape} and dtype {value.dtype} would become a plain one,"
        " without its derivative"
    )
    package = asking_package()
    function = asking_function() if operation == CONVERSIONS["__array__"][0] else None
    if function is np.ndenumerate:
        operation, instead = "numpy.ndenumerate", ITERATE
    elif (
        function is not None
        and function not in default_rules
        and advice_for(calling_frame()) is None
    ):
        got, instead = (
            f"{got}, in {qualified_name(function)}, which has no rule",
            f"{_WRITE_RULE}; {_BYTES}",
        )
    elif package is not None and (
        operation == CONVERSIONS["__array__"][0]
        or package in _LABELLING
        or (package == "scipy" and operation in _NUMBERS)
    ):
        module = asking_module_with_stand_in()
        advice = ASKERS[package] if module is None else from_stand_in(module)
        got, instead = f"{got}, in {module or package}", f"{advice}; {_BYTES}"
    elif operation in _STORED and stores(frame):
        kind, operation, instead = InPlaceError, "y[index] = x", _STORED_INSTEAD  # type: ignore[assignment]
        got = (
            f"a traced x of shape {value.shape} written into a plain array y, which would hold its"
            " value without its derivative"
        )
    elif operation == CONVERSIONS["__array__"][0]:
        operation, instead, more = (
            *advice_on_arrays(operation, instead),
            {"advice_comes_first": True},
        )
    # Python 3.12 asks for a buffer first: a sparse product goes on to ask for an array, and is
    # answered there.
    if is_possible_conversion(asked, value.shape) and not is_operation_of_another_library(frame):
        value.level.refused = Refusal(operation, instead, frame.f_code.co_filename, frame.f_lineno)
    raise kind(operation, got, instead, operation=operation, value=value, **more)


def advice_on_arrays(operation: str, instead: str) -> tuple[str, str]:
    """What was about to make a plain array, and what to write instead, by the line of the user's
    where that can be read.
    """
    found = advice_for(calling_frame())
    if found is None:
        return operation, instead
    return found.written, f"write {found.instead} in place of {found.written}, or {_BYTES}"


def calling_frame() -> FrameType:
    """The frame of the user's code, which called NumPy or another package that asks for arrays."""
    frame: FrameType = sys._getframe(1)
    while (
        frame.f_back is not None
        and frame.f_globals.get("__name__", "").partition(".")[0] in _PACKAGES
    ):
        frame = frame.f_back
    return frame


def stores(frame: FrameType) -> bool:
    """Whether the line that a frame is at assigns to entries just now, outside packages that are
    advised on otherwise.
    """
    package = frame.f_globals.get("__name__", "").partition(".")[0]
    return package not in _PACKAGES and frame.f_code.co_code[frame.f_lasti] in _STORES


def is_possible_conversion(operation: str, shape: tuple[int, ...]) -> bool:
    """Whether a plain value of this shape allows the conversion: arrays are no numbers, and no
    float is an index.
    """
    return operation != CONVERSIONS["__index__"][0] and (operation not in _NUMBERS or shape == ())


def frame_outside() -> FrameType:
    """The frame that called this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(
        "chainrules_tape."
    ):
        frame = frame.f_back
    return frame


def asking_frames() -> Iterator[FrameType]:
    """The frames between the one that asks for a plain array and the user's code."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _PACKAGES:
        yield frame
        frame = frame.f_back


def asking_function() -> Any:
    """The function of NumPy's that the user called, and that asks for a plain array; None where it
    was anything else.
    """
    *_, frame = asking_frames()
    name = (
        "ndenumerate"
        if frame.f_code.co_qualname == "ndenumerate.__init__"
        else frame.f_code.co_name
    )
    found = frame.f_globals.get(name)
    home = home_module(found) if callable(found) else ""
    return found if home in _MODULES or home.startswith("numpy.polynomial.") else None


def asking_package() -> str | None:
    """Which of the packages that cannot be intercepted asks for a plain array: one between this
    package and the user's code.
    """
    modules = [f"{frame.f_globals.get('__name__', '')}." for frame in asking_frames()]
    return next(
        (package for package in ASKERS if any(name.startswith(f"{package}.") for name in modules)),
        None,
    )


def asking_module_with_stand_in() -> str | None:
    """The module of SciPy's that the user called, if `chainrules_tape` has one of its name and
    nothing more special to say.
    """
    for frame in reversed(list(asking_frames())):
        name = frame.f_globals.get("__name__", "")
        while name.startswith("scipy.") and name not in ASKERS:
            if has_stand_in(name):
                return str(name)
            name = name.rpartition(".")[0]
    return None


def has_stand_in(module: str) -> bool:
    """Whether `chainrules_tape` has a module, or a package, of the name of one of SciPy's."""
    path = _HOME.joinpath(*module.split("."))
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


def warn_of_refusals(level: Any) -> None:
    """Warn where a `LostGradientError` was caught inside a function: with plain values it may go
    another way.
    """
    if level.refused is not None:
        operation, _, filename, line = level.refused
        message = (
            f"{operation}: refused, and the error was caught; with plain values there is none: ask"
            " before converting"
        )
        warnings.warn_explicit(message, LostGradientWarning, filename, line)


def note_refusal(level: Any, error: Exception) -> None:
    """Tell it with another error that was raised because of it, as SciPy does where something does
    not become an array.
    """
    if level.refused is not None and not isinstance(error, ChainRulesError):
        operation, instead, filename, line = level.refused
        error.add_note(
            f"Before this error, {operation} was refused for a traced value at {filename}:{line};"
            f" {instead}"
        )


def forget_refusal(value: Any) -> None:
    """Forget a refusal that was caught on purpose."""
    value.level.refused = None


def refuse_objects(primal: Any, y: Any) -> None:
    """Raise where an operation on traced numbers made an array of Python objects: it would be a
    constant.
    """
    if getattr(getattr(y, "dtype", None), "kind", None) == "O":
        got = "a result of dtype object, whose entries would lose their derivative"
        raise LostGradientError(
            qualified_name(primal), got, "keep to dtypes of numbers", operation=primal, value=y
        )


def raise_write_refused(operation: str, value: Any, instead: str, library: str = "") -> NoReturn:
    """Raise: a write that is not traced, because of what it does or of the library whose array it
    is.
    """
    got = "a write in place, which is not traced" + (f" in arrays of {library}" if library else "")
    raise InPlaceError(operation, got, f"write {instead}", operation=operation, value=value)


def raise_escaped_value(primal: Any, value: Any) -> NoReturn:
    """Raise: the call that traced this value is over.

    Where something keeps the value, it is named.
    """
    got = "a traced value that outlived the call in which it was traced"
    instead = (
        "return it from the differentiated function (has_aux=True for values beside the result)"
    )
    place = kept_in(value) if value is not None else None
    if place is not None:
        got = f"{got}: it is kept in {place}"
        instead = f"keep stop_gradient(x) there, or empty it after each derivative; or {instead}"
    raise EscapedValueError(qualified_name(primal), got, instead, operation=primal, value=value)


def raise_captured_value(primal: Any, value: Any) -> NoReturn:
    """Raise: a rule ran a function whose closure holds traced values, which the rule cannot see."""
    raise ClosureError(
        qualified_name(primal),
        "a function whose result depends on traced values that are not among its arguments",
        "pass them as arguments",
        primal=primal,
        value=value,
    )


def refuse_buffers(
    rule: Rule, options: dict[str, Any], traced: bool, args: tuple[Any, ...]
) -> None:
    """Raise where a traced call is to write into a buffer, or any call into a traced value."""
    if traced or (rule.differentiable and options.get("out") is not None):
        buffer = options["out"][0] if type(options["out"]) is tuple else options["out"]
        where, got, instead = (
            rule.label,
            "out= with traced values, a write that is not traced",
            "use the result: y = f(x)",
        )
        if args and args[0] is buffer and rule.primal in AUGMENTED:
            symbol = AUGMENTED[rule.primal]
            where, got = (
                f"a {symbol}= x",
                "a traced x written into a plain array a, which would lose its derivative",
            )
            instead = (
                f"write a = a {symbol} x; where a is a part of an array, make the whole of its"
                " parts, by numpy.concatenate"
            )
        raise InPlaceError(where, got, instead, operation=rule.primal, value=buffer)
