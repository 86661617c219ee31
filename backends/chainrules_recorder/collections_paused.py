"""`collections_paused`: Python does not look for garbage in circles while a long list is made.

A recording consists of many objects that all live, and the collector visits them again and again:
170,000 steps (an LSTM of 1,024 characters) take 1.7 times as long with it. It is one for all
threads, so it rests until the last of those that want it to has ended, and is then as it was.
"""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_state = {"waiting": 0, "was_on": False}


@contextmanager
def collections_paused() -> Iterator[None]:
    """Pause the collector of garbage in circles, for as long as anybody wants it."""
    with _lock:
        if _state["waiting"] == 0:
            _state["was_on"] = gc.isenabled()
            gc.disable()
        _state["waiting"] += 1
    try:
        yield
    finally:
        with _lock:
            _state["waiting"] -= 1
            if _state["waiting"] == 0 and _state["was_on"]:
                gc.enable()
