"""Settings of glibc's allocator by which large arrays do not cost page faults: `keep_memory`, and
what sweeps over many lanes do by themselves.

glibc gives blocks above a threshold back to the system as soon as they are freed, and takes new
ones from it, whose pages are zeroed one by one when they are first written. A gradient of large
arrays frees and takes such blocks all the time.
"""

import ctypes
import sys
from functools import cache

import numpy as np

# The largest block, less its own head, by which glibc's thresholds follow what a program frees.
_LARGEST_THAT_COUNTS = 2**25 - 2**13

# of malloc.h
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3


def keep_memory() -> bool:
    """Let the process keep memory that arrays free, for later arrays; return whether it does.

    It is for programs of arrays of a megabyte and more: a gradient of logistic regression with
    10⁶ rows takes 0.7 of its time. The process then does not shrink below the most that it has
    needed. It works on Linux with glibc; elsewhere nothing happens, and the result is False. It is
    a setting of the whole process, and cannot be taken back.

    >>> keep_memory() in (True, False)
    True
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        library = ctypes.CDLL(None)
        library.gnu_get_libc_version  # noqa: B018  # absent where it is not glibc
        set_option = library.mallopt
    except (OSError, AttributeError):
        return False
    is_kept = set_option(_MMAP_THRESHOLD, 2**30) == 1
    is_trimmed_late = set_option(_TRIM_THRESHOLD, 2**31 - 1) == 1
    return bool(is_kept and is_trimmed_late)


@cache
def let_thresholds_follow() -> None:
    """Free one array of 32 MB, which nobody has written to.

    By itself, glibc keeps a block as large as the largest that a program has freed, up to 32 MB, and
    twice as much in all. Sweeps over many lanes free many blocks of a few MB, which it would give
    back, all together, at the end of each: a sparse Jacobian on 300 x 300 points takes half of its
    time then. Where somebody has set the thresholds, nothing happens.
    """
    np.empty(_LARGEST_THAT_COUNTS, np.uint8)
