"""`LinearMap`, a linear map and its adjoint, which the authors of linearised rules return."""

from collections.abc import Callable
from typing import Any, NamedTuple


class LinearMap(NamedTuple):
    """A linear map and its adjoint: ``x_dot -> y_dot`` and ``y_bar -> x_bar``."""

    push: Callable[[Any], Any]
    pull: Callable[[Any], Any]


# what `linearised_rule` decorates returns: the value, and a map or None for each argument
Linearised = tuple[Any, ...]
