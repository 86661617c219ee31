"""`LinearMap`, a linear map and its adjoint, and the errors of functions that should have returned
such maps.

Whether they have is asked only after something has failed, so that rules without a mistake pay
nothing for it: what is wrong with the function is said with its name and place, and an error that
is not about its maps goes on as it is.
"""

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from chainrules_py.annotations import Function
from chainrules_py.checks.contract import has_tangents
from chainrules_py.errors import ProjectionError, RuleContractError
from chainrules_py.projection.project_to import admitting_space
from chainrules_py.tangents import ZERO
from chainrules_py.values.identity import location


class LinearMap(NamedTuple):
    """A linear map and its adjoint: ``x_dot -> y_dot`` and ``y_bar -> x_bar``."""

    push: Callable[[Any], Any]
    pull: Callable[[Any], Any]


# of an argument by which the derivative is zero
TO_ZERO = LinearMap(lambda x_dot: ZERO, lambda y_bar: ZERO)

# what `linearised_rule` decorates returns: the value, and a map or None for each argument
Linearised = tuple[Any, ...]


INSTEAD_OF_NO_MAP = (
    "return one to ZERO if the derivative is zero, to not_implemented(...) if nobody wrote it"
)

# What a missing, superfluous or misshapen map, or what it returns, runs into.
LIKELY_ERRORS = (AttributeError, IndexError, ProjectionError, TypeError, ValueError)


def require_constant(function: Function, place: int, x) -> None:
    """Raise where there is no map for an argument that is differentiated, and has tangents."""
    if has_tangents(admitting_space(x)):
        got = f"returned no map for argument {place}, which has tangents"
        raise _wrong(function, got, INSTEAD_OF_NO_MAP, None, "a LinearMap")


def blame_maps(function: Function, found, count: int, error: Exception) -> None:
    """Raise where `found` is not one map per argument, or what a map returned does not fit."""
    maps = (found,) if isinstance(found, LinearMap) else found
    if not isinstance(maps, tuple | list) or len(maps) < count or not all(map(_is_map, maps)):
        raise _wrong(
            function, f"returned {_described(found)}", _one_per_argument(count), found, count
        ) from error
    for each in maps:
        if each is not None:
            blame_map(function, each.push, error)


def blame_map(function: Function, push_or_pull, error: Exception) -> None:
    """Raise where one half of a map is no function, or where what it returned does not fit."""
    if not callable(push_or_pull):
        raise _wrong(
            function,
            f"made a LinearMap of {push_or_pull!r}",
            _one_per_argument(1),
            push_or_pull,
            "a function",
        ) from error
    if isinstance(error, ProjectionError):
        raise _wrong(
            function,
            f"a map returned what does not fit: {error.got}",
            error.instead,
            error.value,
            None,
        ) from error


def blame_value_and_maps(function: Function, found, count: int, error: Exception) -> None:
    """Raise the error of a rule that returned no value with maps, if that explains a failure."""
    if isinstance(found, LinearMap) or not isinstance(found, tuple | list) or not found:
        instead = f"return the value first: {_one_per_argument(count).replace('return', 'y,')}"
        raise _wrong(function, f"returned {_described(found)}", instead, found, count) from error
    blame_maps(function, tuple(found[1:]), count, error)


def _is_map(found) -> bool:
    return found is None or (isinstance(found, LinearMap) and all(map(callable, found)))


def _one_per_argument(count: int) -> str:
    if count == 1:
        return "return LinearMap(push, pull), two functions"
    return (
        f"return {count} of LinearMap(push, pull), one per argument, None for one without a tangent"
        " space"
    )


def _described(found) -> str:
    if isinstance(found, LinearMap):
        return "one LinearMap" if _is_map(found) else f"LinearMap({found.push!r}, {found.pull!r})"
    if isinstance(found, tuple | list):
        return f"({', '.join(map(_described, found))})"
    return "None" if found is None else f"a {type(found).__qualname__}"


def _wrong(function: Function, got: str, instead: str, value, expected) -> RuleContractError:
    where = location(function)
    name = getattr(inspect.unwrap(function), "__name__", "the function")
    return RuleContractError(
        f"{name} at {where}",
        got,
        instead,
        rule=None,
        location=where,
        argument="maps",
        value=value,
        expected=expected,
    )
