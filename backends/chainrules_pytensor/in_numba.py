"""Our operation in graphs that Numba compiles: it runs in Python, by Numba's object mode.

That is what PyTensor does with an operation that it knows nothing of, and then it warns of it.
"""

import warnings
from typing import Any

from pytensor.link.numba.dispatch import numba_funcify
from pytensor.link.numba.dispatch.basic import generate_fallback_impl

from chainrules_pytensor.operations import NumpyOperation


@numba_funcify.register(NumpyOperation)  # type: ignore[untyped-decorator]
def numpy_operation_in_numba(op: NumpyOperation, node: Any = None, **options):
    """Make the function that Numba's code calls."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Numba will use object mode", UserWarning)
        return generate_fallback_impl(op, node, **options)
