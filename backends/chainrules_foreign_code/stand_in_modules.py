"""The modules that foreign code gets in the place of NumPy's and SciPy's of the same name.

They are those of `chainrules_tape`, which code that is written to be differentiated uses, too. Code
that knows nothing of derivatives needs another derivative of a few functions. Where it does, the
module here differs from that one in these functions, and in nothing else: so the derivative is
chosen where the module is replaced, and no function asks who calls it.
"""

import importlib
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from chainrules_foreign_code.new_arrays import (
    CREATION,
    MOSTLY_READ,
    made_in_scipy,
    made_where_written,
)
from chainrules_foreign_code.rounding import fixing_by, rounding_by
from chainrules_foreign_code.steps import WITH_DTYPE, integers_by
from chainrules_foreign_code.vectorizing import vectorize_as_foreign
from chainrules_tape.numpy.creation import creating

CONVERSIONS = ("array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "astype")


@cache
def stand_in_module(name: str) -> ModuleType:
    """The module in the place of one of NumPy's or SciPy's, given its name.

    >>> import chainrules_tape.numpy
    >>> of_foreign_code = stand_in_module("numpy")
    >>> of_foreign_code.exp is chainrules_tape.numpy.exp
    True
    >>> of_foreign_code.round is chainrules_tape.numpy.round
    False
    """
    module = importlib.import_module(f"chainrules_tape.{name}")
    if name == "numpy":
        rounding = rounding_by(module.round)
        integers = {
            each: integers_by(getattr(module, each)) for each in (*CONVERSIONS, *WITH_DTYPE)
        }
        known = vars(module) | integers
        new = {each: made_in_scipy(known[each]) for each in CREATION}
        for each in MOSTLY_READ:
            to_be_written = creating(getattr(np, each))
            if each in integers:
                to_be_written = integers_by(to_be_written)
            read = integers.get(each) or getattr(module, each)
            new[each] = made_where_written(read, to_be_written)
        return varied(
            module,
            linalg=stand_in_module("numpy.linalg"),
            round=rounding,
            around=rounding,
            fix=fixing_by(module.fix),
            vectorize=vectorize_as_foreign,
            **integers | new,
        )
    if name in ("numpy.linalg", "scipy.linalg"):
        triangles = module.TRIANGLES.items()
        return varied(module, **{each: found.mirrored(always=True) for each, found in triangles})
    return module


def varied(module: ModuleType, **functions) -> ModuleType:
    """A module with other functions by some names; by all others it has what the original has."""

    def find(name: str):
        found = getattr(module, name)
        vars(made)[name] = found  # the next look-up finds it at once
        return found

    made = ModuleType(module.__name__, module.__doc__)
    vars(made).update(functions, __getattr__=find, __dir__=lambda: dir(module))
    return made


def functions_in_place_of() -> dict[int, Any]:
    """The functions that differ, by the identity of those of `chainrules_tape.numpy`."""
    found: dict[int, Any] = {}
    for name in ("numpy", "numpy.linalg"):
        original = importlib.import_module(f"chainrules_tape.{name}")
        made = stand_in_module(name)
        differing = [entry for entry in vars(made) if not entry.startswith("__")]
        found.update({id(getattr(original, entry)): vars(made)[entry] for entry in differing})
    return found
