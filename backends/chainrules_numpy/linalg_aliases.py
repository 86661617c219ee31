"""Functions of numpy.linalg that the main namespace has, too, with other defaults or checks.

numpy.linalg's `outer` takes vectors only, its `cross` vectors of three; its `diagonal` and `trace`
work on the last two axes. The adapters say so in the call, or raise a ValueError where numpy.linalg
does.
"""

import numpy as np

from chainrules_numpy.call_forms import Call
from chainrules_py.table.registry import RuleTable, default_rules

SAME = {
    np.linalg.matmul: np.matmul,
    np.linalg.matrix_transpose: np.matrix_transpose,
    np.linalg.tensordot: np.tensordot,
    np.linalg.vecdot: np.vecdot,
}


def of_last_axes(x, **options) -> Call:
    """``numpy.linalg.trace(x)`` is ``numpy.trace(x, axis1=-2, axis2=-1)``."""
    return (x,), {**options, "axis1": -2, "axis2": -1}


def of_vectors(x1, x2) -> Call:
    """``numpy.linalg.outer`` of anything but two vectors raises; numpy.outer would flatten."""
    if np.ndim(x1) != 1 or np.ndim(x2) != 1:
        shapes = f"{np.shape(x1)} and {np.shape(x2)}"
        raise ValueError(
            f"numpy.linalg.outer: got arrays of shapes {shapes}; pass one-dimensional ones, or call"
            " numpy.outer"
        )
    return (x1, x2), {}


def of_three_components(x1, x2, *, axis: int = -1) -> Call:
    """Refuse vectors of two for ``numpy.linalg.cross``, which numpy.cross would take."""
    if np.shape(x1)[axis] != 3 or np.shape(x2)[axis] != 3:
        shapes = f"{np.shape(x1)} and {np.shape(x2)}"
        raise ValueError(
            f"numpy.linalg.cross: got arrays of shapes {shapes}; pass vectors of three along axis"
            f" {axis}"
        )
    return (x1, x2), {} if axis == -1 else {"axis": axis}


def register_linalg_aliases(table: RuleTable) -> None:
    """Declare the functions of `numpy.linalg` that the main namespace has, too."""
    for other, primal in SAME.items():
        table.alias(other, primal)
    table.alias(np.linalg.diagonal, np.diagonal, of_last_axes)
    table.alias(np.linalg.trace, np.trace, of_last_axes)
    table.alias(np.linalg.outer, np.outer, of_vectors, reads_shapes=True)
    table.alias(np.linalg.cross, np.cross, of_three_components, reads_shapes=True)


register_linalg_aliases(default_rules)
