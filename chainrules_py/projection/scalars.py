"""Numbers: Python's stay Python's, NumPy's scalars stay NumPy's scalars, and what is on a device stays there."""

from typing import Any

import numpy as np

from chainrules_py.projection.dense import as_array, field_of, in_field, reshaped, with_dtype
from chainrules_py.projection.projector import NO_TANGENT_PROJECTOR, Projector

_PYTHON_NUMBERS = (int, float, complex)


class NumberProjector(Projector):
    """The space of a Python float or complex: NumPy's scalars and 0-d arrays become Python numbers, foreign ones are left."""

    __slots__ = ("field", "number_type")

    def __init__(self, number_type: type, field: str) -> None:
        self.number_type, self.field = number_type, field

    def bring(self, t: Any) -> Any:
        """A natural cotangent as a number of this type."""
        if type(t) is self.number_type:
            return t
        if issubclass(type(t), _PYTHON_NUMBERS) and not issubclass(type(t), np.generic):  # not asking what a traced value says
            return self._number(t)
        t = reshaped(self, as_array(self, t, type(t)), ())
        t = in_field(self, t, self.field)
        return self._number(t) if issubclass(type(t), (np.ndarray, np.generic)) else self._foreign(t)

    def _number(self, t: Any) -> Any:
        return self.number_type(t.real if self.field == "real" else t)

    def _foreign(self, t: Any) -> Any:
        # A Python number is weak: only its field counts, and a float32 on a device stays a float32 there.
        widen = self.field == "complex" and field_of(t.dtype) != "complex"
        return t.astype(np.result_type(t.dtype, np.complex64)) if widen else t

    def __repr__(self) -> str:
        return f"ProjectTo({self.number_type.__name__})"


class ScalarProjector(Projector):
    """The space of NumPy's scalars of one dtype; a 0-d array of another library stays there."""

    __slots__ = ("dtype",)

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype

    def bring(self, t: Any) -> Any:
        """A natural cotangent as a scalar of this dtype."""
        t = with_dtype(self, reshaped(self, as_array(self, t, type(t)), ()), self.dtype)
        return t[()] if issubclass(type(t), np.ndarray) else t

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of a scalar."""
        return ()

    def __repr__(self) -> str:
        return f"ProjectTo({self.dtype.type.__name__})"


FLOAT_PROJECTOR = NumberProjector(float, "real")
COMPLEX_PROJECTOR = NumberProjector(complex, "complex")


def project_scalar(x: Any) -> Projector:
    """The projector of a NumPy scalar; integers, booleans and dates have no tangents."""
    return ScalarProjector(x.dtype) if x.dtype.kind in "fc" else NO_TANGENT_PROJECTOR
