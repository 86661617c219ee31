"""Phases of complex vectors, which LAPACK fixes by making one entry of each vector real.

With v_k that entry, v moves by v_dot - i Im(v_dot_k / v_k) v. Where v_k is zero, or a library makes
no such entry real, the phase is said not to move, and cotangents that depend on it are refused.

JAX and PyTorch differentiate what a rule computes by derivatives of their own, in which phases move
otherwise (`turned_as_lapack`).
"""

from typing import Any, NoReturn

import numpy as np

from chainrules_py import LinearMap, NotDifferentiableError
from chainrules_py.rulesets.formulas.array_likes import IDENTITY
from chainrules_py.rulesets.formulas.matrices import passes_zero, reciprocal_or_zero
from chainrules_py.rulesets.linalg.degeneracy import UndeterminedTangent, numbers_below
from chainrules_py.tangents import is_zero
from chainrules_py.values.arrays import library_of


def at_row(k: int, v, xp) -> Any:
    """Which entries are in one row, as `phase_map` wants to know of the real ones."""
    row = k % v.shape[-2] if v.shape[-2] else 0
    return xp.expand_dims(xp.arange(v.shape[-2]) == row, -1)


def largest_real(v, xp) -> Any:
    """Which entry of each column is the largest of the real ones; of as large ones the first."""
    if not v.shape[-2]:
        return at_row(0, v, xp)
    sizes = xp.where(xp.imag(v) == 0, xp.abs(v), 0)
    rows = xp.expand_dims(xp.arange(v.shape[-2]), -1)
    return rows == xp.expand_dims(xp.argmax(sizes, axis=-2), -2)


def turns_otherwise(vectors) -> bool:
    """Whether the library of complex vectors has a derivative of them, with other phases."""
    library = library_of(type(vectors))
    return vectors.dtype.kind == "c" and library is not None and library.calls is not None


def turned_as_lapack(real, xp, first, *others) -> tuple[Any, ...]:
    """Columns as they are, with a derivative that keeps an entry of each of the first ones real.

    Others share the phases of the first; those beyond have their own.
    """
    entry = xp.sum(xp.where(real, first, 0), axis=-2, keepdims=True)
    free = (xp.imag(entry) != 0) | (xp.real(entry) == 0)
    entry = xp.where(free, 1, entry)
    turn = xp.conj(entry) / xp.where(xp.real(entry) < 0, -xp.abs(entry), xp.abs(entry))

    def turned(columns) -> Any:
        count = turn.shape[-1]
        return xp.concatenate([columns[..., :count] * turn, columns[..., count:]], axis=-1)

    return tuple(map(turned, (first, *others)))


def phase_map(columns: tuple[Any, ...], real, xp, of) -> LinearMap:
    """The map of tangents of complex columns that puts their common phase right.

    `real` says which entry of each column of the first LAPACK makes real; None that it makes none.
    """
    first = columns[0]
    if first.dtype.kind != "c":
        return IDENTITY
    roundoff = 16 * float(xp.finfo(first.dtype).eps)
    chosen = xp.zeros_like(first) if real is None else xp.where(real, first, 0)
    entry = xp.sum(chosen, axis=-2, keepdims=True)
    free = (xp.abs(entry) <= roundoff) | (xp.abs(xp.imag(entry)) > roundoff)
    per_entry = xp.where(chosen == 0, 0, reciprocal_or_zero(entry, free, xp))

    def push(dots) -> tuple[Any, ...]:
        turn = 1j * xp.imag(xp.sum(per_entry * dots[0], axis=-2, keepdims=True))
        return tuple([dot - turn * v for dot, v in zip(dots, columns, strict=True)])

    def pull(bars) -> tuple[Any, ...]:
        if all(map(is_zero, bars)):
            return bars
        shares = [along_phase(bar, v, xp) for bar, v in zip(bars, columns, strict=True)]
        share = sum(shares[1:], start=shares[0])
        require_no_phase(share, free, bars, of)
        return (bars[0] - 1j * share * xp.conj(per_entry), *bars[1:])

    return LinearMap(push, pull)


@passes_zero
def along_phase(bar, v, xp) -> Any:
    """Im(v^H v_bar) of each column: how a cotangent depends on the phase."""
    return xp.imag(xp.sum(xp.conj(v) * bar, axis=-2, keepdims=True))


def require_no_phase(share, free, bars, of) -> None:
    """Raise where cotangents depend on a phase that nothing fixes; where values are at hand."""
    found = numbers_below(*bars, free, share)
    if found is None or not found[-2].any():
        return
    *known, free, share = found
    largest = max(float(np.max(np.abs(bar))) for bar in known if bar is not None)
    if np.any(free & (np.abs(share) > np.sqrt(np.finfo(share.dtype).eps) * largest)):
        raise_open_phase(of, "write what does not depend on it, as v @ v^H does")


def raise_open_phase(of, instead: str) -> NoReturn:
    """Raise: what is differentiated may depend on a phase that nothing fixes."""
    raise NotDifferentiableError(
        f"the derivative of {of.__name__}",
        "what depends on the phase of a complex vector, which the matrix leaves open here",
        instead,
        primal=of,
        argument="a",
    )


class OpenPhaseTangent(UndeterminedTangent):
    """The tangent of vectors whose phases jump: it raises where it is used."""

    __slots__ = ()

    def refuse_use(self, operation: str) -> NoReturn:
        """Raise the error that names the phase."""
        (of,) = self.pairs
        raise_open_phase(of, "differentiate what does not depend on it by grad or vjp")


def where_phases_turn(v_dot, v, turns, of) -> Any:
    """Tangents of vectors that turn so fast; of unknown turns such as raise when they are used."""
    found = numbers_below(turns)
    if found is not None and np.isnan(found[0]).any():
        return OpenPhaseTangent(v_dot, of)
    return v_dot + 1j * turns[..., None, :] * v
