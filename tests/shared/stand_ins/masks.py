"""Indices with masks, alone and next to other indices, for an array of shape (2, 3, 4)."""

import numpy as np

X = np.arange(1.0, 25.0).reshape(2, 3, 4)
WHOLE, ROWS, LAST = (
    X % 3 == 0,
    np.array([[True, False, True], [False, False, True]]),
    np.array([True, False, False, True]),
)
NONE = np.zeros(4, bool)
INDICES = {
    "whole": WHOLE,
    "leading": ROWS,
    "leading, and the rest": (ROWS, slice(None)),
    "last": (slice(None), slice(None), LAST),
    "behind an ellipsis": (..., LAST),
    "before an ellipsis": (ROWS[:, 0], ...),
    "middle": (slice(None), np.array([True, False, True])),
    "nothing": (..., NONE),
    "a tuple": (WHOLE,),
}

# Next to other indices

PAIRS = np.array([1, 0])
BESIDE = {
    "an integer before": (1, slice(None), LAST),
    "an integer after": (ROWS[:, 0], 2),
    "adjacent to an integer": (slice(None), 2, LAST),
    "two integers": (1, 2, LAST),
    "a negative integer": (slice(None), ROWS[0], -1),
    "over two axes": (ROWS, 3),
    "a part of an axis": (slice(0, 1), ROWS[0]),
    "every second": (..., slice(None, None, 2), LAST),
    "a new axis": (None, ROWS[:, 0], 0),
    "an integer, then an ellipsis": (0, ..., LAST),
    "positions": (PAIRS, slice(None), LAST),
    "positions, adjacent": (slice(None), PAIRS, LAST),
    "positions in a matrix": (PAIRS[:, None], ROWS[0]),
    "two masks": (slice(None), ROWS[0], LAST),
    "a mask that holds once": (PAIRS, np.array([False, True, False])),
    "a mask that never holds": (slice(None), 1, NONE),
    "positions that repeat": (np.array([1, 1]), 0, LAST),
    "positions that repeat, and once": (np.array([1, 1]), np.array([False, True, False])),
}
