from collections.abc import Callable

import numpy as np
import pytest

from benchmarks import measure


class Clock:
    """A clock that only work moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def work(self, seconds: float) -> Callable[[], None]:
        def run() -> None:
            self.now += seconds

        return run


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(measure, "process_time", made)
    return made


@pytest.mark.parametrize("seconds", [1e-7, 1e-3, 0.5])
def test_ratio(clock: Clock, seconds: float) -> None:
    assert measure.ratio(clock.work(3 * seconds), clock.work(seconds)) == pytest.approx(3.0)


def test_excess(clock: Clock) -> None:
    assert measure.excess(clock.work(3e-6), clock.work(1e-6)) == pytest.approx(2e-6)


@pytest.mark.parametrize(("budget", "rounds"), [(0.1, 3), (1.0, 5), (100.0, 15)])
def test_rounds_within_a_budget(clock: Clock, budget: float, rounds: int) -> None:
    samples = measure.take_turns({"one": clock.work(0.1), "other": clock.work(0.1)}, budget=budget)
    assert {name: len(times) for name, times in samples.items()} == {"one": rounds, "other": rounds}


def test_candidates_take_turns() -> None:
    order: list[str] = []

    def candidate(name: str) -> Callable[[], None]:
        return lambda: order.append(name)

    measure.take_turns({"a": candidate("a"), "b": candidate("b")}, budget=0.0, seconds=0.0)
    assert order[4:] == ["a", "b", "b", "a", "a", "b"]  # after two calls each to warm up and to plan


def test_peak_bytes_sees_arrays() -> None:
    size = 1 << 20
    one = measure.peak_bytes(lambda: np.ones(size, np.uint8))
    two = measure.peak_bytes(lambda: [np.ones(size, np.uint8) for _ in range(2)])
    assert size <= one < 1.1 * size
    assert 2 * size <= two < 2.2 * size
