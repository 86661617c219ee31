"""Decisions by traced values, comparisons and signs, are noted while packages are seen through: see `core.searches`.

The operators of the classes of traced numbers are exchanged while a scope lasts, so that other programs are as fast as before.
"""

from collections.abc import Callable
from math import inf, isfinite
from sys import _getframe
from types import FrameType
from typing import Any

import numpy as np

from chainrules_tape.core.duals import DualArray, DualNumber
from chainrules_tape.core.errors import frame_outside
from chainrules_tape.core.handles import TracedArray, plain
from chainrules_tape.core.searches import note_decision, note_equality
from chainrules_tape.core.tape import TapeArray, TapeNumber

_CLASSES: tuple[Any, ...] = (TapeNumber, DualNumber, TapeArray, DualArray)
_COMPARISONS = ("__lt__", "__le__", "__gt__", "__ge__")
_EQUALITIES = ("__eq__", "__ne__")  # of numbers alone: those of arrays make masks
_SIGNS = frozenset({np.sign, np.copysign})
_UFUNCS = frozenset({np.less, np.less_equal, np.greater, np.greater_equal})  # of a plain array's or NumPy's number's operators
_originals = {(cls, name): getattr(cls, name) for cls in _CLASSES for name in (*_COMPARISONS, "__array_ufunc__")}
_originals |= {(cls, name): getattr(cls, name) for cls in (TapeNumber, DualNumber) for name in _EQUALITIES}


def noted_comparison(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A comparison of a traced number that notes how far from a tie it is."""

    def comparison(self: Any, other: Any) -> Any:
        frame = _getframe(1)
        note(frame_outside() if frame.f_globals["__name__"].startswith("chainrules_tape.") else frame, self, other)
        return compare(self, other)

    return comparison


def noted_equality(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A comparison of a traced number that notes whether it is equal to a constant."""

    def equality(self: Any, other: Any) -> Any:
        if issubclass(type(other), float | int) and plain(self) == other and isfinite(other):
            frame = _getframe(1)
            if not frame.f_globals.get("__name__", "").startswith("chainrules_"):  # rules ask, too, at higher orders
                note_equality(self.level, frame, self)
        return compare(self, other)

    return equality


def noted_ufunc(call_ufunc: Callable[..., Any]) -> Callable[..., Any]:
    """What a traced value answers to ufuncs, the comparisons and signs among which are noted."""

    def ufunc_with_decisions(self: Any, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if ufunc in _SIGNS and isinstance(inputs[-1], TracedArray):
            note(frame_outside(), inputs[-1], 0.0)
        elif ufunc in _UFUNCS and method == "__call__":
            note(frame_outside(), *(inputs if inputs[0] is self else inputs[::-1]))
        return call_ufunc(self, ufunc, method, *inputs, **options)

    return ufunc_with_decisions


def note(frame: FrameType, x: Any, other: Any) -> None:
    """Note a decision by two real numbers, of which the first is traced, or by as many of them as arrays hold."""
    a, b = plain(x), plain(other)
    if isinstance(a, float | np.ndarray) and isinstance(b, float | int | np.ndarray):
        distance = abs(a - b) if isinstance(a, float) and not isinstance(b, np.ndarray) else farthest(a, b)
        if isfinite(distance):
            note_decision(x.level, frame, float(distance), x, other)


def farthest(a: Any, b: Any) -> float:
    """The largest difference of real entries; infinite where there is none."""
    differences = np.abs(np.asarray(a) - b)
    return float(np.max(differences)) if differences.dtype.kind == "f" and differences.size else inf


def noting(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """What makes the operator by this name one that notes."""
    if name in _EQUALITIES:
        return noted_equality
    return noted_comparison if name in _COMPARISONS else noted_ufunc


_NOTED = {(cls, name): noting(name)(found) for (cls, name), found in _originals.items()}


def begin_to_note() -> None:
    """Note decisions from now on."""
    for (cls, name), noted in _NOTED.items():
        setattr(cls, name, noted)


def stop_noting() -> None:
    """Note decisions no longer."""
    for (cls, name), original in _originals.items():
        setattr(cls, name, original)
