"""Translate between tangents of rules and of engines, for functions that a rule was given.

Transforms return containers like the arguments, whose ``+`` joins them; rules add tangents.
"""

from collections.abc import Callable
from typing import Any

from chainrules_py.tangents.plain_containers import as_tangent


def with_tangents_back(value: Any, pullback: Callable[[Any], Any]) -> tuple[Any, Any]:
    """A value and its pullback, whose cotangents of containers are tangents."""
    return value, lambda y_bar: tuple(map(as_tangent, pullback(y_bar)))


def with_tangent(value: Any, y_dot: Any) -> tuple[Any, Any]:
    """A value and its derivative, which is a tangent where the value is a container."""
    return value, as_tangent(y_dot)
