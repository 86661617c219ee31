"""`ignore_derivatives`: a value as a constant, for callers of functions."""

from functools import wraps
from typing import Any

from chainrules_py.makers import axes_rule, non_differentiable, primitive
from chainrules_py.values.structure import fields, is_container, rebuild


@primitive
def _ignored(value: Any) -> Any:
    return value


non_differentiable(_ignored)
axes_rule(_ignored, kind="elementwise")


def ignore_derivatives(value: Any) -> Any:
    """Return the value as a constant; for a function, that function with constant results.

    >>> ignore_derivatives(2.0)
    2.0
    """
    if hasattr(type(value), "__chainrules_call__"):
        return _ignored(value)
    if is_container(value):
        return rebuild(
            value, {key: ignore_derivatives(part) for key, part in fields(value).items()}
        )
    if callable(value):

        @wraps(value)
        def ignoring(*args: Any, **options: Any) -> Any:
            return ignore_derivatives(value(*args, **options))

        return ignoring
    return _ignored(value)
