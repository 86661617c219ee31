"""<a, b> = Re sum conj(a)*b over tangents of any structure."""

from typing import Any

import numpy as np

from chainrules_py.tangents import ZERO, AbstractZero, Tangent, entries, unthunk
from chainrules_py.testing.coordinates import to_numpy
from chainrules_py.values.structure import fields, is_structural


def inner(a: Any, b: Any) -> float:
    """Compute the real inner product of two tangents; zeros and missing fields add nothing.

    >>> inner((1 + 2j, np.ones(2)), (3j, np.array([1.0, 4.0])))
    11.0
    """
    a, b = unthunk(a), unthunk(b)
    if isinstance(a, AbstractZero) or isinstance(b, AbstractZero):
        return 0.0
    if isinstance(a, Tangent) or is_structural(a):
        one, other = _parts(a), _parts(b)
        return sum((inner(one[key], other.get(key, ZERO)) for key in one), 0.0)
    return float(np.real(np.vdot(to_numpy(a), to_numpy(b))))


def _parts(tangent) -> dict[Any, Any]:
    return entries(tangent) if isinstance(tangent, Tangent) else fields(tangent)
