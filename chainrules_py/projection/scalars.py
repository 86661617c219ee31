"""Spaces of numbers: Python's stay Python's, NumPy's stay NumPy's, a device's stay there."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from chainrules_py.projection.dense import field_of, in_field, reshaped, standing_beside, with_dtype
from chainrules_py.projection.space import NoTangentSpace, Space

_PYTHON_NUMBERS = (int, float, complex)


class NumberSpace(Space):
    """The space of a Python float or complex: NumPy's scalars and 0-d arrays become numbers."""

    __slots__ = ()

    def __init__(self, number_type: type) -> None:
        super().__init__(number_type, (), number_type)

    def bring(self, t) -> Any:
        """A natural cotangent as a number of this type."""
        # not isinstance: a traced value says that it is of another class
        if issubclass(type(t), self.primal_type):  # NumPy's doubles, too
            return self.primal_type(t)
        if issubclass(type(t), _PYTHON_NUMBERS) and not issubclass(type(t), np.generic):
            return self._number(t)
        t = reshaped(self, standing_beside(self, t, type(t)), ())
        t = in_field(self, t, "real" if self.primal_type is float else "complex")
        if issubclass(type(t), (np.ndarray, np.generic)):
            return self._number(t)
        return self._foreign(t)

    def _number(self, t) -> Any:
        return self.primal_type(t.real if self.primal_type is float else t)

    def _foreign(self, t) -> Any:
        # A Python number is weak: only its field counts, and a float32 on a device stays a float32
        # there.
        widen = self.primal_type is complex and field_of(t.dtype) != "complex"
        return t.astype(np.result_type(t.dtype, np.complex64)) if widen else t

    def __repr__(self) -> str:
        return f"ProjectTo({self.primal_type.__name__})"


class ScalarSpace(Space):
    """The space of NumPy's scalars of one dtype; a 0-d array of another library stays there."""

    __slots__ = ()

    def bring(self, t) -> Any:
        """A natural cotangent as a scalar of this dtype."""
        t = with_dtype(self, reshaped(self, standing_beside(self, t, type(t)), ()), self.dtype)
        return t[()] if issubclass(type(t), np.ndarray) else t

    def __repr__(self) -> str:
        return f"ProjectTo({self.dtype.type.__name__})"


INTEGER_SPACE = NoTangentSpace(int, (), int)
FLOAT_SPACE = NumberSpace(float)
COMPLEX_SPACE = NumberSpace(complex)


def space_of_scalar(x) -> Space:
    """The space of a NumPy scalar; integers, booleans and dates have no tangents."""
    return scalar_space(type(x), x.dtype)


def _scalar_space(cls, dtype) -> Space:
    return (ScalarSpace if dtype.kind in "fc" else NoTangentSpace)(cls, (), dtype)


scalar_space: Callable[[Any, Any], Space] = lru_cache(maxsize=256)(_scalar_space)
