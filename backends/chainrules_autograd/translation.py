"""Derivatives as autograd has them, and as our rules do: complex conjugates, zeros that are written
out, and shapes.

For autograd the gradient of a real loss is dx - i dy, for our rules dx + i dy. Tangents are no
gradients, and the same for both.
"""

from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd.extend import vspace

from chainrules_py import AbstractTangent, SeedError, is_zero, materialize, unthunk
from chainrules_py.engines import qualified_name

conjugate: Any = getattr(anp, "conj")  # noqa: B009  (autograd makes its names at run time)


def other_convention(bar: Any) -> Any:
    """The cotangent of one convention in the other one."""
    try:
        kind = bar.dtype.kind
    except AttributeError:
        kind = "c" if isinstance(bar, complex) else "f"
    return conjugate(bar) if kind == "c" else bar


def autograd_cotangent(bar: Any, like: Any) -> Any:
    """The cotangent of one of our rules as autograd wants it: dense, and in its convention."""
    if type(bar) is np.ndarray and bar.dtype.kind == "f":  # on the path of every pullback
        return bar
    return other_convention(dense(bar, like))


def dense(tangent: Any, like: Any) -> Any:
    """A tangent or cotangent of a value as an array or number; one that nobody wrote raises."""
    tangent = unthunk(tangent)
    if not isinstance(tangent, AbstractTangent):
        return tangent
    return vspace(like).zeros() if is_zero(tangent) else materialize(tangent, like=like)


def require_shape(bar: Any, shape: tuple[int, ...], primal: Any) -> None:
    """Raise for a cotangent of another shape than the value's, of which autograd would make a sum
    or an error of NumPy's.
    """
    if getattr(bar, "shape", ()) != shape:
        where, got = (
            f"the pullback of {qualified_name(primal)}",
            f"the cotangent has shape {np.shape(bar)}, the value {shape}",
        )
        raise SeedError(
            where,
            got,
            "pass a cotangent of the value's shape",
            rule=None,
            value=bar,
            expected=shape,
        )
