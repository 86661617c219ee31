"""What has to be done once for a package, when the first sign of it is met.

A thread that meets the package while another does what is to be done does it, too, and goes on only
afterwards. Waiting for the other instead could last for ever: it may import a module, and so may
wait for this one.
"""

from collections.abc import Callable
from threading import get_ident


class Awaited:
    """What is to be done, by package; each of it may be done twice."""

    def __init__(self) -> None:
        self.waiting: dict[str, Callable[[], None]] = {}
        self._doing: set[tuple[int, str]] = set()  # in which thread, for which package

    def add(self, package: str, prepare: Callable[[], None]) -> None:
        """Have a function called when a package is met."""
        self.waiting[package] = prepare

    def meet(self, package: str) -> None:
        """Do what is to be done for a package, where that is not done yet."""
        prepare, here = self.waiting.get(package), (get_ident(), package)
        if prepare is None or here in self._doing:
            return
        self._doing.add(here)
        try:
            prepare()
        finally:
            self._doing.discard(here)
            if self.waiting.get(package) is prepare:
                self.waiting.pop(package, None)
