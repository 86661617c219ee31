"""The base of interpolants, which are called at points, with plain values or with traced ones."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from chainrules_tape.core.lanes import LaneHandle
from chainrules_tape.core.levels import innermost
from chainrules_tape.core.values import resolved
from chainrules_tape.scipy.objects import StandInObject, constant, named

WHERE = "chainrules_tape.scipy.interpolate"


class Interpolant(StandInObject):
    """An interpolant of SciPy's class `made_by`; `evaluate` computes its values of traced ones."""

    # The argument in which many examples may have lanes: what `plain` is asked for is the same
    # whatever that holds.
    laned: ClassVar[str] = ""

    def plain_object(self, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """SciPy's own object, of the values of all examples where these are in lanes.

        SciPy checks all of them then; where it is told what the values are at the ends or outside,
        in the shape of one example, it is given the first.
        """
        own: Any = constant(self.given.get(self.laned))
        if not isinstance(own, LaneHandle):
            return super().plain_object(args, options)
        given = {name: constant(value) for name, value in self.given.items()}
        (values, more), axis = beside_each_other(own), given["axis"]
        if any(has_numbers(given.get(name)) for name in ("bc_type", "fill_value")):
            values = values[(..., *(0,) * more)]
        elif axis < 0:
            axis -= more
        return self.made_by(**{**given, self.laned: values, "axis": axis})

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Evaluate at points: by SciPy, or in operations that are traced."""
        if not self.is_traced and innermost((*args, *options.values())) is None:
            return self.plain(*args, **options)
        return self.evaluate(**named(self.made_by.__call__, self, *args, **options))

    evaluate: ClassVar[Callable[..., Any]]  # the values for the arguments of a call by name


def beside_each_other(x: Any) -> tuple[Any, int]:
    """A plain array of what is in lanes, with these as its last axes; and how many they are."""
    more = 0
    while isinstance(x, LaneHandle):
        x = np.moveaxis(constant(resolved(x).value), 0, -1)
        more += 1
    return x, more


def has_numbers(option: Any) -> bool:
    """Whether an option has numbers other than one for all."""
    return isinstance(option, tuple | list | np.ndarray)


def with_points_at(axis: int, y: Any, points: Any) -> Any:
    """Values whose first axes are those of points, with these axes in the place of an axis."""
    ndim = points.ndim
    return np.moveaxis(y, tuple(range(ndim)), tuple(range(axis, axis + ndim)))
