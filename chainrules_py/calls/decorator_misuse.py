"""Refuse decorators of rules without a primal, which would take the rule for the primal.

Else the decorated function would be taken for the primal.
"""

from typing import Any

from chainrules_py.errors import RegistrationError
from chainrules_py.introspection import frame_above, is_applying_decorator, location_of


def require_primals(decorator: str, primals: tuple[Any, ...]) -> None:
    """Raise where the decorator that asks was given no primal.

    That is without arguments, or by ``@decorator``, which is given what stands under it.
    """
    frame = frame_above(2)
    if not primals or is_applying_decorator(frame):
        raise RegistrationError(
            f"@{decorator} at {location_of(frame)}",
            "it was not said whose rule this is",
            f"write @{decorator}(function), with the function that is to be differentiated",
            primal=None,
            rule=next(iter(primals), None),
        )
