"""NumPy for code that is differentiated: ``import chainrules_tape.numpy as np``.

Every name is NumPy's own. Plain ``import numpy as np`` does as well, except for what NumPy does not
let anybody intercept: functions that build arrays from lists (`array`, `asarray` and their like,
`full`), all functions where an argument is a list that holds traced values (``np.mean([x, y])``),
`r_` and `c_`, the polynomials of ``numpy.polynomial``. Here these find the rule that the table has
for them, and `vectorize`, `piecewise` and `apply_along_axis` call functions that read traced
values; with plain values they are NumPy's, too.

>>> import chainrules_tape.numpy as tnp
>>> from chainrules_tape import grad
>>> grad(lambda x: tnp.sum(tnp.array([x, 2 * x, 1.0]) ** 2))(3.0)
30.0
"""

from typing import Any

import numpy

from chainrules_tape.numpy.conversions import (
    arange as arange,
    asarray_chkfinite as asarray_chkfinite,
    broadcast as broadcast,
    fromiter as fromiter,
    ndenumerate as ndenumerate,
    require as require,
)
from chainrules_tape.numpy.creation import (
    array as array,
    copy as copy,
    empty as empty,
    empty_like as empty_like,
    eye as eye,
    full as full,
    full_like as full_like,
    identity as identity,
    ones as ones,
    ones_like as ones_like,
    zeros as zeros,
    zeros_like as zeros_like,
)
from chainrules_tape.numpy.joining import Joiner
from chainrules_tape.numpy.namespaces import interceptable as interceptable, stand_in
from chainrules_tape.numpy.pieces import (
    apply_along_axis as apply_along_axis,
    piecewise as piecewise,
)
from chainrules_tape.numpy.vectorizing import vectorize as vectorize

# those that have a file here, to be imported by name
MODULES = frozenset({"fft", "linalg", "polynomial", "random"})
PUBLIC = frozenset({"__all__", *numpy.__all__})
r_, c_ = Joiner(numpy.r_), Joiner(numpy.c_)
_find, __dir__ = stand_in(numpy, globals(), more=("interceptable",), modules=MODULES)


def __getattr__(name: str) -> Any:
    # what else Python asks of a module is not NumPy's to answer
    if name.startswith("__") and name not in PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _find(name)
