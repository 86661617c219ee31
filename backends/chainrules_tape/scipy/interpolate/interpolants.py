"""The base of interpolants, which are called at points, with plain values or with traced ones."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from chainrules_tape.core.levels import innermost
from chainrules_tape.scipy.objects import StandInObject, named

WHERE = "chainrules_tape.scipy.interpolate"


class Interpolant(StandInObject):
    """An interpolant of SciPy's class `made_by`; `evaluate` computes its values of traced ones."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Evaluate at points: by SciPy, or in operations that are traced."""
        if not self.is_traced and innermost((*args, *options.values())) is None:
            return self.plain(*args, **options)
        return self.evaluate(**named(self.made_by.__call__, self, *args, **options))

    evaluate: ClassVar[Callable[..., Any]]  # the values for the arguments of a call by name


def with_points_at(axis: int, y: Any, points: Any) -> Any:
    """Values whose first axes are those of points, with these axes in the place of an axis."""
    ndim = points.ndim
    return np.moveaxis(y, tuple(range(ndim)), tuple(range(axis, axis + ndim)))
