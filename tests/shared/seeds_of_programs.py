"""Many random programs in a few tests: the first ones run ordinarily, the others are `long`."""

from collections.abc import Callable
from typing import Any

import pytest


def groups(count: int, ordinarily: int = 1, per_test: int = 1) -> list[Any]:
    """The first seed of each test, as parameters of it: ordinary ones, then `long` ones."""
    marked = [
        pytest.param(first, marks=pytest.mark.long) for first in range(ordinarily, count, per_test)
    ]
    return [*range(0, ordinarily, per_test), *marked]


def check_each(check: Callable[[int], Any], first: int, per_test: int) -> None:
    """Check the programs of one test; an error names the seed of its program."""
    for seed in range(first, first + per_test):
        try:
            check(seed)
        except Exception as error:
            error.add_note(f"the program of seed {seed}")
            raise
