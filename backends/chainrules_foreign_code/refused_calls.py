"""Refuse traced numbers where Python's own classes and functions take floats only.

These raise a TypeError of their own for a traced number, and a program that catches that takes
another branch than with plain numbers, unnoticed. Where foreign code calls one of them, a refusal
is raised first, and there is a warning if it is caught. A fraction of a traced number is that
number, and a method that is called by its class, ``float.is_integer(x)``, is the number's own.
"""

import sys
from functools import cache, update_wrapper
from types import BuiltinFunctionType, FunctionType
from typing import Any

from chainrules_foreign_code.conversions import require_plain_text
from chainrules_foreign_code.steps import traced_in
from chainrules_py.annotations import Function
from chainrules_tape.arrays.zero_dimensional import number_of_array
from chainrules_tape.core.levels import innermost, open_levels
from chainrules_tape.refusals.advice import NUMBER
from chainrules_tape.refusals.errors import raise_lost_gradient

REFUSED: dict[str, tuple[str, ...]] = {
    "fractions": ("Fraction",),
    "decimal": ("Decimal",),
    "datetime": ("timedelta",),
    "json": ("dumps", "dump"),
    "select": ("select",),
    "_struct": ("pack", "pack_into"),
}
_KINDS = (type, FunctionType, BuiltinFunctionType)


def refusal_of_call(found) -> Any:
    """The function to call in the place of one of these; None where it is another object."""
    if not issubclass(type(found), _KINDS):
        return None
    module = found.__module__
    if not isinstance(module, str) or module not in REFUSED:
        return None
    name = found.__name__
    if name not in REFUSED[module]:
        return None
    is_pythons_own = getattr(sys.modules.get(module), name, None) is found
    return refusing_traced(found) if is_pythons_own else None


@cache
def refusing_traced(found) -> Function:
    """The function or class for plain numbers, which refuses traced ones."""
    name = f"{found.__module__.lstrip('_')}.{found.__name__}"

    def call_unless_traced(*args, **options):
        given = (*args, *options.values())
        if not open_levels or innermost(given) is None:
            return found(*args, **options)
        if name == "fractions.Fraction" and len(args) == 1 and not options:
            return args[0] if args[0].is_number else number_of_array(args[0])
        return raise_lost_gradient(f"{name}(x)", next(traced_in(given)), NUMBER)

    copied = ("__module__", "__name__", "__qualname__", "__doc__")
    return update_wrapper(call_unless_traced, found, assigned=copied, updated=())


def from_text(text) -> float:
    """``float.fromhex(text)``, which refuses the text of a traced number."""
    if open_levels and isinstance(text, str):
        require_plain_text(text)
    return float.fromhex(text)
