"""Measured times are medians of runs taken in turns, so that no candidate pays for its neighbour or
for the machine.
"""

import itertools
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from benchmarks import measure


class Clock:
    """A clock that only work moves."""

    def __init__(self):
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def work(self, seconds: float) -> Callable[[], None]:
        def run():
            self.now += seconds

        return run


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(measure, "process_time", made)
    return made


@pytest.mark.parametrize("seconds", [1e-7, 1e-3, 0.5])
def test_ratio(clock: Clock, seconds: float):
    assert measure.ratio(clock.work(3 * seconds), clock.work(seconds)) == pytest.approx(3.0)


@pytest.mark.parametrize(("budget", "rounds"), [(0.1, 3), (1.0, 5), (100.0, 15)])
def test_rounds_within_a_budget(clock: Clock, budget: float, rounds: int):
    samples = measure.take_turns({"one": clock.work(0.1), "other": clock.work(0.1)}, budget=budget)
    assert {name: len(times) for name, times in samples.items()} == {"one": rounds, "other": rounds}


def test_candidates_take_turns():
    order: list[str] = []

    def candidate(name: str) -> Callable[[], None]:
        return lambda: order.append(name)

    measure.take_turns({"a": candidate("a"), "b": candidate("b")}, budget=0.0, seconds=0.0)
    # after one call each to warm up, and two each to plan
    assert order[6:] == ["a", "b", "b", "a", "a", "b"]


def test_a_disturbed_call_is_no_long_one(clock: Clock):
    durations = itertools.chain([1.0], itertools.repeat(1e-3))
    calls, _ = measure.calibrated(lambda: clock.work(next(durations))(), seconds=0.1)
    assert calls == 100


def test_a_call_longer_than_any_collection_is_planned_once(clock: Clock):
    assert measure.calibrated(clock.work(3.0), seconds=0.1) == (1, 3.0)
    assert clock.now == 3.0


@pytest.mark.parametrize("cold", [1, 5])
def test_samples_of_several_calls_forget_the_neighbour(clock: Clock, cold: int):
    last: list[str] = []

    def candidate(name: str) -> Callable[[], None]:
        def run():
            last[:] = [*last, name] if last[:1] == [name] else [name]
            clock.work(2e-3 if len(last) > cold else 9e-3)()

        return run

    samples = measure.take_turns(
        {"a": candidate("a"), "b": candidate("b")}, budget=1.0, seconds=0.1
    )
    assert [each for times in samples.values() for each in times] == pytest.approx(
        [2e-3] * 2 * len(samples["a"])
    )


@pytest.mark.parametrize("count", range(1, 8))
def test_everybody_follows_everybody_equally_often(count: int):
    names = list("abcdefg"[:count])
    orders = measure.balanced_orders(names)
    assert all(sorted(order) == names for order in orders)
    followers = Counter(pair for order in orders for pair in itertools.pairwise(order))
    assert followers == dict.fromkeys(itertools.permutations(names, 2), 1 + count % 2)


def test_peak_bytes_sees_arrays():
    size = 1 << 20
    one = measure.peak_bytes(lambda: np.ones(size, np.uint8))
    two = measure.peak_bytes(lambda: [np.ones(size, np.uint8) for _ in range(2)])
    assert size <= one < 1.1 * size
    assert 2 * size <= two < 2.2 * size
