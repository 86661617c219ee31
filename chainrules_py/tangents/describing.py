"""Write values in a few words for errors, without the numbers of large ones."""

from typing import Any

from chainrules_py.tangents.abstract import AbstractTangent
from chainrules_py.tangents.structural import Tangent, entries
from chainrules_py.values.structure import fields, is_container

_LONGEST_TEXT = 60
_MOST_PARTS = 4


def describe(value: Any) -> str:
    """Write a value in a few words: arrays by shape and dtype, containers part by part.

    >>> describe([1.0, "two"]), describe([0] * 9)
    ("a list of 1.0, 'two'", 'a list of length 9')
    """
    name = type(value).__qualname__
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"{name} of shape {value.shape} and dtype {value.dtype}"
    if isinstance(value, Tangent):
        return f"a {name} of {_parts(entries(value))}"
    if is_container(value):
        return f"a {name} of {_parts(fields(value))}"
    if value is None or isinstance(value, int | float | complex | str | AbstractTangent):
        text = repr(value)
        return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 3]}..."
    return f"a {name}"


def _parts(parts: dict[Any, Any]) -> str:
    if len(parts) > _MOST_PARTS or not parts:
        return f"length {len(parts)}"
    return ", ".join(
        f"{'' if isinstance(key, int) else f'{key}: '}{describe(part)}"
        for key, part in parts.items()
    )
