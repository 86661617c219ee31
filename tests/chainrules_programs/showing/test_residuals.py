"""Arrays are found wherever rules put them, each owner once, and nothing that everybody has is
taken for a residual.
"""

from collections import namedtuple
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

from chainrules_programs.showing.residuals import owners

A, B = np.ones(3), np.ones((2, 2))
Pair = namedtuple("Pair", "first second")


@dataclass(slots=True)
class Slotted:
    array: np.ndarray


class Method:
    def __init__(self):
        self.array = A

    def pull(self, y_bar):
        return y_bar * self.array


def closure(*arrays):
    def pullback(y_bar):
        return [y_bar * array for array in arrays]

    return pullback


def default(y_bar, array=A, *, other=B):
    return y_bar * array, other


def reads_a_global(y_bar):
    return y_bar * A


FOUND = {
    "an array": (A, [A]),
    "a tuple, by position": ((B, (3, 3), A, np.float64), [B, A]),
    "an array twice": ([A, A], [A]),
    "two views of one array": ([A[:1], A[1:]], [A]),
    "a dict": ({"a": A}, [A]),
    "a namedtuple": (Pair(A, "B"), [A]),
    "a closure": (closure(A, B), [A, B]),
    "a closure in a closure": (closure(closure(A)), [A]),
    "defaults": (default, [A, B]),
    "a partial": (partial(default, A, array=B), [A, B]),
    "a bound method": (Method().pull, [A]),
    "slots": (Slotted(A), [A]),
    "a global is nobody's residual": (reads_a_global, []),
    "numbers": ((1.0, 2, np.float64(3.0), "x", None), []),
}


@pytest.mark.parametrize(("kept", "arrays"), FOUND.values(), ids=FOUND)
def test_owners(kept, arrays):
    found = owners(kept)
    assert len(found) == len(arrays)
    assert all(any(x is array for array in arrays) for x in found)


def test_a_cycle_ends():
    kept = [A]
    kept.append(kept)
    assert len(owners(kept)) == 1
