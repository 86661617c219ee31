"""Jumps of an integrand, and whether their places depend on the arguments.

The derivative of an integral over a jump has a part that no derivative of the integrand shows: the
height of the jump times the speed of its place. Where plain values jump at a place that moves, the
derivative is refused; jumps that stay where they are do no harm.

A panel is looked at again if the last coefficients of its Legendre series are not small, the worst
panel first. A jump is where differences stay as large while their points come nearer to each other.
It moves if it is gone from between the two numbers that enclose it once the arguments are changed a
little.
"""

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from typing import Any

import numpy as np
from numpy.polynomial import legendre

from chainrules_py.annotations import Function
from chainrules_py.errors import NotDifferentiableError
from chainrules_py.rulesets.formulas.coordinates import Coordinates
from chainrules_py.rulesets.scipy.integrate.kinks import kink_of
from chainrules_py.rulesets.scipy.integrate.nodes import between, unit_rule, values_at
from chainrules_py.tangents import ZERO, is_zero, unthunk
from chainrules_py.tangents.plain_containers import tangents_of_parts
from chainrules_py.values.structure import fields, is_container, rebuild

NODES = unit_rule(10)[0]
LAST = np.linalg.inv(legendre.legvander(2 * NODES - 1, NODES.size - 1))[-3:]  # of 21 coefficients
SMALL = 1e-7  # of the largest value: the coefficients of a panel that is not looked at again
MOST = 100  # panels that are looked at again: SciPy's integrals have 50
WIDE = 0.02  # of the interval is a panel at least that is divided at a kink, if it has one
CLOSE = 1e-7  # to a kink, in widths of the panel: where it is looked for a jump
OVERLAP = 0.51  # of a panel is each half of it, because nothing is seen at their very ends
WITH_ENDS = np.linspace(0.0, 1.0, 9)
INSIDE = WITH_ENDS[1:-1]  # at the ends of a panel, which may be limits, nothing is asked
STAYS = 0.5  # of a jump, from one step to the next: an eighth does where a function is continuous
FINEST = 1e-12  # of the interval: how nearly a jump is enclosed
ULPS = 8  # from a limit of an integral to a point inside
FAR = 1e6  # times as far inside
SHIFT = 1e-4  # by how much arguments are changed, as a part of them
OF_ZERO = 1e-4  # the size that is taken for that of a zero
GOLDEN = 0.6180339887498949

Values = Callable[[Any], Any]  # at shares of an interval, a row for each


def has_jumps(
    integrand, low, high, given: tuple[Any, ...], moving: Callable[[], Any], takes_arrays=None
) -> bool:
    """Whether integrand(x, *given) jumps between the limits; a jump that moves is refused.

    `moving` gives the coordinates of a tangent of what is given: those that are zero stay as they are.
    """

    def values(shares, given=given) -> Any:
        x, size = between(low, high, shares)
        return (size * values_at(integrand, (x,), given, takes_arrays).T).T

    if takes_arrays is None:
        x, _ = between(low, high, NODES)
        takes_arrays = is_vectorized(integrand, x, given)
    found = False
    with np.errstate(all="ignore"):
        for jump in jumps_of(values):
            found = True
            if moves(jump, values, given, moving()):
                raise_jump_moves(between(low, high, jump)[0][0])
    return found


def raise_jump_moves(place: float) -> None:
    """Refuse to differentiate an integral over a jump that moves."""
    got = (
        f"the integrand, or its derivative, jumps at {place:.6g}, and that place depends on the"
        " argument"
    )
    instead = "split the integral there: quad(f, low, place)[0] + quad(f, place, high)[0]"
    raise NotDifferentiableError("scipy.integrate", got, instead, primal=None, argument=place)


def is_vectorized(function, x, behind: tuple[Any, ...]) -> bool:
    """Whether a function of numbers gives the same values for an array of them."""
    try:
        at_once, each = [values_at(function, (x,), behind, as_array) for as_array in (True, False)]
        return np.allclose(at_once, each, 1e-12, 0.0)
    except Exception:  # whatever an integrand raises that was not written for arrays
        return False


def step_inside(values: Callable[[float], Any], end: float, other: float) -> float:
    """The step from a limit into the range: 0 unless the function jumps at the limit.

    A function that decides by ``x > a`` is another one at the limit a than beyond it.
    """
    width = other - end if np.isfinite(other) else np.sign(other)
    step = float(np.sign(width) * ULPS * np.spacing(max(abs(end), abs(width))))
    with np.errstate(all="ignore"):
        at_end, near, far = np.array([values(end + k * step) for k in (0, 1, FAR)])
    jump = float(np.max(np.abs(near - at_end)))
    is_jump = jump > SMALL * np.max(np.abs(near)) and jump > STAYS * np.max(np.abs(far - at_end))
    return step if is_jump and np.isfinite(jump) else 0.0


