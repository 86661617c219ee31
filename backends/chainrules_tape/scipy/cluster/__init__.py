"""`scipy.cluster` for code that is differentiated: SciPy's, with its module `vq`."""

import importlib
from typing import Any

from scipy import cluster

from chainrules_tape.numpy.namespaces import stand_in

_find, __dir__ = stand_in(cluster, globals())


def __getattr__(name: str) -> Any:
    return importlib.import_module(f"{__name__}.vq") if name == "vq" else _find(name)
