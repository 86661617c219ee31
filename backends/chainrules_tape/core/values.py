"""Values: whether one has a tangent space here, and how it is resolved for a rule."""

from typing import Any

from numpy import complex64, complex128, float32, float64, ndarray

from chainrules_py.accumulation import accumulated
from chainrules_py.tangents import Tangent, entries, has_tangent, unthunk, with_entries
from chainrules_py.values.arrays import library_of
from chainrules_tape.refusals.handles import TracedArray

ONE = float64(1.0)

PLAIN = frozenset({ndarray, float64, float})  # nothing in a value of these is to be resolved

# The array classes of other libraries, as they are met: nothing in such an array is to be resolved,
# and to ask the library each time costs a tenth of a kernel's launch.
LIBRARY_ARRAYS: set[type] = set()

# NumPy's arrays and numbers, and classes of what stands for them, which recordings add: nothing in
# such a value is to be resolved, and no kernel is saved.
AS_NUMPYS: set[type] = {ndarray, float64, float32, complex64, complex128}


def is_array_class(cls: type) -> bool:
    """Whether a class is some library's own array class, and not a traced value's."""
    if cls in LIBRARY_ARRAYS:
        return True
    library = library_of(cls)
    if library is None or cls not in library.array_types or issubclass(cls, TracedArray):
        return False
    if library.stands_for is not None:
        return False
    if cls is not ndarray:
        LIBRARY_ARRAYS.add(cls)
    return True


def is_differentiable(y) -> bool:
    """Whether a value has a tangent space that this engine can carry: a real or complex number or
    array.
    """
    if type(y) is float or (type(y) is ndarray and y.dtype.kind == "f"):
        return True
    dtype = getattr(y, "dtype", None)
    return has_tangent(dtype) if dtype is not None else isinstance(y, float | complex)


def resolved(x) -> Any:
    """Return a value or cotangent that nothing changes later.

    Sums of cotangents are added up, thunks are computed, and of arrays that were written to, the
    entries of this moment are taken.
    """
    cls = type(x)
    if cls in PLAIN or cls in LIBRARY_ARRAYS or cls in AS_NUMPYS:
        return x
    if not issubclass(cls, TracedArray):
        x = unthunk(accumulated(x))
    if issubclass(type(x), TracedArray):
        return x.resolved(x.level)  # a view of it may have been written to
    if isinstance(x, Tangent):
        parts = {key: resolved(part) for key, part in entries(x).items()}
        return with_entries(x.primal_type, parts)
    return x
