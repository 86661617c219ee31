"""Refuse decorators of rules without a primal, which would take the rule for the primal."""

from typing import Any

from chainrules_py.errors import RegistrationError
from chainrules_py.introspection import frame_above, is_applying_decorator, location_of


def require_primals(decorator: str, primals: tuple[Any, ...]) -> None:
    """Raise where the calling decorator was given no primal.

    It was called without arguments, or used as a bare ``@decorator``, which is given the rule.
    """
    frame = frame_above(2)
    if not primals or is_applying_decorator(frame):
        raise RegistrationError(
            f"@{decorator} at {location_of(frame)}",
            "it does not say whose rule this is",
            f"write @{decorator}(function), with the function that is to be differentiated",
            primal=None,
            rule=next(iter(primals), None),
        )
