"""numpy.linalg. Notation and derivations: M. Giles, Collected matrix derivative results for forward and reverse mode (2008)."""

from typing import Any

import numpy as np

from chainrules_py.arrays import Array
from chainrules_py.propagators import Pullback
from chainrules_py.registry import default_rules

rrule, frule = default_rules.rrule, default_rules.frule


def adjoint(a: Any, xp: Any) -> Any:
    """The conjugate transpose of each matrix."""
    return xp.conj(xp.matrix_transpose(a))


@rrule.register(np.linalg.inv)
def inv_rrule(a: Array, *, xp: Any) -> tuple[Any, Pullback]:
    """A_bar = -Y^H Y_bar Y^H (Giles 2008, 2.2.3)."""
    y = xp.linalg.inv(a)

    def inv_pullback(y_bar: Any) -> tuple[Any]:
        y_h = adjoint(y, xp)
        return (-y_h @ y_bar @ y_h,)

    return y, inv_pullback


@frule.register(np.linalg.inv)
def inv_frule(dots: tuple[Any, ...], a: Array, *, xp: Any) -> tuple[Any, Any]:
    """Y_dot = -Y A_dot Y."""
    y = xp.linalg.inv(a)
    return y, -y @ dots[0] @ y
