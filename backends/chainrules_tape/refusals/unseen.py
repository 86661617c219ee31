"""What a refusal says about the code that it came from: whether that takes traced values when it is
seen through, and whether this happens by itself.
"""

import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

_only_marked: ContextVar[bool] = ContextVar(
    "only_marked", default=os.environ.get("CHAINRULES_ONLY_MARKED", "0") not in ("", "0")
)


class SeenThroughWarning(UserWarning):
    """Code that nobody has marked was seen through, and its first call ran twice."""


class Unseen(NamedTuple):
    """The code that a refusal came of, which takes traced values where it is seen through: that of a
    file of one's own, or that of a package, by its name; where both are given, the file first.
    """

    operation: str  # what was refused
    place: tuple[str, int]  # the user's file and line
    package: str | None
    code: Any = None
    variables: Any = None
    is_caught: bool = False  # other lines ran then, which may have changed anything

    def __reduce__(self) -> Any:
        """Errors are pickled where a process hands them on; code is not."""
        return Unseen, (self.operation, self.place, self.package)


@contextmanager
def only_marked(enabled: bool = True) -> Iterator[None]:
    """See through only what is marked or named by `seen_through`: all else raises.

    The environment variable ``CHAINRULES_ONLY_MARKED=1`` says so for a process, and
    ``warnings.simplefilter("error", SeenThroughWarning)`` for what is not seen through yet.

    >>> import math
    >>> from chainrules_tape import grad
    >>> with only_marked():
    ...     grad(lambda x: math.exp(x))(0.0)  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    chainrules_tape.refusals.errors.LostGradientError: float(x): ...
    """
    token = _only_marked.set(enabled)
    try:
        yield
    finally:
        _only_marked.reset(token)


def is_seen_by_itself(text: str = "") -> bool:
    """Whether code is seen through that nobody has marked: not where that raises the warning with a
    text as an error.
    """
    if _only_marked.get():
        return False
    for action, message, category, *_ in warnings.filters:
        is_meant: bool = message is None or re.compile(message).match(text) is not None
        if is_meant and issubclass(SeenThroughWarning, category):
            return action != "error"
    return True


def text_about(unseen: Unseen, name: str, function: str = "f") -> str:
    """Say what was seen through, why, and how that is written."""
    if name == unseen.package:
        code, word = f"the package {name}", f'with seen_through("{name}")'
    else:
        code = f"the file {os.path.basename(unseen.place[0])}"
        word = f"@seen_through above {function if function.isidentifier() else 'f'}"
    return (
        f"{unseen.operation} takes plain numbers, so {code} was seen through, and this first call has"
        f" run twice; to avoid that, write {word} (from chainrules_tape import seen_through); for an"
        " error instead, use chainrules_tape.only_marked()"
    )
