"""Convert derivatives between autograd's conventions and ours: complex conjugates, zeros that are
written out, and shapes.

For autograd the gradient of a real loss is dx - i dy, for our rules dx + i dy. Tangents are the same
for both.
"""

from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd.extend import vspace

from chainrules_py import AbstractTangent, SeedError, is_zero, materialize, unthunk
from chainrules_py.engines import qualified_name

conjugate: Any = getattr(anp, "conj")  # noqa: B009  (autograd makes its names at run time)


def other_convention(bar) -> Any:
    """Convert a cotangent from one convention to the other."""
    try:
        kind = bar.dtype.kind
    except AttributeError:
        kind = "c" if isinstance(bar, complex) else "f"
    return conjugate(bar) if kind == "c" else bar


def autograd_cotangent(bar, like) -> Any:
    """Convert a cotangent of one of our rules to what autograd expects: dense, and in its
    convention.
    """
    if type(bar) is np.ndarray and bar.dtype.kind == "f":  # on the path of every pullback
        return bar
    return other_convention(dense(bar, like))


def dense(tangent, like) -> Any:
    """Write a tangent or cotangent out as an array or number; raise if it stands for a derivative
    that is not implemented.
    """
    tangent = unthunk(tangent)
    if not isinstance(tangent, AbstractTangent):
        return tangent
    return vspace(like).zeros() if is_zero(tangent) else materialize(tangent, like=like)


def require_shape(bar, shape: tuple[int, ...], primal) -> None:
    """Raise for a cotangent whose shape is not the value's: autograd would sum it, or NumPy would
    fail later.
    """
    if getattr(bar, "shape", ()) != shape:
        where = f"the pullback of {qualified_name(primal)}"
        got = f"the cotangent has shape {np.shape(bar)}, the value {shape}"
        instead = "pass a cotangent of the value's shape"
        raise SeedError(where, got, instead, rule=None, value=bar, expected=shape)
