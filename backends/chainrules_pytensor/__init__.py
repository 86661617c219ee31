"""Our rules and NumPy's programs in PyTensor's graphs, and PyTensor's graphs in programs of ours.

functions     `to_pytensor`: a function as one that takes and returns PyTensor's variables
    operations    the operation in the graph, of which gradients are operations, too
    results       how many outputs a call has, and their dtypes and shapes
    linkers       what PyTensor's linkers by Numba and JAX are told of the operation, when they are used
        in_numba in_jax
foreign       `from_pytensor`: graphs of PyTensor's as primitives with both rules
errors
"""

from chainrules_py.engines import require_installed

require_installed("pytensor", "pytensor", f"import {__name__}", __name__)

from chainrules_py import __version__ as __version__
from chainrules_pytensor.errors import PytensorError as PytensorError
from chainrules_pytensor.foreign import from_pytensor as from_pytensor
from chainrules_pytensor.functions import (
    PytensorFunction as PytensorFunction,
    to_pytensor as to_pytensor,
)
