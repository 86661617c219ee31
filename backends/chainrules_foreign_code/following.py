"""What is seen through because a refusal names it: a file of one's own, or an installed package.

`attempt` is the answer to a refusal (`chainrules_tape.core.following.again`): it adds what was refused to
what is seen through for the function, puts back what the first run has changed, and says so once.
"""

import warnings
from contextvars import ContextVar
from functools import partial
from operator import is_
from traceback import walk_tb
from types import CellType, CodeType, FunctionType
from typing import Any

import numpy as np

from chainrules_foreign_code.callees import see_file_of, see_packages
from chainrules_foreign_code.vectorizing import vectorize_as_foreign
from chainrules_py.annotations import Args, Function, Options
from chainrules_py.checks.contract import debugging
from chainrules_py.introspection import module_name
from chainrules_py.introspection.waiting_code import waited_for
from chainrules_tape.core.following import (
    saved,
    written_function,
)
from chainrules_tape.core.saved_state import SavedState, refill, set_variable
from chainrules_tape.in_place.storages import STORED
from chainrules_tape.refusals.code_owners import is_own
from chainrules_tape.refusals.errors import EscapedValueError
from chainrules_tape.refusals.instrumented_packages import is_exchanged, is_seen, needed_by
from chainrules_tape.refusals.unseen import (
    SeenThroughWarning,
    Unseen,
    is_seen_by_itself,
    text_about,
)

# what is seen through for the call that is being tried again, by file or package, and by the code that
# was refused: the code of a call that has begun stays as it is, and text that is compiled in each
# run has another one, which is equal
_tried: ContextVar[frozenset[Any]] = ContextVar("tried", default=frozenset())
_MOST = 30  # things that are seen through for one call: text that is written in each run has no end
told: dict[str, str] = {}  # by file or package, the warning that was given of it
_LEFT = (
    "It may come from a first run of the function, which was refused and left it in a container:"
    " mark the function by @seen_through, which saves that run"
)


class Attempt:
    """An entry point that is run again, with one thing more that is seen through."""

    def __init__(self, entry: Function, error: Exception, name: str) -> None:
        self.entry, self.error, self.name = entry, error, name
        unseen: Unseen = error.__dict__["unseen"]
        self.tried = name, unseen.code, id(unseen.variables)

    def __call__(self, *args, **options) -> Any:
        """Run the entry point again, and say what was seen through, where that has helped.

        Where nobody knows what the first run has changed, the second one may change nothing: it
        has not begun with what the first one began with.
        """
        before = None if saved.get() else SavedState(args[0], (args[1:], options))
        token = _tried.set(_tried.get() | {self.tried})
        try:
            found = self.entry(*args, **options)
        except EscapedValueError as error:
            error.add_note(_LEFT)
            raise
        finally:
            _tried.reset(token)
        if before is not None and before.changed():
            raise self.error
        if self.name not in told or debugging():  # once for each file and package
            unseen: Unseen = self.error.__dict__["unseen"]
            written = written_function(args[0])
            told[self.name] = text = text_about(
                unseen, self.name, getattr(written, "__name__", "f")
            )
            warnings.warn_explicit(text, SeenThroughWarning, *unseen.place)
        return found


def attempt(error: Exception, entry: Function, args: Args, options: Options) -> Attempt | None:
    """What runs an entry point again whose function was refused; None where nothing more can be seen
    through, where what the function has changed cannot be put back, or whoever asks for errors in
    the place of warnings wants today's.
    """
    unseen: Unseen = error.__dict__["unseen"]
    function = args[0]
    code = None if unseen.code is None or is_exchanged(unseen.code) else unseen.code  # of a file
    name = unseen.package if code is None else code.co_filename
    if name is None or not may_be_seen(name, unseen, error):
        return None
    before = saved.get() or SavedState(function, (args[1:], options))
    if not before.put_back() or not see(name, code, function, error):
        return None
    return Attempt(entry, error, name)


def may_be_seen(name: str, unseen: Unseen, error: Exception) -> bool:
    """Whether a file or package, which is not seen yet, may be seen through in this call."""
    if is_seen(name):  # but some of its functions are called by code that asks for nothing
        return ran_unasked(name, error) and (name, None, id(None)) not in _tried.get()
    if not is_seen_by_itself(text_about(unseen, name)):
        return False
    tried = _tried.get()
    if (name, unseen.code, id(unseen.variables)) in tried or len(tried) == _MOST:
        return False
    return not unseen.is_caught or bool(saved.get())


def see(name: str, code: CodeType | None, function: Function, error: Exception) -> bool:
    """See through a package, or the file of a code; whether that was possible."""
    if code is not None:
        written = of_the_file(function, error.__dict__["unseen"])
        is_held = written is written_function(function)
        return see_file_of(written, code, is_held=is_held)
    needed_by.clear()  # some of its functions may have been lent nothing
    see_packages([name])
    return True


def ran_unasked(name: str, error: BaseException | None) -> bool:
    """Whether own code of a package that is seen has raised an error."""
    while error is not None:
        for frame, _ in walk_tb(error.__traceback__):
            is_of_package = f"{module_name(frame)}.".startswith(f"{name}.")
            if is_of_package and not is_exchanged(frame.f_code) and not waited_for(frame.f_code):
                return True
        error = error.__cause__ or error.__context__
    return False


def leave_plain(state: SavedState) -> None:
    """Put NumPy's and SciPy's own objects in the place of those that take traced values, in the
    variables and containers that a function has filled.
    """
    for space, name, value in state.variables:
        if (plain := in_plain(value)) is not value:
            set_variable(space, name, plain)
    for container, parts in state.containers:
        plain_ones = tuple(map(in_plain, parts))
        if not all(map(is_, parts, plain_ones)):
            refill(container, plain_ones)


def in_plain(value) -> Any:
    """The plain object in the place of one of this library's, in tuples, too."""
    cls = type(value)
    if cls is tuple:
        parts = tuple(map(in_plain, value))
        return value if all(map(is_, value, parts)) else parts
    if cls is partial:
        given = *value.args, *value.keywords.values()
        parts = in_plain(given)
        count = len(value.args)
        named = dict(zip(value.keywords, parts[count:], strict=True))
        return value if parts is given else partial(value.func, *parts[:count], **named)
    if cls in STORED:  # one that holds traced values is refused where it is used
        return np.array(value) if value.storage.state.level is None else value
    if cls is vectorize_as_foreign:
        options = {
            name: getattr(value, name) for name in ("otypes", "excluded", "cache", "signature")
        }
        return np.vectorize(value.pyfunc, doc=value.__doc__, **options)
    is_traced = getattr(value, "is_traced", True) if is_own(cls.__module__) else True
    return value if is_traced else value.plain


def of_the_file(function: Function, unseen: Unseen) -> FunctionType:
    """A function of the file in which a refusal was raised: the differentiated one, or one that is made
    of the code.
    """
    written = written_function(function)
    if getattr(written, "__globals__", None) is unseen.variables:
        return written
    cells = tuple([CellType() for _ in unseen.code.co_freevars])
    return FunctionType(unseen.code, unseen.variables, closure=cells)
