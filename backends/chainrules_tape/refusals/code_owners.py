"""The owners of code: the engine, the user, or an installed package."""

import os
import sys
from functools import cache
from types import FrameType

from chainrules_py.introspection import frame_outside

# the tape, and what is built of it: none of their lines is the user's
ENGINE = frozenset(
    {
        *("chainrules_tape", "chainrules_labels", "chainrules_sparse"),
        *("chainrules_foreign_code", "chainrules_programs", "chainrules_engines"),
    }
)
_FOLDERS = ("site-packages", "dist-packages")
_STANDARD = os.path.dirname(os.__file__)


def calling_frame(frame: FrameType | None = None) -> FrameType:
    """The innermost frame whose code is not the engine's: the call that asked it for something.

    Whoever knows a frame that is farther out than its own gives it, which saves looking at those
    before.
    """
    return frame_outside(ENGINE, frame)


def is_installed(filename: str) -> bool:
    """Whether a file belongs to an installed package or to Python's own library.

    >>> is_installed("/usr/lib/python3/dist-packages/some/core.py"), is_installed("/home/me/model.py")
    (True, False)
    """
    folders = filename.replace(os.sep, "/").split("/")
    return not set(_FOLDERS).isdisjoint(folders) or filename.startswith(_STANDARD)


_OWN = frozenset({*ENGINE, "chainrules_py", "chainrules_numpy", "chainrules_command"})
# whose files are no installed package's in a checkout
_ADAPTERS = frozenset(
    f"chainrules_{name}"
    for name in ("array_api", "autograd", "cupy", "dask", "jax", "pytensor", "samples", "torch")
)


def is_own(module) -> bool:
    """Whether the code of a module is the library's."""
    return isinstance(module, str) and module.partition(".")[0] in _OWN


def is_users(module) -> bool:
    """Whether the code of a module belongs to the user, not to Python or an installed package."""
    return not isinstance(module, str) or not _is_library(module)


@cache
def _is_library(name: str) -> bool:
    root = name.partition(".")[0]
    if name.startswith("namedtuple_"):  # so Python calls the module of what makes one
        return True
    if root in _OWN | _ADAPTERS or (root in sys.stdlib_module_names and root != "__main__"):
        return True
    file = getattr(sys.modules.get(name), "__file__", None)
    return file is not None and is_installed(file)
