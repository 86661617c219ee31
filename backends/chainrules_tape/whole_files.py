"""Files that are replaced as a whole: a reader sees the former one, or the new one."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from typing import Any


@contextmanager
def replaced_file(path: str | PathLike[str], mode: str, **options) -> Iterator[Any]:
    """Open a file beside another one, in whose place it is put once all is written.

    Where that fails, on a full disk for instance, the former file stays what it was.
    """
    beside = f"{os.fspath(path)}.{os.getpid()}.new"
    try:
        with open(beside, mode, **options) as file:
            yield file
        os.replace(beside, path)
    except BaseException:
        if os.path.exists(beside):
            os.unlink(beside)
        raise
