"""`scipy.sparse` for code that is differentiated: SciPy's, with its module `linalg`."""

import importlib
from typing import Any

from scipy import sparse

from chainrules_tape.numpy.namespaces import stand_in

_find, __dir__ = stand_in(sparse, globals())


def __getattr__(name: str) -> Any:
    return importlib.import_module(f"{__name__}.linalg") if name == "linalg" else _find(name)
