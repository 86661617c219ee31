"""Values by what people write: ``2.0``, ``[1.0, 2.0]``, ``{'w': [0.5]}``, or a type as programs are
shown, ``float64[2,3]``.
"""

import argparse
import re
from ast import literal_eval
from collections.abc import Sequence
from typing import Any

import numpy as np

from chainrules_command.misuse import MisuseError
from chainrules_command.names import function_named
from chainrules_py.annotations import Function
from chainrules_py.values.signatures import signature_of

TYPE = re.compile(r"([a-z]+\d+)(\[[\d, ]*\])?")
EXAMPLES: dict[str, Any] = {
    **dict.fromkeys(("array", "ndarray"), np.ones((2, 2))),
    "float": 0.5,
    "int": 1,
    "complex": 0.5 + 0.5j,
    "bool": True,
    "str": "text",
    "list": [0.5, 1.0],
    "tuple": (0.5, 1.0),
}


def call_named(options: argparse.Namespace) -> tuple[Function, list[Any]]:
    """The function and its arguments that a command line names."""
    function, args = function_named(options.function), values_of(options.args)
    require_arguments(options.function, function, args)
    return function, args


def values_of(words: Sequence[str]) -> list[Any]:
    """The value of each word; random arrays are the same ones each time."""
    rng = np.random.default_rng(0)
    return [value_of(word, rng) for word in words]


def value_of(word: str, rng: np.random.Generator) -> Any:
    """A random array or number of a type, an example of a class, or what Python reads; lists of
    numbers are arrays.

    >>> value_of("float32[2,3]", np.random.default_rng(0)).shape, value_of("[1, 2]", np.random.default_rng(0))
    ((2, 3), array([1., 2.]))
    """
    if word in EXAMPLES:
        return EXAMPLES[word]
    if found := TYPE.fullmatch(word):
        return random_value(
            word, found[1], [int(length) for length in re.findall(r"\d+", found[2] or "")], rng
        )
    try:
        return with_arrays(literal_eval(word))
    except (ValueError, SyntaxError) as error:
        instead = "write a number, a list, a dict, or a type such as float64[2,3]"
        raise MisuseError(f"the argument {word!r}", "it is no Python literal", instead) from error


def random_value(word: str, dtype: str, shape: list[int], rng: np.random.Generator) -> Any:
    """Numbers between 1/2 and 3/2, where most functions are defined; whole ones from 0 to 2."""
    try:
        kind = np.dtype(dtype)
    except TypeError as error:
        raise MisuseError(
            f"the argument {word!r}", f"NumPy has no type {dtype}", "write float64[2,3], say"
        ) from error
    if kind.kind not in "biufc":
        raise MisuseError(
            f"the argument {word!r}", f"{dtype} is no type of numbers", "write float64[2,3], say"
        )
    if kind.kind in "iub":
        return rng.integers(0, 3, shape).astype(kind)[()]
    values = rng.uniform(0.5, 1.5, shape) + (
        1j * rng.uniform(0.5, 1.5, shape) if kind.kind == "c" else 0
    )
    return np.asarray(values).astype(kind)[()]


def with_arrays(value) -> Any:
    """Turn each list of numbers, in any nesting, into an array."""
    if isinstance(value, dict):
        return {key: with_arrays(part) for key, part in value.items()}
    if isinstance(value, tuple):
        return tuple(map(with_arrays, value))
    if not isinstance(value, list):
        return value
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        array = np.asarray("")
    if array.dtype.kind not in "biufc":
        return [with_arrays(part) for part in value]
    return array.astype(float) if array.dtype.kind in "iu" else array


def require_arguments(name: str, function: Function, args: Sequence[Any]) -> None:
    """Raise where a function cannot be called with so many arguments."""
    try:
        signature = signature_of(function)
    except (TypeError, ValueError):  # functions in C may have none
        return
    try:
        signature.bind(*args)
    except TypeError as error:
        instead = (
            f"write a value or a type for each argument of {name}{signature}, as in float64[3]"
        )
        raise MisuseError(name, str(error), instead) from error


def positions_of_real_numbers(name: str, args: Sequence[Any]) -> tuple[int, ...]:
    """Which arguments have a real number in them by which a function can be differentiated; raise
    where none has.
    """
    found = tuple([n for n, arg in enumerate(args) if has_real_numbers(arg)])
    if not found:
        got = "none of its arguments has a real number, so there is nothing to differentiate it by"
        raise MisuseError(
            name, got, "write a value such as 2.0 or [1.0, 2.0], or a type such as float64[3]"
        )
    return found


def has_real_numbers(arg) -> bool:
    """Tell whether an argument, or a container, has a floating or complex number in it."""
    if isinstance(arg, dict | list | tuple):
        return any(map(has_real_numbers, arg.values() if isinstance(arg, dict) else arg))
    return np.asarray(arg).dtype.kind in "fc"
