"""What the derivative of a function is in one of its arguments, in both directions."""

from collections.abc import Callable
from typing import Any, NamedTuple


class LinearMap(NamedTuple):
    """A linear map and its adjoint: ``x_dot -> y_dot`` and ``y_bar -> x_bar``."""

    push: Callable[[Any], Any]
    pull: Callable[[Any], Any]
