"""Find the kink of a function of one variable from its values.

Second differences over steps of h are h^2 f'' where a function is smooth, and up to h times the jump
of its slope beside a kink. So where the largest of them, over h, stays about as large while the steps
get shorter, there is a kink.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

POINTS = np.linspace(0.0, 1.0, 9)
STEP = float(POINTS[1])
SHRINKS = 0.4  # what is left of the largest one, over h, where a function is smooth: a quarter
FINEST = 1e-13  # of the interval
INSIDE = 1e-9  # of the interval: nearer to an end there may be a pole of a derivative


def kink_of(values: Callable[[Any], Any]) -> float | None:
    """Find the place of the largest kink of a function on [0, 1]; None where it seems smooth.

    >>> kink = kink_of(lambda x: np.abs(x - 0.3) + np.sin(x))
    >>> bool(np.isclose(kink, 0.3, rtol=1e-11, atol=0))
    True
    >>> kink_of(np.sin) is None
    True
    """
    place = float(kinks_of(lambda shares: values(shares[0])[None], 1)[0])
    return None if np.isnan(place) else place


def kinks_of(values: Callable[[Any], Any], count: int) -> Any:
    """Find the places of the largest kinks of some functions; NaN where one seems smooth.

    `values` has a row for each of them, of its values at a row of points.
    """
    starts, width, before = np.zeros(count), 1.0, np.zeros(count)
    is_kink = np.ones(count, bool)
    while width > FINEST and is_kink.any():
        bends = np.abs(np.diff(values(starts[:, None] + width * POINTS), 2))
        bend = bends.max(axis=1) / (STEP * width)
        is_kink &= (SHRINKS * before < bend) & (bend < np.inf)
        starts = starts + np.argmax(bends, axis=1) * STEP * width
        width, before = 2 * STEP * width, bend
    places = starts + width / 2
    return np.where(is_kink & (places > INSIDE) & (places < 1 - INSIDE), places, np.nan)
