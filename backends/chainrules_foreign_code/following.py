"""What is seen through because a refusal names it: a file of one's own, or an installed package.

`attempt` is the answer to a refusal (`chainrules_tape.core.following.again`): it adds what was refused to
what is seen through for the function, puts back what the first run has changed, and says so once.
"""

import warnings
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from types import CellType, CodeType, FunctionType
from typing import Any

from chainrules_foreign_code.own_files import see_file_of
from chainrules_foreign_code.scope import Scope
from chainrules_py.checks.contract import debugging
from chainrules_tape.core.following import (
    Followed,
    followed,
    key_of,
    saved,
    without_cache,
    written_function,
)
from chainrules_tape.core.saved_state import SavedState
from chainrules_tape.refusals.errors import EscapedValueError
from chainrules_tape.refusals.instrumented_packages import is_exchanged
from chainrules_tape.refusals.unseen import (
    SeenThroughWarning,
    Unseen,
    is_seen_by_itself,
    text_about,
)

Function = Callable[..., Any]
# for whom and by identity, the codes that were exchanged: those of calls that have begun stay as they
# are; a file that is read again has others, which are equal
_exchanged: dict[tuple[Any, int], CodeType] = {}
told: dict[str, str] = {}  # by file or package, the warning that was given of it
_LEFT = (
    "It may be from a first run of the function, which was refused and has left it in a container:"
    " mark the function by @seen_through, which saves that run"
)


class Attempt:
    """An entry point that is run again, with one thing more that is seen through."""

    def __init__(self, entry: Function, known: Followed, error: Exception, name: str) -> None:
        self.entry, self.known, self.error, self.name = entry, known, error, name

    def __call__(self, *args, **options) -> Any:
        """Run the entry point again, and say what was seen through, where that has helped.

        Where nobody knows what the first run has changed, the second one may change nothing: it
        has not begun with what the first one began with.
        """
        before = None if saved.get() else SavedState(args[0], (args[1:], options))
        try:
            found = self.known.run(self.entry, *args, **options)
        except EscapedValueError as error:
            error.add_note(_LEFT)
            raise
        if before is not None and before.changed():
            self.known.scopes.pop(self.name, None)
            raise self.error
        if self.name not in told or debugging():  # once for each file and package
            unseen: Unseen = self.error.__dict__["unseen"]
            written = written_function(args[0])
            told[self.name] = text = text_about(
                unseen, self.name, getattr(written, "__name__", "f")
            )
            warnings.warn_explicit(text, SeenThroughWarning, *unseen.place)
        return found


def attempt(
    error: Exception, entry: Function, args: tuple[Any, ...], options: dict[str, Any]
) -> Attempt | None:
    """What runs an entry point again whose function was refused; None where nothing more can be seen
    through, where what the function has changed cannot be put back, or whoever asks for errors in
    the place of warnings wants today's.
    """
    unseen: Unseen = error.__dict__["unseen"]
    function = args[0]
    key = key_of(function)
    known = followed.get(key) or Followed(key)
    code = None if unseen.code is None or is_exchanged(unseen.code) else unseen.code  # of a file
    name = unseen.package if code is None else code.co_filename
    if (
        name is None
        or (key is None and code is None)
        or name in known.scopes
        or not is_seen_by_itself(text_about(unseen, name))
    ):
        return None
    before = saved.get() or SavedState(function, (args[1:], options))
    if not before.put_back():
        return None
    if code is not None:
        if (key, id(code)) in _exchanged:
            return None
        if not see_file_of(of_the_file(function, unseen), code):
            return None
        _exchanged[key, id(code)] = code
    if code is None or function is not without_cache(function):
        known.scopes[name] = partial(Scope, name) if code is None else nullcontext
        followed[key] = known
    return Attempt(entry, known, error, name)


def of_the_file(function: Function, unseen: Unseen) -> FunctionType:
    """A function of the file in which a refusal was raised: the differentiated one, or one that is made
    of the code.
    """
    written = written_function(function)
    if getattr(written, "__globals__", None) is unseen.variables:
        return written
    cells = tuple([CellType() for _ in unseen.code.co_freevars])
    return FunctionType(unseen.code, unseen.variables, closure=cells)
