"""Tangents as engines have them: containers like the primal's in place of `Tangent`."""

from typing import Any

from chainrules_py.tangents import (
    ZERO,
    AbstractZero,
    Tangent,
    entries,
    unthunk,
    with_entries,
    zero_tangent,
)
from chainrules_py.values.structure import fields, is_container, rebuild


def as_container(tangent, primal) -> Any:
    """Write a tangent as containers like the primal's, with zeros written out.

    >>> from chainrules_py.tangents import NO_TANGENT
    >>> as_container(Tangent[tuple](2.0, ZERO, NO_TANGENT), (1.0, 5.0, 3))
    (2.0, 0.0, NO_TANGENT)
    """
    tangent = unthunk(tangent)
    if isinstance(tangent, AbstractZero):
        return zero_tangent(primal)
    if not isinstance(tangent, Tangent):
        return tangent
    present, own = entries(tangent), fields(primal)
    return rebuild(primal, {key: as_container(present.get(key, ZERO), own[key]) for key in own})


def as_tangent(gradient, primal) -> Any:
    """An engine's gradient as rules return it: a `Tangent` where the engine returned a container."""
    if not is_container(primal) or isinstance(gradient, Tangent | AbstractZero) or gradient is None:
        return gradient
    present, own = fields(gradient), fields(primal)
    return with_entries(type(primal), {key: as_tangent(present[key], own[key]) for key in own})
