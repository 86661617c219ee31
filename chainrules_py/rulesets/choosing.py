"""Choosing among arrays entry by entry: linear in all that may be chosen, by a choice that has no derivative."""

from typing import Any

import numpy as np

from chainrules_py.arrays import Array, Scalar, library_of_types
from chainrules_py.makers import ArraySpec
from chainrules_py.makers.joint import densified
from chainrules_py.projection import ProjectTo
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.propagators import Pullback
from chainrules_py.registry import default_rules
from chainrules_py.structure import fields
from chainrules_py.tangents import NO_TANGENT, ZERO, Tangent, entries, is_zero, with_entries

rrule, frule = default_rules.rrule, default_rules.frule


@rrule.register(np.choose)
def choose_rrule(a: object, choices: list | tuple | Array, *, mode: str = "raise") -> tuple[Any, Pullback]:  # type: ignore[type-arg]
    """Entry k of `a` says which of the choices counts there."""
    xp = _namespace(choices)
    y, specs, project = xp.choose(a, choices, mode=mode), tuple(map(ArraySpec.of, choices)), ProjectTo(choices)

    def choose_pullback(y_bar: Any) -> tuple[Any, Any]:
        chosen = within(a, len(specs), mode, xp)
        bars = [unbroadcast(xp.where(chosen == k, y_bar, 0), spec.shape, xp) for k, spec in enumerate(specs)]
        return NO_TANGENT, project(_like(choices, bars, xp))

    return y, choose_pullback
