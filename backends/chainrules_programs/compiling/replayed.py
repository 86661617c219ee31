"""What a function prints, logs and warns of, which its programs print, log and warn of, too.

While a function is recorded, `print`, `warnings.warn` and loggers only note their calls. These are
made when the run has ended well, and at the end of each run of the program; values that are printed
are results of it. A call that no program could make, to a file say, is made at once, and noted as
any other effect is. So are calls of what sets up loggers. Clocks are steps.
"""

import builtins
import functools
import logging
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from types import BuiltinFunctionType, FrameType
from typing import Any, NamedTuple

from chainrules_programs.compiling.kinds_of_values import is_users
from chainrules_programs.compiling.places import Question
from chainrules_programs.recording.errors import refuse_recording
from chainrules_programs.recording.places import OWN
from chainrules_programs.recording.program import Value
from chainrules_programs.recording.texts import Shown, parts_of_text, texts
from chainrules_py.introspection import callers, package_name
from chainrules_py.values.arrays import making
from chainrules_tape.refusals.handles import TracedArray

PRINT, WARN, ID = print, warnings.warn, id
LOG, ENABLED = logging.Logger._log, logging.Logger.isEnabledFor
STREAMS = ("stdout", "stderr")


class Printed(NamedTuple):
    """A text for `sys.stdout` or `sys.stderr`, with the places of values."""

    parts: tuple[Any, ...]
    stream: str
    flush: bool

    def call(self, values: Sequence[Any]) -> None:
        """Print it."""
        file = getattr(sys, self.stream)
        PRINT(written(self.parts, values), end="", file=file, flush=self.flush)


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


class Logged(NamedTuple):
    """A message for a logger, with the places of values, and the user's line."""

    parts: tuple[Any, ...]
    logger: logging.Logger
    level: int
    place: tuple[str, int, str]  # file, line and function

    def call(self, values: Sequence[Any]) -> None:
        """Give it to the handlers that the logger has now."""
        file, line, function = self.place
        logger, text = self.logger, written(self.parts, values)
        logger.handle(
            logger.makeRecord(logger.name, self.level, file, line, text, (), None, function)
        )


def written(parts: Sequence[Any], values: Sequence[Any]) -> str:
    """A text of parts, given the values that it shows."""
    return "".join([part.text(values) if type(part) is Shown else part for part in parts])


@dataclass
class Effects:
    """The calls that a run has noted, in order, and the recorded values that they show.

    `asked` are questions that decided about them.
    """

    note: Callable[[str], Any]
    calls: list[Printed | Warned | Logged] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    asked: list[Question] = field(default_factory=list)
    copies: dict[int, Any] = field(default_factory=dict)  # that stand for objects of the user's
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

    def for_users_code(self, frame: FrameType) -> Effects | None:
        """The effects, for code of the user's alone."""
        return self.effects if is_users(frame.f_globals.get("__name__")) else None


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
    sentence = "warnings are filtered and shown as they were"
    effects.asked.append((state_of_warnings, effects.filters, sentence))
    action = action_for(found)
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


class Message(NamedTuple):
    """A message of a logger, and what is put into it."""

    text: Any
    args: Any

    def __str__(self) -> str:
        return logging.LogRecord("", 0, "", 0, self.text, self.args, None).getMessage()


def noted_log(self, level, msg, args, exc_info=None, extra=None, stack_info=False, stacklevel=1):
    """Log, or note the message while a function is recorded."""
    effects = noting.for_code_of(next(f for f in callers(2) if package_name(f) != "logging"))
    if effects is None or exc_info or extra or stack_info:
        if effects is not None:
            effects.give_up("logging with more than a text")
        LOG(self, level, msg, args, exc_info, extra, stack_info, stacklevel + 1)
        return
    file, line, function, _ = self.findCaller(False, stacklevel + 1)
    if self is logging.root:  # `logging.info` gives it a handler, where it has none
        answer, sentence = self.hasHandlers(), "the root logger has handlers"
        effects.asked.append((self.hasHandlers, answer, sentence))
    parts = tuple(parts_of_text(Message(msg, args), effects.values))
    effects.calls.append(Logged(parts, self, level, (file, line, function)))


