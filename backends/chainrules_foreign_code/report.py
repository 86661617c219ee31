"""``chainrules try package.function 1.0 "[2.0, 3.0]"``: can a call be differentiated as it stands?

The call is traced in a scope that sees through its package, and its gradient is compared with the
differences of the test kit.
"""

from collections.abc import Iterator, Sequence
from traceback import walk_tb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chainrules_foreign_code.replacements import replacement
from chainrules_foreign_code.seen_functions import seen_through
from chainrules_py.annotations import Function
from chainrules_py.errors import said_by
from chainrules_py.introspection import package_name
from chainrules_py.testing.finite_differences import oracle_jacobian
from chainrules_tape.core.following import what_is_seen
from chainrules_tape.core.trees import flatten
from chainrules_tape.gradients import grad
from chainrules_tape.refusals.code_owners import ENGINE

# Packages whose lines are not to be blamed.
_OURS = frozenset({*ENGINE, "chainrules_py", "numpy", "scipy"})
ARRAYS = (np.ndarray, np.floating)
_RIGHT = 1e-4  # the relative difference below which a gradient is taken to be right


class Obstacle(NamedTuple):
    """A construct that a call cannot be differentiated through, and where it stands."""

    construct: str
    file: str
    line: int


class Trial(NamedTuple):
    """The outcome of trying a call: how far its gradient is from differences, or the error.

    `obstacles` has the construct that was refused. Where the gradient `is_undecided`, differences
    do not converge, so that they say nothing of it.
    """

    difference: float | None
    error: Exception | None
    obstacles: list[Obstacle]
    is_undecided: bool = False
    seen: tuple[str, ...] = ()  # files and packages beside those that were named

    @property
    def is_right(self) -> bool:
        """Whether there is a gradient, and it agrees with differences."""
        return self.difference is not None and self.difference < _RIGHT and not self.is_undecided


def tried(function: Function, args: Sequence[Any], packages: Sequence[str]) -> Trial:
    """Differentiate a call by its real numbers and arrays of them while packages are seen through.

    They may be in containers. All else, such as integers, are constants of the call.

    >>> tried(lambda x, p: p["a"] * np.sin(x), [0.5, {"a": 2.0}], []).is_right
    True
    """
    parts, rebuilt = flatten(tuple(args))
    by = {position: as_point(part) for position, part in enumerate(parts) if is_real(part)}
    points = list(by.values())
    called = function

    def weighted(*values) -> Any:
        given = dict(zip(by, values, strict=True))
        return weighted_sum(called(*rebuilt([given.get(n, part) for n, part in enumerate(parts)])))

    with seen_through(*packages):
        called = replacement(function)  # who held it before the scope has the original
        try:
            bars = grad(weighted, argnums=tuple(range(len(points))))(*points)
        except Exception as error:
            return Trial(None, error, obstacle(error))

    slopes, errors = oracle_jacobian(lambda values: weighted(*values), tuple(points))
    return compared(bars, slopes[0], errors[0])._replace(seen=tuple(what_is_seen(function)))


def is_real(arg) -> bool:
    """Whether an argument is a real number or an array of them, and no integer."""
    return isinstance(arg, float) or (isinstance(arg, ARRAYS) and arg.dtype.kind == "f")


def as_point(arg) -> Any:
    """A real number, or an array, in double precision."""
    return np.asarray(arg, float) if np.ndim(arg) else float(arg)


def compared(bars: Sequence[Any], slopes: NDArray[Any], errors: NDArray[Any]) -> Trial:
    """Compare gradients with the differences of all entries, one after the other."""
    ends = np.cumsum([np.size(bar) for bar in bars])[:-1]
    parts = zip(bars, np.split(slopes, ends), strict=True)
    differences = np.concatenate([relative_difference(np.ravel(bar), part) for bar, part in parts])

    has_slope = np.isfinite(slopes)
    is_off = ~has_slope | (differences >= _RIGHT)
    has_converged = np.isfinite(errors)
    is_undecided = bool(np.any(is_off) and not np.any(is_off & has_converged))
    return Trial(float(np.max(differences[has_slope], initial=0.0)), None, [], is_undecided)


def relative_difference(bar: NDArray[Any], slope: NDArray[Any]) -> NDArray[Any]:
    """The difference of each entry, relative to the entry and to a part of the largest one."""
    size = np.abs(slope)
    largest = np.max(size[np.isfinite(size)], initial=0.0)
    return np.asarray(np.abs(bar - slope) / (size + 1e-3 * largest + 1e-9))


def weighted_sum(y) -> Any:
    """The sum of all numbers in a result, each with a weight of its own."""
    total, count = 0.0, 0
    for part in leaves(y):
        positions = np.arange(count, count + np.size(part)).reshape(np.shape(part))
        weights = np.cos(1.0 + positions)
        total = total + np.sum((np.real(part) + 0.3 * np.imag(part)) * weights)
        count += np.size(part)
    return total


def leaves(y) -> Iterator[Any]:
    """The numbers and arrays of numbers in a result."""
    if isinstance(y, dict | list | tuple):
        for part in y.values() if isinstance(y, dict) else y:
            yield from leaves(part)
    elif hasattr(y, "dtype") or isinstance(y, float | complex):
        yield y


def obstacle(error: Exception) -> list[Obstacle]:
    """What a call was refused for, and the last line of the traceback that is neither ours nor
    NumPy's, if there is one: elsewhere the error itself says all that is known.
    """
    found = [
        (frame.f_code.co_filename, line)
        for frame, line in walk_tb(error.__traceback__)
        if package_name(frame) not in _OURS
    ]
    said = getattr(error, "where", f"{type(error).__name__}: {said_by(error)}")
    return [Obstacle(said, *place) for place in found[-1:]]


def report(trial: Trial) -> str:
    """Say what a trial found, as the command line prints it."""
    if trial.is_right:
        seen = f"; seen through: {', '.join(trial.seen)}" if trial.seen else ""
        size = f"{trial.difference:.1e}"
        return f"right: the gradient agrees with central differences to {size}{seen}"
    if trial.is_undecided:
        return (
            "not decided: differences do not converge; tiny changes of an argument may grow"
            " without bound (a chaotic iteration), or a result may jump; the gradient is that"
            " of the program's operations"
        )
    if trial.difference is not None:
        return (
            f"differs from central differences by {trial.difference:.1e}; an iteration that decides"
            " by comparisons, or stops early, has another derivative than its solution: declare the"
            " equation that it solves, implicit_function(solver, residual)"
        )
    lines = [f"  {file}:{line}: {construct}" for construct, file, line in trial.obstacles]
    return "\n".join([f"refused: {trial.error}", *lines])
