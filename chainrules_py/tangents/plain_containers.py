"""Tangents of containers as plain containers of dense tangents, and back."""

from collections.abc import Iterable, Mapping
from typing import Any

from chainrules_py.errors import TangentTypeError
from chainrules_py.tangents import (
    ZERO,
    AbstractZero,
    NotImplementedTangent,
    Tangent,
    entries,
    is_zero,
    materialize,
    with_entries,
    zero_tangent,
)
from chainrules_py.tangents.describing import describe
from chainrules_py.values.structure import fields, is_container, mapped, rebuild


def tangent_of_ones(x) -> Any:
    """A tangent of a value that is nowhere zero, containers as containers."""
    if is_container(x):
        return mapped(tangent_of_ones, x)
    zero = zero_tangent(x)
    return zero if isinstance(zero, AbstractZero) else zero + 1


def as_plain_container(t, like) -> Any:
    """Return a tangent of `like` as plain containers of dense tangents."""
    if is_container(like):
        parts = fields(like)
        own = tangents_of_parts(t, parts)
        return rebuild(
            like, {key: as_plain_container(own.get(key, ZERO), part) for key, part in parts.items()}
        )
    return materialize(ZERO if is_zero(t) else t, like=like)


def tangents_of_parts(t, keys: Iterable[Any]) -> Mapping[Any, Any]:
    """List the tangents of a container's parts, given a `Tangent` or a plain container."""
    if isinstance(t, Tangent):
        return entries(t)
    if isinstance(t, NotImplementedTangent):
        return dict.fromkeys(keys, t)
    if is_zero(t):
        return {}
    if not is_container(t):
        got = f"a rule gave {describe(t)} as the tangent of a container with the parts {list(keys)}"
        instead = (
            "give a Tangent, such as Tangent[list](a_bar, b_bar), or a container, with one tangent"
            " per part"
        )
        raise TangentTypeError(
            "the tangent of a container", got, instead, operation=tangents_of_parts, operands=(t,)
        )
    return fields(t)


def as_tangent(t: Any) -> Any:
    """A plain container of tangents as a `Tangent`; other tangents as they are."""
    if not is_container(t):
        return t
    return with_entries(type(t), {key: as_tangent(part) for key, part in fields(t).items()})
