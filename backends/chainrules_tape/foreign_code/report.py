"""``chainrules try package.function 1.0 "[2.0, 3.0]"``: whether a call is differentiated as it
stands, and what is in the way.

The call is traced in a scope that sees through its package, and its gradient is compared with
central differences. Where it is refused, it is traced once more with each refused conversion
answered by the plain value, so that all of them are found.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from chainrules_tape.foreign_code.scope import seen_through
from chainrules_tape.gradients import grad
from chainrules_tape.refusals import errors
from chainrules_tape.refusals.advice import CONVERSIONS
from chainrules_tape.refusals.handles import plain

_OURS = ("chainrules_tape", "chainrules_py", "numpy", "scipy")  # whose lines are not to be blamed
_PLAIN: dict[str, Callable[[Any], Any]] = {
    CONVERSIONS["__float__"][0]: float,
    CONVERSIONS["__int__"][0]: int,
    CONVERSIONS["__complex__"][0]: complex,
    "x.item()": lambda x: np.asarray(x).item(),
    "x.tolist()": lambda x: np.asarray(x).tolist(),
}
_UNSTEADY, _SMALL_STEPS = 1e-2, (1e-6, 1e-7, 1e-8, 1e-9)


class Obstacle(NamedTuple):
    """A construct that a call cannot be differentiated through, and where it stands."""

    construct: str
    file: str
    line: int


class Trial(NamedTuple):
    """What trying a call found: how far its gradient is from central differences, or the error, and
    what is in the way.

    `spread` is how far differences of two steps are from each other, where the gradient agrees with
    neither.
    """

    difference: float | None
    error: Exception | None
    obstacles: list[Obstacle]
    spread: float = 0.0

    @property
    def is_right(self) -> bool:
        """Whether there is a gradient, and it agrees with central differences."""
        return self.difference is not None and self.difference < 1e-4

    @property
    def is_undecided(self) -> bool:
        """Whether differences do not even agree with each other, so that they say nothing of the
        gradient.
        """
        return not self.is_right and self.spread > _UNSTEADY


def tried(function: Callable[..., Any], args: Sequence[Any], packages: Sequence[str]) -> Trial:
    """Differentiate a call by its arguments, all of them real numbers and arrays, while packages
    are seen through.

    >>> tried(lambda x: x * np.sin(x), [0.5], []).is_right
    True
    """
    points = [np.asarray(arg, float) if np.ndim(arg) else float(arg) for arg in args]

    def weighted(*values: Any) -> Any:
        return weighted_sum(function(*values))

    with seen_through(*packages):
        try:
            bars = grad(weighted, argnums=tuple(range(len(points))))(*points)
        except Exception as error:
            return Trial(None, error, obstacles(weighted, points))
    slopes = central_differences(weighted, points)
    difference = largest_difference(bars, slopes)
    if difference < _UNSTEADY:
        return Trial(difference, None, [])
    spread = largest_difference(slopes, central_differences(weighted, points, 0.7e-5))
    # tiny changes of an argument grow: only tinier ones say what the slope is
    if spread > _UNSTEADY:
        difference = min(
            largest_difference(bars, central_differences(weighted, points, step))
            for step in _SMALL_STEPS
        )
    return Trial(difference, None, [], spread)


def weighted_sum(y: Any) -> Any:
    """The sum of all numbers in a result, each with a weight of its own."""
    parts: list[Any] = list(leaves(y))
    total, count = 0.0, 0
    for part in parts:
        weights = np.cos(1.0 + np.arange(count, count + np.size(part))).reshape(np.shape(part))
        total, count = (
            total + np.sum((np.real(part) + 0.3 * np.imag(part)) * weights),
            count + np.size(part),
        )
    return total


def leaves(y: Any) -> Iterator[Any]:
    """The numbers and arrays of numbers in a result."""
    if isinstance(y, dict | list | tuple):
        for part in y.values() if isinstance(y, dict) else y:
            yield from leaves(part)
    elif hasattr(y, "dtype") or isinstance(y, float | complex):
        yield y


def central_differences(
    function: Callable[..., Any], points: list[Any], step: float = 2e-5
) -> list[Any]:
    """The gradient of a function by differences of fourth order; the step is relative to the
    numbers.
    """

    def moved(k: int, index: tuple[int, ...], step: float) -> Any:
        x = np.array(points[k], float)
        x[index] += step
        return function(*points[:k], x if x.ndim else float(x), *points[k + 1 :])

    found = []
    for k, point in enumerate(points):
        slopes: Any = np.zeros(np.shape(point))
        for index in np.ndindex(slopes.shape):
            h = step * float(abs(np.asarray(point)[index]) or 0.05)
            near, far = (
                moved(k, index, h) - moved(k, index, -h),
                moved(k, index, 2 * h) - moved(k, index, -2 * h),
            )
            slopes[index] = (8 * near - far) / (12 * h)
        found.append(slopes)
    return found


def largest_difference(bars: Sequence[Any], slopes: Sequence[Any]) -> float:
    """The largest difference of gradients, relative to the entry and to a part of the largest
    entry.
    """
    return max(
        float(np.max(np.abs(bar - slope) / (np.abs(slope) + 1e-3 * np.max(np.abs(slope)) + 1e-9)))
        for bar, slope in zip(bars, slopes, strict=True)
    )


def obstacles(function: Callable[..., Any], points: list[Any]) -> list[Obstacle]:
    """The conversions that a call asks for and that are refused, one of each line; here each is
    answered by the plain value.
    """
    found: list[Obstacle] = []
    with answered(found):
        try:
            grad(function, argnums=tuple(range(len(points))))(*points)
        except Exception as error:
            found.append(Obstacle(f"{type(error).__name__}: {error}", *place(error)))
    return list({(one.file, one.line): one for one in reversed(found)}.values())[::-1]


@contextmanager
def answered(found: list[Obstacle]) -> Iterator[None]:
    """While it lasts, a conversion is noted, and gives the plain value."""
    refuse = errors.raise_lost_gradient

    def note(operation: str, value: Any, instead: str) -> Any:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _OURS:
            # beyond are our callers
            frame = None if frame.f_globals.get("__name__") == __name__ else frame.f_back
        if frame is not None:
            found.append(
                Obstacle(
                    "y[index] = x" if errors.stores(frame) else operation,
                    frame.f_code.co_filename,
                    frame.f_lineno,
                )
            )
        return _PLAIN.get(operation, np.asarray)(plain(value))

    errors.raise_lost_gradient = note
    try:
        yield
    finally:
        errors.raise_lost_gradient = refuse


def place(error: Exception) -> tuple[str, int]:
    """The file and line of the last frame of an error that is neither ours nor NumPy's."""
    file, line, trace = "", 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__", "").partition(".")[0] not in _OURS:
            file, line = trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next
    return file, line


def report(trial: Trial) -> str:
    """What a trial found, as the command line says it."""
    if trial.difference is not None and trial.is_right:
        return f"right: the gradient agrees with central differences to {trial.difference:.1e}"
    if trial.is_undecided:
        return (
            f"not decided: differences of two steps differ from each other by {trial.spread:.1e},"
            " as they do where tiny changes of an argument grow without bound (a chaotic"
            " iteration), or where a result jumps; the gradient is that of the program's"
            " operations"
        )
    if trial.difference is not None:
        return (
            f"differs from central differences by {trial.difference:.1e}; an iteration that decides"
            " by comparisons, or stops early, has another derivative than what it finds: say which"
            " equation it solves, by implicit_function(solver, residual)"
        )
    lines = [
        f"refused: {trial.error}",
        *(f"  {file}:{line}: {construct}" for construct, file, line in trial.obstacles),
    ]
    return "\n".join(lines)
