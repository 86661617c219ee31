"""Functions that move entries without changing them; each adjoint moves them back."""

from typing import Any

import numpy as np

from chainrules_py.makers import ArraySpec, linear_rule


@linear_rule(np.reshape)
def reshape_adjoint(y_bar: Any, a: ArraySpec, *, shape: Any, order: str = "C", xp: Any) -> Any:
    """The same entries in the argument's shape."""
    return xp.reshape(y_bar, a.shape, order=order)


@linear_rule(np.transpose)
def transpose_adjoint(y_bar: Any, a: ArraySpec, *, axes: Any = None, xp: Any) -> Any:
    """The inverse permutation."""
    if axes is None:
        return xp.transpose(y_bar)
    inverse = sorted(range(a.ndim), key=lambda i: axes[i] % a.ndim)
    return xp.transpose(y_bar, inverse)
