"""What `xp` is for rules on CuPy arrays: CuPy, with the few functions that rules need and it lacks."""

from types import ModuleType
from typing import Any

import cupy

from chainrules_cupy import completions


class CompletedNamespace:
    """A module of CuPy with more functions; what is looked up once is an attribute from then on."""

    def __init__(self, module: ModuleType, **more: Any) -> None:
        self.__dict__.update(more)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        setattr(self, name, found)
        return found

    def __repr__(self) -> str:
        return f"<{self._module.__name__}, completed>"


LINALG = CompletedNamespace(
    cupy.linalg,
    **{"multi_dot": completions.multi_dot, "svdvals": completions.svdvals, "vecdot": completions.vecdot},
    **{"vector_norm": completions.vector_norm, "matrix_norm": completions.matrix_norm},
    **{"outer": cupy.outer, "tensordot": cupy.tensordot},
)
namespace = CompletedNamespace(
    cupy,
    linalg=LINALG,
    **{"vecdot": completions.vecdot, "matvec": completions.matvec, "vecmat": completions.vecmat},
    **{"unstack": completions.unstack, "block": completions.block, "insert": completions.insert},
)
