"""The error for what the array API standard does not have."""

from collections.abc import Callable
from typing import Any, Never

from chainrules_py.errors import ChainRulesError


class ArrayApiError(ChainRulesError, NotImplementedError):
    """The array API standard, or a library of it, lacks a function or an option of NumPy's.

    `function` is the name of that function.
    """

    function: str


def raise_not_standard(name: str, got: str, instead: str) -> Never:
    """Raise, because the standard does not say how to compute this."""
    raise ArrayApiError(
        f"numpy.{name} on arrays of the array API standard", got, instead, function=name
    )


def computed_by_standard(xp, theirs: str, name: str, *args, **options) -> Any:
    """What a library's function gives; raise by NumPy's name where it lacks the function, or says
    that it does not compute this.
    """
    got = f"{xp.__name__} has no {theirs}"
    function = getattr(xp, theirs, None)
    if function is not None:
        try:
            return function(*args, **options)
        except NotImplementedError as error:
            got = f"{xp.__name__} does not compute {theirs} of these ({error})".replace(" ()", "")
    raise_not_standard(name, got, "call it on NumPy's arrays, or write it in other functions")


def refusing_function(name: str) -> Callable[..., Never]:
    """Make a function that raises, in the place of one that the standard does not have."""

    def refuse_call(*args, **options) -> Never:
        got = "the standard has no such function"
        instead = "write it in functions of the standard, or call it on NumPy's arrays"
        raise_not_standard(name, got, instead)

    return refuse_call
