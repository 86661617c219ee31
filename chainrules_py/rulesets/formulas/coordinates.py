"""Tangents of a value of any nesting as vectors of real coordinates, and back, in operations that
have rules.

A complex number has two coordinates, an integer or a function none. In these coordinates a rule's
pullback is the transpose of its pushforward, for complex numbers too, so that linear systems of
tangents are those of real matrices.
"""

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from chainrules_py.tangents import NO_TANGENT, ZERO, has_tangent, is_zero, unthunk, with_entries
from chainrules_py.tangents.plain_containers import tangents_of_parts
from chainrules_py.values.arrays import common_namespace, shape_of
from chainrules_py.values.structure import fields, is_container


class Coordinates:
    """The real coordinates of the tangents of one value: `size` of them."""

    def __init__(self, like) -> None:
        self.cls = type(like)
        self.parts: dict[Any, Coordinates] | None = None
        self.shape: tuple[int, ...] = ()
        self.dtype: Any = None
        self.is_complex, self.size = False, 0
        if is_container(like):
            self.parts = {key: Coordinates(part) for key, part in fields(like).items()}
            self.size = sum(part.size for part in self.parts.values())
            return
        self.shape, self.dtype = shape_of(like), differentiated_dtype(like)
        if self.dtype is not None:
            self.is_complex = self.dtype.kind == "c"
            self.size = prod(self.shape) * (2 if self.is_complex else 1)

    def vector(self, t) -> Any:
        """The coordinates of a tangent: one array, with zeros for what is ZERO."""
        pieces = list(self._pieces(t))
        if len(pieces) == 1:
            return pieces[0]
        return common_namespace(pieces).concatenate(pieces) if pieces else np.zeros(0)

    def _pieces(self, t) -> Iterator[Any]:
        if self.parts is not None:
            own = tangents_of_parts(unthunk(t), self.parts)
            for key, part in self.parts.items():
                yield from part._pieces(own.get(key, ZERO))
        elif self.size and is_zero(t):
            yield np.zeros(self.size)
        elif self.size:
            t = unthunk(t)
            xp = common_namespace([t])
            flat = xp.reshape(t, (-1,)) if hasattr(t, "shape") else np.reshape(t, -1)
            yield from (xp.real(flat), xp.imag(flat)) if self.is_complex else (flat,)

    def tangent(self, vector) -> Any:
        """The tangent with these coordinates."""
        if self.parts is not None:
            made, start = {}, 0
            for key, part in self.parts.items():
                made[key] = part.tangent(vector[start : start + part.size])
                start += part.size
            return with_entries(self.cls, made)
        if self.dtype is None:
            return NO_TANGENT
        half = self.size // 2
        flat = vector[:half] + 1j * vector[half:] if self.is_complex else vector
        # of a solver that begins with integers, or beside tangents of another precision
        if flat.dtype != self.dtype:
            flat = flat.astype(self.dtype)
        return common_namespace([flat]).reshape(flat, self.shape) if self.shape else flat[0]


def differentiated_dtype(x) -> Any:
    """The dtype of a number or an array with a tangent space; None for everything else."""
    dtype = getattr(x, "dtype", None)
    if dtype is None and isinstance(x, float | complex):
        dtype = np.dtype(complex if isinstance(x, complex) else float)
    return dtype if dtype is not None and has_tangent(dtype) else None


def pair(one, other) -> Any:
    """The tangent of a tuple of two."""
    return with_entries(tuple, {0: one, 1: other})
