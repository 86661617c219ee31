"""How projection says no."""

from typing import Any

from chainrules_py.errors import ProjectionError


def describe(value: Any) -> str:
    """A value in a few words, without its numbers.

    >>> describe([1.0, 2.0])
    'a list of length 2'
    """
    name = type(value).__qualname__
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"{name} of shape {value.shape} and dtype {value.dtype}"
    if isinstance(value, (tuple, list, dict)):
        return f"a {name} of length {len(value)}"
    return f"a {name}" if value is not None else "None"


def refusal(space: Any, value: Any, instead: str) -> ProjectionError:
    """The error for a `value` that has no place in `space`."""
    return ProjectionError(repr(space), f"got {describe(value)}", instead, space=space, value=value)