def noted_question(self, level) -> bool:
    """Whether a logger lets messages of a level pass; a program asks again."""
    answer = ENABLED(self, level)
    if noting.effects is not None:
        passes = "passes" if answer else "does not pass"
        sentence = f"the logger {self.name} {passes} messages of level {level}"
        noting.effects.asked.append((functools.partial(ENABLED, self, level), answer, sentence))
    return answer


def noted_id(x, /) -> int:
    """The identity of an object; raises where a recorded run has another object in its place."""
    effects = noting.for_users_code(next(callers(1)))
    if effects is not None:
        is_copy = any(x is copy for copy in effects.copies.values())
        if is_copy or issubclass(type(x), TracedArray | Value):
            got = "the recorded run has another object in the place of x"
            refuse_recording("id(x)", got, "tell arrays and objects apart by a name of their own")
    return ID(x)


def noted_call(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is called as ever, which is noted where the user's code does so, or `logging`."""

    @functools.wraps(function)
    def noted(*args, **options) -> Any:
        frame = next(callers(1))
        is_set_up = name.startswith("logging") and package_name(frame) == "logging"
        effects = noting.effects if is_set_up else noting.for_users_code(frame)
        if effects is not None:
            effects.note(name)
        return function(*args, **options)

    return noted


def noted_clock(clock: Callable[[], Any]) -> Callable[[], Any]:
    """A clock that is a step where the user's code asks it while a function is recorded: each run of
    the program asks it again.
    """

    @functools.wraps(clock)
    def noted() -> Any:
        is_recorded = noting.for_users_code(next(callers(1))) is not None
        return making.made(clock) if is_recorded else clock()

    return noted


STAND_INS: dict[int, Any] = {ID(PRINT): noted_print, ID(WARN): noted_warn, ID(ID): noted_id}
# what code has by an attribute, wherever it has the object or the module from
_SETTING_UP = ("setLevel", "addHandler", "removeHandler", "addFilter", "removeFilter")
_CLOCKS = frozenset(
    f"{clock}{unit}"
    for clock in ("time", "monotonic", "perf_counter", "process_time", "thread_time")
    for unit in ("", "_ns")
)
_ATTRIBUTES: list[tuple[Any, str, Any]] = [
    (builtins, "print", noted_print),
    (warnings, "warn", noted_warn),
    (logging.Logger, "_log", noted_log),
    (logging.Logger, "isEnabledFor", noted_question),
    *[
        (cls, name, noted_call(f"logging.{cls.__name__}.{name}", vars(cls)[name]))
        for cls in (logging.Logger, logging.Filterer)
        for name in _SETTING_UP
        if name in vars(cls)
    ],
    *[
        (
            time,
            name,
            noted_clock(function) if name in _CLOCKS else noted_call(f"time.{name}", function),
        )
        for name, function in vars(time).items()
        if type(function) is BuiltinFunctionType
    ],
]
_ORIGINALS = [(owner, name, vars(owner)[name]) for owner, name, _ in _ATTRIBUTES]
STAND_INS |= {ID(vars(time)[name]): stands for owner, name, stands in _ATTRIBUTES if owner is time}
_lock = threading.Lock()
_recordings = 0


@contextmanager
def noted_calls(effects: Effects, asks_id: bool = False) -> Iterator[None]:
    """Note the calls of this thread: of those who find `print` among Python's builtins, and `warn`
    in its module; other threads' are made. With `asks_id`, those of `id` are noted, too.
    """
    global _recordings
    with _lock:
        _recordings += 1
        put(_ATTRIBUTES)
        if asks_id:  # each call of it takes a frame more
            builtins.id = noted_id
    before, noting.effects = noting.effects, effects
    try:
        yield
    finally:
        noting.effects = before
        with _lock:
            _recordings -= 1
            if not _recordings:
                put(_ORIGINALS)
                builtins.id = ID


def put(attributes: list[tuple[Any, str, Any]]) -> None:
    """Give modules and classes these attributes."""
    for owner, name, function in attributes:
        setattr(owner, name, function)
