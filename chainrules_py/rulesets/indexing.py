"""Reading entries. The adjoint writes them: as a thunk that scatters into the accumulation buffer, so that reading an array
entry by entry and differentiating costs what reading it costs."""

import operator
from typing import Any

from chainrules_py.arrays import Array
from chainrules_py.makers import ArraySpec
from chainrules_py.propagators import Pullback
from chainrules_py.registry import default_rules
from chainrules_py.tangents import NO_TANGENT, InplaceableThunk

rrule, frule = default_rules.rrule, default_rules.frule


@rrule.register(operator.getitem)
def getitem_rrule(a: Array, index: object, *, xp: Any) -> tuple[Any, Pullback]:
    """y = a[index]; a_bar[index] += y_bar."""
    spec = ArraySpec.of(a)

    def getitem_pullback(y_bar: Any) -> tuple[Any, Any]:
        def add_into(buffer: Any) -> None:
            if _is_basic(index):
                buffer[index] += y_bar
            else:
                xp.add.at(buffer, index, y_bar)  # a_bar[index] += y_bar would drop repeated indices

        def zeros() -> Any:
            return xp.zeros(spec.shape, spec.dtype)

        def scattered() -> Any:
            buffer = zeros()
            add_into(buffer)
            return buffer

        return InplaceableThunk(scattered, add_into, zeros), NO_TANGENT

    return a[index], getitem_pullback


@frule.register(operator.getitem)
def getitem_frule(dots: tuple[Any, ...], a: Array, index: object) -> tuple[Any, Any]:
    """Reading is linear: y_dot = a_dot[index]."""
    return a[index], dots[0][index]


def _is_basic(index: Any) -> bool:
    """Whether an index can hit no entry twice: integers, slices, None and Ellipsis."""
    parts = index if isinstance(index, tuple) else (index,)
    return all(part is None or part is Ellipsis or isinstance(part, int | slice) for part in parts)
