"""What authors of linear rules are given and give: `ArraySpec`, an array without its entries, and `LinearMap`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple


@dataclass(slots=True)  # not frozen: making one is on the path of every pullback, and would cost four times as much
class ArraySpec:
    """The shape and dtype of an array that is not kept; a number has shape () and the dtype of its own class."""

    shape: tuple[int, ...]
    dtype: Any

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of entries."""
        size = 1
        for length in self.shape:
            size *= length
        return size

    @classmethod
    def of(cls, value: Any) -> "ArraySpec":
        """What an adjoint may know of an argument."""
        return cls(getattr(value, "shape", ()), getattr(value, "dtype", type(value)))


class LinearMap(NamedTuple):
    """A linear map and its adjoint: ``x_dot -> y_dot`` and ``y_bar -> x_bar``."""

    push: Callable[[Any], Any]
    pull: Callable[[Any], Any]


Linearised = tuple[Any, ...]  # what `linearised_rule` decorates returns: the value, and a map or None for each argument