# --- Where a function jumps ---


def jumps_of(values: Values) -> Iterator[Any]:
    """The jumps of a function on [0, 1], each between two numbers.

    >>> (jump,) = jumps_of(lambda x: np.sin(x) + (x > 0.3))
    >>> np.round(jump, 11).tolist()
    [0.3, 0.3]
    >>> list(jumps_of(lambda x: np.abs(x - 0.3)))
    []
    """
    first = values(NODES)
    if is_smooth_between(first):
        return
    allowed = SMALL * float(np.abs(first).max())
    waiting = [(-roughness(first), 0.0, 1.0)]
    for _ in range(MOST):
        rough, start, end = heappop(waiting)
        if not -rough > allowed:
            return
        width = end - start
        kink = kink_in(values, start, width) if width > WIDE else None
        near = (start, width) if kink is None else (kink - CLOSE * width, 2.3 * CLOSE * width)
        jump = jump_within(values, *near)
        if jump is not None:
            yield jump
            middle = (float(jump[0]), float(jump[1]))
        elif kink is not None:
            middle = kink, kink
        else:
            middle = start + OVERLAP * width, end - OVERLAP * width
        for low, high in ((start, middle[0]), (middle[1], end)):
            if high - low > FINEST:
                found = values(low + (high - low) * NODES)
                heappush(waiting, (-roughness(found), low, high))
        if not waiting:
            return


def is_smooth_between(values) -> bool:
    """Whether these values at the nodes of a panel are those of a smooth function."""
    return roughness(values) <= SMALL * float(np.abs(values).max())


def kink_in(values: Values, start: float, width: float) -> float | None:
    """The place of the largest kink or jump in a panel; None where there seems to be none."""
    kink = kink_of(lambda shares: one_of_each(values(start + width * shares)))
    return None if kink is None else start + kink * width


def one_of_each(values) -> Any:
    """A number for each of some values, which has the kinks of all their entries."""
    rows = np.reshape(values, (len(values), -1))
    return rows @ np.cos(np.arange(rows.shape[1]))


def roughness(values) -> float:
    """The size of the last coefficients of a polynomial through the values at the nodes of a panel."""
    size = float(np.abs(LAST @ np.reshape(values, (len(values), -1))).max())
    return size if np.isfinite(size) else 0.0


def jump_within(values: Values, start: float, width: float) -> Any:
    """The two numbers between which a function jumps, if its steepest part is a jump."""
    height, points = 0.0, INSIDE
    while width > FINEST:
        at = start + width * points
        heights = heights_of(values(at))
        steepest = int(np.argmax(heights))
        if not STAYS * height < heights[steepest] < np.inf:
            return None
        height, points = float(heights[steepest]), WITH_ENDS
        start, width = float(at[steepest]), float(at[steepest + 1] - at[steepest])
    jump = np.array([start, start + width])
    # beside a pole or a root both sides are as far away, the nearer to each other the farther off
    apart = width * np.array([[-9, 9], [-81, 81]])
    near, far = [heights_of(values(jump + each))[0] for each in apart]
    is_jump = STAYS * height < near < height / STAYS and STAYS * near < far < near / STAYS
    return jump if is_jump else None


def heights_of(values) -> Any:
    """The distance of each value from the next; for arrays, that of the farthest entry."""
    apart = np.abs(np.diff(values, axis=0))
    return np.max(np.reshape(apart, (len(apart), -1)), axis=1)


# --- Whether a jump moves ---


def moves(jump, values: Function, given: tuple[Any, ...], moving) -> bool:
    """Whether a jump moves when the arguments change a little, up or down."""
    height = heights_of(values(jump))[0]
    heights = [
        heights_of(values(jump, changed_arguments(given, moving, shift)))[0]
        for shift in (SHIFT, -SHIFT)
    ]
    known = [found for found in heights if np.isfinite(found)]
    return bool(known) and max(known) < STAYS * height


def changed_arguments(given: tuple[Any, ...], moving, shift: float) -> tuple[Any, ...]:
    """Arguments that are changed a little where their coordinates move."""
    # each by another part of it: all by the same would leave a place a / b where it is
    parts = 1 + np.modf(GOLDEN * np.arange(moving.size))[0]
    found: tuple[Any, ...] = shifted(
        given, Coordinates(given).tangent(parts * (moving != 0)), shift
    )
    return found


def shifted(x, tangent, shift: float) -> Any:
    """Change the entries that have a tangent, relative to their size."""
    if is_zero(tangent):
        return x
    if is_container(x):
        parts = fields(x)
        own = tangents_of_parts(unthunk(tangent), parts)
        return rebuild(
            x, {key: shifted(part, own.get(key, ZERO), shift) for key, part in parts.items()}
        )
    size = np.nan_to_num(np.abs(x), posinf=0.0)
    return x + shift * tangent * np.where(x == 0, OF_ZERO, size)
