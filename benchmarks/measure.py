"""Timing candidates in turn, and comparing what was measured side by side.

A machine drifts by more than the differences that matter. So the candidates take turns, and what is
reported is the median over the rounds of the quotient of two samples taken next to each other. Time
is the processor's, spent by this process: what other programs take away is not part of it, and
everything compared here computes on one thread. Python's garbage collector stays on, as in users'
programs: what it costs an engine is part of that engine's time. What the libraries of all engines
hold together is not: it is frozen, since a full collection of it takes 150 ms, and whoever happens
to set it off would pay for the others.
"""

import gc
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import cycle, islice
from statistics import median
from time import process_time
from typing import Any

Run = Callable[[], Any]
Samples = dict[str, list[float]]
LONG = 0.25  # seconds, which no garbage collection takes
WARMING = 4  # calls that are counted for one that is not


def sample(run: Run, calls: int) -> float:
    """Seconds per call, over `calls` calls."""
    begin = process_time()
    for _ in range(calls):
        run()
    return (process_time() - begin) / calls


def calibrated(run: Run, seconds: float) -> tuple[int, float]:
    """How many calls of a warm candidate fill about `seconds`, at least one, and how long they
    take.

    Twice, and the quicker one counts: a garbage collection that falls into one short call would
    make it seem a long one. A call that is much longer than any collection is called once.
    """
    first = sample(run, 1)
    if first >= max(LONG, 20 * seconds):
        return 1, first
    calls, each = 1, min(first, sample(run, 1))
    while each * calls < seconds / 4:
        calls *= 4
        each = min(sample(run, calls), sample(run, calls))
    calls = max(1, round(seconds / each))
    return calls, calls * each


def take_turns(
    candidates: Mapping[str, Run], budget: float = 1.0, seconds: float = 0.01, warm: bool = False
) -> Samples:
    """Samples of each candidate, in seconds per call; entries of the same index were taken next to
    each other.

    Each sample takes about `seconds`, or one call where that takes longer; `budget` buys between
    three and fifteen rounds. A sample of several calls begins with some that are not counted, in
    which caches forget the neighbour.
    """
    for run in candidates.values() if not warm else ():
        run()  # a first call compiles, imports and allocates
    plans = {name: calibrated(run, seconds) for name, run in candidates.items()}
    rounds = min(15, max(3, int(budget / sum(duration for _, duration in plans.values()))))
    samples: Samples = {name: [] for name in candidates}
    with apart_from_libraries():
        for order in islice(cycle(balanced_orders(list(candidates))), rounds):
            for name in order:
                run, calls = candidates[name], plans[name][0]
                for _ in range(calls // WARMING if calls >= WARMING else calls - 1):
                    run()
                samples[name].append(sample(run, calls))
    return samples


def balanced_orders(names: list[str]) -> list[list[str]]:
    """Orders in which everybody follows everybody else equally often, so that nobody always runs in
    what one neighbour left.

    E. J. Williams, Experimental designs balanced for the estimation of residual effects of
    treatments, Australian Journal of Scientific Research A 2 (1949): zigzag through the names from
    each of them; of an odd number, also backwards.

    >>> balanced_orders(["a", "b", "c"])
    [['a', 'c', 'b'], ['b', 'c', 'a'], ['b', 'a', 'c'], ['c', 'a', 'b'], ['c', 'b', 'a'], ['a', 'b', 'c']]
    """
    count = len(names)
    zigzag = [-(k // 2) if k % 2 == 0 else (k + 1) // 2 for k in range(count)]
    orders = []
    for start in range(count):
        order = [names[(start - step) % count] for step in zigzag]
        orders += [order, order[::-1]] if count % 2 and count > 1 else [order]
    return orders


@contextmanager
def apart_from_libraries() -> Iterator[None]:
    """Leave the objects that exist already out of garbage collections, until the outermost block ends.

    A block around many measurements saves each of them a full collection, which takes 100 ms. What
    somebody else has left out, as our tests do, stays left out.
    """
    is_inner = gc.get_freeze_count() > 0
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        if not is_inner:
            gc.unfreeze()


def paired_ratio(ours: list[float], theirs: list[float]) -> float:
    """The median quotient of samples taken side by side."""
    return median(a / b for a, b in zip(ours, theirs, strict=True))


def ratio(ours: Run, theirs: Run, budget: float = 1.0, seconds: float = 0.01) -> float:
    """How long one candidate takes, in units of the other."""
    samples = take_turns({"ours": ours, "theirs": theirs}, budget, seconds)
    return paired_ratio(samples["ours"], samples["theirs"])


def excess(ours: Run, base: Run, budget: float = 1.0, seconds: float = 0.01) -> float:
    """How many seconds one candidate takes above another: of each the least disturbed sample, since
    a difference has no unit to cancel a slow moment.
    """
    samples = take_turns({"ours": ours, "base": base}, budget, seconds)
    return min(samples["ours"]) - min(samples["base"])


def peak_bytes(run: Run) -> int:
    """The most memory that a call held at once, above what was held before, as tracemalloc sees it
    (NumPy's buffers too).
    """
    run()  # what is only allocated by a first call is not part of it
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        run()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
