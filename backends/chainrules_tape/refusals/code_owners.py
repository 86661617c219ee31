"""Whose code a file holds: the user's, or that of an installed package or of Python's own library."""

import sysconfig
from pathlib import Path

_FOLDERS = ("site-packages", "dist-packages")
_STANDARD = sysconfig.get_path("stdlib")


def is_installed(filename: str) -> bool:
    """Whether a file belongs to an installed package or to Python's own library.

    >>> is_installed("/usr/lib/python3/dist-packages/some/core.py"), is_installed("/home/me/model.py")
    (True, False)
    """
    return not set(_FOLDERS).isdisjoint(Path(filename).parts) or filename.startswith(_STANDARD)
