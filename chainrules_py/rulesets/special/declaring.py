"""Declaring rules of `scipy.special` in its own functions: `special_rule` is `scalar_rule` with their names in expressions."""

from functools import partial
from typing import Any

from scipy import special

from chainrules_py.arrays import library_of_types
from chainrules_py.makers import scalar_rule

FUNCTIONS = {name: getattr(special, name) for name in special.__all__ if callable(getattr(special, name))}
special_rule = partial(scalar_rule, names=FUNCTIONS)


def call(function: Any, *args: Any) -> Any:
    """A function of SciPy's by the library of its arguments, for partials that are functions and not expressions."""
    return library_of_types(map(type, args)).implementation(function)(*args)
