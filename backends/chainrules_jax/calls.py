"""Calls taken apart into what JAX traces and the rest.

Small integer and boolean arrays of NumPy's may decide about sizes: they are constants, a part of
what a call is. Every other array is traced by JAX.
"""

from typing import Any

import jax
import numpy as np

from chainrules_py import RuleTable
from chainrules_py.engines import LARGEST_CONSTANT, FlatCall, frozen_once, mapped


def flat_call(
    primal, args: tuple[Any, ...], options: dict[str, Any], table: RuleTable
) -> tuple[FlatCall, list[Any]]:
    """Take a call apart: what it is, and the leaves that JAX traces."""
    # JAX runs functions later, compiled ones again and again
    args, options = mapped(_lasting, frozen_once((args, options)))
    return FlatCall.of(primal, args, options, _is_traced, table)


def _is_traced(x) -> bool:
    # JAX's tracers say that they are jax.Array
    return isinstance(x, jax.Array | np.ndarray | np.generic) and not _may_be_size(x)


def _may_be_size(x) -> bool:
    is_numpys = isinstance(x, np.ndarray | np.generic)
    return is_numpys and x.dtype.kind in "biu" and x.nbytes <= LARGEST_CONSTANT


def _lasting(x):
    """Copy an array that is a constant, so that nobody writes into it."""
    if not isinstance(x, np.ndarray) or not _may_be_size(x):
        return x
    copy = np.array(x)
    copy.flags.writeable = False
    return copy
