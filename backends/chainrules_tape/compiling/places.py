"""The places that a program read while it was recorded, and the check that they hold the same.

A check is written as the source of a function: a line that fetches, and one that compares. It
returns the arrays that the places hold now, which are inputs of the program, or the number of
the first place that holds something else. One place takes 60 ns.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_tape.compiling.kinds_of_values import is_same_constant

Check = Callable[[], "tuple[np.ndarray[Any, Any], ...] | int"]


class Places:
    """The places in the order of reading: for each a sentence, and the source of its check."""

    def __init__(self) -> None:
        self.sentences: list[str] = []
        self.lines: list[str] = []
        self.returned: list[str] = []
        self.arrays: list[np.ndarray[Any, Any]] = []
        self.known: dict[str, Any] = {"ndarray": np.ndarray, "is_same_constant": is_same_constant}
        self._names: dict[int, str] = {}

    def name(self, x: Any) -> str:
        """A name for an object in the source of the check, which holds on to it."""
        if id(x) not in self._names:
            self._names[id(x)] = f"c{len(self.known)}"
            self.known[self._names[id(x)]] = x
        return self._names[id(x)]

    def _fails(self, sentence: str) -> str:
        self.sentences.append(sentence)
        return f"return {len(self.sentences) - 1}"

    def identical(self, fetch: str, x: Any, sentence: str) -> None:
        """The place has to hold the same object."""
        self.lines.append(f"if {fetch} is not {self.name(x)}: {self._fails(sentence)}")

    def constant(self, fetch: str, x: Any, sentence: str) -> None:
        """The place has to hold the same object, or an equal one of its class."""
        self.lines.append(f"v = {fetch}")
        other = f"v is not {self.name(x)} and not is_same_constant(v, {self.name(x)})"
        self.lines.append(f"if {other}: {self._fails(sentence)}")

    def holds(self, condition: str, sentence: str) -> None:
        """A condition has to hold."""
        self.lines.append(f"if not ({condition}): {self._fails(sentence)}")

    def array(self, fetch: str, x: np.ndarray[Any, Any], sentence: str) -> None:
        """The place has to hold an array of the same type and shape; its entries are an input."""
        name = f"a{len(self.arrays)}"
        self.arrays.append(x)
        self.returned.append(name)
        self.lines.append(f"{name} = {fetch}")
        alike = (
            f"type({name}) is not ndarray or {name}.dtype is not {self.name(x.dtype)}"
            f" or {name}.shape != {x.shape} or {name}.flags.c_contiguous is not"
            f" {x.flags.c_contiguous}"
        )
        self.lines.append(f"if {alike}: {self._fails(sentence)}")

    def entries(self, fetch: str, x: np.ndarray[Any, Any], sentence: str) -> None:
        """The place has to hold an array with the same entries, bit for bit."""
        self.lines.append(f"v = {fetch}")
        alike = (
            f"type(v) is ndarray and v.dtype is {self.name(x.dtype)} and v.shape == {x.shape}"
            f" and v.tobytes() == {self.name(x.tobytes())}"
        )
        self.lines.append(f"if not ({alike}): {self._fails(sentence)}")

    def check(self) -> Check:
        """The function that returns the arrays of the places, or the number of a failed one."""
        body = "\n".join(f"        {line}" for line in self.lines)
        returned = "".join(f"{name}, " for name in self.returned)
        source = (
            "def check():\n    try:\n"
            f"{body}\n        return ({returned})\n"
            "    except (KeyError, AttributeError, IndexError, ValueError, TypeError):\n"
            "        return -1\n"
        )
        exec(compile(source, "<places that a compiled program reads>", "exec"), self.known)
        check: Check = self.known["check"]
        return check
