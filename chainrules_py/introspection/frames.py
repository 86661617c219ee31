"""Frames: who calls, from which line of which module, and what its variables hold.

A frame is one call that has not ended. What is asked of one here is about messages, places and
names of modules.
"""

import sys
from collections.abc import Collection, Hashable, Iterator, Mapping
from contextlib import contextmanager
from types import CellType, FrameType, FunctionType
from typing import Any

# frame_above(0) is the frame that asks, frame_above(1) its caller. It is Python's own function,
# because handles ask whenever somebody asks for their class, and a function around it takes 40 ns.
frame_above = sys._getframe


def frames_outward(frame: FrameType | None) -> Iterator[FrameType]:
    """Yield a frame, its caller, the caller of that, and so on."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def frame_outside(packages: Collection[str], frame: FrameType | None = None) -> FrameType:
    """The innermost frame whose code is in none of some packages; the outermost if all are.

    The first to be looked at is a given frame, else the caller's.
    """
    frame = frame or sys._getframe(1)
    # `package_name` written out: code that is instrumented asks at each comparison.
    while (
        frame.f_back is not None
        and (frame.f_globals.get("__name__") or "").partition(".")[0] in packages
    ):
        frame = frame.f_back
    return frame


def frames_inside(packages: Collection[str]) -> Iterator[FrameType]:
    """Yield the caller, its caller, and so on, as long as their code belongs to some packages."""
    for frame in frames_outward(sys._getframe(1)):
        if package_name(frame) not in packages:
            return
        yield frame


def module_name(frame: FrameType) -> str:
    """The name of the module whose code a frame runs; empty where that is not known."""
    name = frame.f_globals.get("__name__")
    return name if isinstance(name, str) else ""


def package_name(frame: FrameType) -> str:
    """The name of the outermost package whose code a frame runs; empty where that is not known."""
    return module_name(frame).partition(".")[0]


def is_ours(frame: FrameType) -> bool:
    """Whether a frame runs code of this library: all of its packages have names that begin so."""
    return module_name(frame).startswith("chainrules_")


def caller_location(depth: int) -> str:
    """``file:line`` of the call `depth` frames above the function that asks."""
    return location_of(sys._getframe(depth + 1))


def location_of(frame: FrameType) -> str:
    """``file:line`` of the line that a frame is at."""
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def place_in_code(frame: FrameType) -> Hashable:
    """A key for the instruction that a frame is at: the same whenever the code comes there."""
    # the code by its identity, because its hash reads all of it
    return id(frame.f_code), frame.f_lasti


def variables_of_frame(frame: FrameType) -> Mapping[str, Any]:
    """The local variables of a call, by name."""
    return frame.f_locals


def first_variable(frame: FrameType) -> Any:
    """The first local variable of a call, which is its first argument; None without variables."""
    return next(iter(frame.f_locals.values()), None)


def callers(depth: int) -> Iterator[FrameType]:
    """The frame that is so many calls above whoever iterates, and those farther out."""
    yield from frames_outward(sys._getframe(depth + 1))


def user_frame(
    packages: Collection[str], known: dict[int, Any], beneath: Collection[str], depth: int
) -> FrameType | None:
    """The innermost frame, from that so many calls above the caller's on, whose code is in none of
    some packages; None if all are that were called from one of the modules `beneath`.

    `known` remembers which code is in them: whoever asks at each step of a program passes one
    dictionary.
    """
    frame: FrameType | None = sys._getframe(depth + 1)
    while frame is not None:
        code = frame.f_code
        found = known.get(id(code))  # by identity, because the hash of a code reads all of it
        if found is None:
            is_inside = package_name(frame) in packages
            is_last = not is_inside or module_name(frame) in beneath
            # with the code itself, which thus keeps its identity
            found = known[id(code)] = (is_last, is_inside, code)
        if found[0]:
            return None if found[1] else frame
        frame = frame.f_back
    return None


@contextmanager
def calls_noted() -> Iterator[list[tuple[FrameType, str, Any]]]:
    """Note calls: the frame that calls, the module of what is called, and its code or function in C;
    nothing where a profiler does so already.
    """
    found: list[tuple[FrameType, str, Any]] = []

    def note(frame: FrameType, event: str, called: Any) -> None:
        if event == "call" and frame.f_back is not None:
            found.append((frame.f_back, module_name(frame), frame.f_code))
        elif event == "c_call":
            found.append((frame, str(called.__module__), called))

    is_free = not is_profiled()
    if is_free:
        sys.setprofile(note)
    try:
        yield found
    finally:
        if is_free:
            sys.setprofile(None)


def is_profiled() -> bool:
    """Whether a profiler counts calls just now."""
    if sys.getprofile() is not None:
        return True
    return _TOOLS is not None and _TOOLS.get_tool(_TOOLS.PROFILER_ID) is not None


_TOOLS = getattr(sys, "monitoring", None)


def line_of(frame: FrameType) -> tuple[str, int]:
    """File and line that a frame is at."""
    return frame.f_code.co_filename, frame.f_lineno


def users_level(frame: FrameType) -> int:
    """The `stacklevel` of the innermost code that is not this library's.

    It is for a warning that the function called by this frame gives; where all code is this
    library's, it is that of the frame.
    """
    levels = enumerate(frames_outward(frame), 2)
    return next((level for level, waiting in levels if not is_ours(waiting)), 2)


def closure_values(function: FunctionType) -> dict[str, Any]:
    """The variables of enclosing functions that a function reads, by name, but for empty ones."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {name: cell.cell_contents for name, cell in cells if cell != CellType()}
