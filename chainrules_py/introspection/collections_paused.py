"""`collections_paused`: no search for garbage while many objects are made that all stay.

Python's collector of garbage in circles visits such objects again and again. With it, a recording of
170,000 steps takes 1.7 times as long, and importing NumPy's pack of rules twice as long (72 ms where
it would be 36). There is one collector for all threads: it rests until the last of those that want
it to has ended, and is then as it was. It rests by a threshold that is never reached and stays
enabled: a library that is imported meanwhile may note whether it is, as `dask.array` does, and
leave it so for good.

The next search would come at once and look at all that was made, which takes a third of a walk through
pandas. What certainly stays is therefore given to the oldest generation (`all_stay`). Of what a
recording makes a part is garbage, which should not get old.
"""

import gc
from typing import Any

from chainrules_py.introspection.shared_state import (
    Entry,
    SharedScope,
    process_lock,
    without_interruption,
)

# Python 3.12 freezes some 400 objects as it starts, which may as well be in the oldest generation
FROZEN_BY_PYTHON = 1000
_lock = process_lock()
_waiting: set[Entry] = set()
_state: dict[str, Any] = {"thresholds": gc.get_threshold(), "has_frozen": False}


def collections_paused(*, all_stay: bool = False) -> "Pause":
    """Pause the garbage collector, for as long as any thread wants it."""
    return Pause(all_stay)


class Pause(SharedScope):
    """A scope in which the garbage collector rests."""

    def __init__(self, all_stay: bool) -> None:
        self.all_stay = all_stay

    def begin(self, entry: Entry) -> None:
        """Have the collector rest."""
        with _lock:
            if not _waiting:
                _state["thresholds"] = gc.get_threshold()
            _waiting.add(entry)
            gc.set_threshold(0)

    def end(self, entry: Entry) -> None:
        """Have it go on, if nobody else wants it to rest."""
        with _lock:
            if _waiting == {entry}:
                if self.all_stay and gc.isenabled():
                    _give_to_oldest_generation()
                gc.set_threshold(*_state["thresholds"])
            _waiting.discard(entry)


def _give_to_oldest_generation() -> None:
    """Move all objects to the oldest generation, without a visit to any: they are frozen and thawed.

    Where a program has frozen objects of its own, nothing is done. Once that is known it is not
    asked again, because to count frozen objects is to visit each: 3 to 27 ms for the 38,000 of
    NumPy and of this package.
    """
    _state["has_frozen"] = _state["has_frozen"] or gc.get_freeze_count() > FROZEN_BY_PYTHON
    if not _state["has_frozen"]:
        without_interruption(gc.freeze, gc.unfreeze)


def holders_of(*found) -> list[Any]:
    """All objects that the collector knows and that hold one of some objects.

    What is frozen is not looked at, and so it is thawed. It stays so: to freeze everything would
    keep what is garbage a moment later.
    """
    if gc.get_freeze_count() > FROZEN_BY_PYTHON:
        gc.unfreeze()
    return gc.get_referrers(*found)
