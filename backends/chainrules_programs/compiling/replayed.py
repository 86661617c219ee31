"""What a function prints and warns of, which its programs print and warn of, too.

While a function is recorded, `print` and `warnings.warn` only note their calls. These are made when
the run has ended well, and at the end of each run of the program; values that are printed are
results of it. A call that no program could make, to a file say, is made at once, and noted as any
other effect is.
"""

import builtins
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from types import FrameType
from typing import Any, NamedTuple

from chainrules_programs.recording.places import OWN
from chainrules_programs.recording.texts import Shown, parts_of_text, texts
from chainrules_py.introspection import callers, package_name

PRINT, WARN = print, warnings.warn
STREAMS = ("stdout", "stderr")


class Printed(NamedTuple):
    """A text for `sys.stdout` or `sys.stderr`, with the places of values."""

    parts: tuple[Any, ...]
    stream: str
    flush: bool

    def call(self, values: Sequence[Any]) -> None:
        """Print it."""
        written = [part.text(values) if type(part) is Shown else part for part in self.parts]
        PRINT("".join(written), end="", file=getattr(sys, self.stream), flush=self.flush)


class Warned(NamedTuple):
    """A warning, and the line of the user's that gives it."""

    text: str
    category: type[Warning]
    filename: str
    line: int
    module: str

    def call(self, values: Sequence[Any]) -> None:
        """Warn, as often as the filters say for this line."""
        space = getattr(sys.modules.get(self.module), "__dict__", {})
        registry = space.setdefault("__warningregistry__", {})
        warnings.warn_explicit(
            self.text, self.category, self.filename, self.line, self.module, registry
        )


@dataclass
class Effects:
    """The calls that a run has noted, in order, and the recorded values that they show."""

    note: Callable[[str], Any]
    calls: list[Printed | Warned] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    has_warned: bool = False  # or would have, but for a filter
    filters: Any = field(default_factory=lambda: state_of_warnings())
    texts_before: int = field(default_factory=lambda: texts.made)

    def perform(self) -> None:
        """Make the calls."""
        values = [value.array for value in self.values]
        for each in self.calls:
            each.call(values)

    def give_up(self, name: str) -> None:
        """Note a call that no program makes, and make those before it."""
        self.perform()
        self.calls.clear()
        self.note(name)

    def require_known_texts(self) -> None:
        """Note where a text may be one of the recorded run's values."""
        if self.calls and texts.made > self.texts_before:
            self.give_up("print or warn with the text of a traced value made by repr(x)")


class Noting(threading.local):
    """The effects of the run that is recorded in this thread."""

    effects: Effects | None = None

    def for_code_of(self, frame: FrameType) -> Effects | None:
        """The effects, but for a function of a library: programs call that themselves."""
        return None if package_name(frame) in OWN else self.effects


noting = Noting()


def noted_print(*args, sep=" ", end="\n", file=None, flush=False) -> None:
    """Print, or note what is printed while a function is recorded."""
    effects = noting.for_code_of(next(callers(1)))
    if effects is None:
        file = getattr(sys, file.name) if type(file) is NotedStream else file
        PRINT(*args, sep=sep, end=end, file=file, flush=flush)
    else:
        note_print(effects, args, sep, end, file, flush)


def note_print(effects: Effects, args: tuple[Any, ...], sep, end, file, flush) -> None:
    """Note what is printed; what goes to another file is printed at once."""
    stream = "stdout" if file is None else name_of_stream(file)
    if stream is None:
        effects.give_up("print(file=...)")
        PRINT(*args, sep=sep, end=end, file=file, flush=flush)
        return
    sep, end = (" " if sep is None else sep), ("\n" if end is None else end)
    parts: list[Any] = []
    for k, arg in enumerate(args):
        parts += [sep] if k else []
        parts += parts_of_text(arg, effects.values)
    effects.calls.append(Printed((*parts, end), stream, bool(flush)))


def name_of_stream(file) -> str | None:
    """The name that a stream has in `sys`; None for other files."""
    if type(file) is NotedStream:
        return file.name
    return next((name for name in STREAMS if file is getattr(sys, name)), None)


class NotedStream:
    """Stands for one of the streams of `sys` while a function is recorded; `give_up` notes all that
    is no call of `write` or `flush`.
    """

    def __init__(self, name: str, give_up: Callable[[str], Any]) -> None:
        self.name, self.give_up = name, give_up

    def write(self, text: str) -> int:
        """Write a text."""
        self._note(text)
        return len(text)

    def flush(self) -> None:
        """Have everything written."""
        self._note("", flush=True)

    def _note(self, text: str, flush: bool = False) -> None:
        effects = noting.for_code_of(next(callers(2)))
        if effects is None:
            PRINT(text, end="", file=getattr(sys, self.name), flush=flush)
        else:
            note_print(effects, (text,), "", "", self, flush)

    def __getattr__(self, name: str) -> Any:
        self.give_up(f"sys.{self.name}.{name}")
        return getattr(getattr(sys, self.name), name)


def noted_warn(message, category=None, stacklevel=1, source=None, **options) -> None:
    """Warn, or note the warning while a function is recorded."""
    effects = noting.for_code_of(next(callers(1)))
    if effects is None:
        WARN(message, category, stacklevel + 1, source, **options)
        return
    category = type(message) if isinstance(message, Warning) else category or UserWarning
    frame = frame_that_warns(stacklevel)
    where = ("sys", 1, "sys")
    if frame is not None:
        module = frame.f_globals.get("__name__") or "<string>"
        where = frame.f_code.co_filename, frame.f_lineno, module
    found = Warned(str(message), category, *where)
    effects.has_warned, action = True, action_for(found)
    is_as_before = effects.filters == state_of_warnings()
    if action == "ignore":
        return
    if action == "error" or options or type(message) is not str or not is_as_before:
        effects.give_up("warnings.warn")
        WARN(message, category, stacklevel + 1, source, **options)
        return
    effects.calls.append(found)


def frame_that_warns(stacklevel: int) -> FrameType | None:
    """The frame so many calls above the one that called `noted_warn`, as `warnings.warn` counts."""
    return next(islice(callers(2), max(stacklevel - 1, 0), None), None)


def action_for(warned: Warned) -> str:
    """What the filters say of a warning: "error", "ignore", or how often it is shown."""
    filters: Any = warnings.filters
    for action, message, category, module, line in filters:
        if message is not None and not message.match(warned.text):
            continue
        if module is not None and not module.match(warned.module):
            continue
        if issubclass(warned.category, category) and line in (0, warned.line):
            return str(action)
    return str(getattr(warnings, "defaultaction", "default"))


def state_of_warnings() -> Any:
    """How warnings are filtered and shown just now."""
    return tuple(warnings.filters), warnings.showwarning


STAND_INS: dict[int, Any] = {id(PRINT): noted_print, id(WARN): noted_warn}
_lock = threading.Lock()
_recordings = 0


@contextmanager
def noted_calls(effects: Effects) -> Iterator[None]:
    """Note the calls of this thread: of those who find `print` among Python's builtins, and `warn`
    in its module; other threads' are made.
    """
    global _recordings
    with _lock:
        _recordings += 1
        builtins.print, warnings.warn = noted_print, noted_warn
    before, noting.effects = noting.effects, effects
    try:
        yield
    finally:
        noting.effects = before
        with _lock:
            _recordings -= 1
            if not _recordings:
                builtins.print, warnings.warn = PRINT, WARN
