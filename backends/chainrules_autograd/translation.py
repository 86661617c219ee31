"""Derivatives as autograd has them, and as our rules do: complex conjugates, zeros that are written out, and shapes.

For autograd the gradient of a real loss is dx - i dy, for our rules dx + i dy. Tangents are no gradients, and the same for both.
"""

from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd.extend import vspace

from chainrules_autograd.boxes import is_array
from chainrules_py import SeedError, is_zero, unthunk


def other_convention(bar: Any) -> Any:
    """The cotangent of one convention in the other one."""
    if isinstance(bar, complex) or (is_array(bar) and bar.dtype.kind == "c"):
        return anp.conj(bar)
    return bar


def dense(tangent: Any, like: Any) -> Any:
    """A tangent or cotangent of a value as an array or number."""
    tangent = unthunk(tangent)
    return vspace(like).zeros() if is_zero(tangent) else tangent


def require_shape(bar: Any, shape: tuple[int, ...], where: str) -> None:
    """Raise for a cotangent of another shape than the value's, of which autograd itself would make a sum or an error of NumPy's."""
    if np.shape(bar) != shape:
        got = f"the cotangent has shape {np.shape(bar)} where the value has {shape}"
        raise SeedError(where, got, "pass one of the value's shape", rule=None, value=bar, expected=shape)
