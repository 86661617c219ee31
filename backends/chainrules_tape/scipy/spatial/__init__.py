"""`scipy.spatial` for code that is differentiated: SciPy's, with its modules `distance` and
`transform`.
"""

import importlib
from typing import Any

from scipy import spatial

from chainrules_tape.numpy.namespaces import stand_in

_find, __dir__ = stand_in(spatial, globals())


def __getattr__(name: str) -> Any:
    if name in ("distance", "transform"):
        return importlib.import_module(f"{__name__}.{name}")
    return _find(name)
