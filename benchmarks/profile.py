"""Which functions a gradient spends its time in: Python's profiler on one program, ours only."""

import cProfile
import pstats
from dataclasses import dataclass
from pathlib import Path

from benchmarks.engines import ENGINES, OURS
from benchmarks.measure import calibrated
from benchmarks.programs import PROGRAMS


@dataclass(frozen=True)
class Entry:
    """A function, its calls per gradient, its share of the time: without functions that it calls,
    with NumPy's ufuncs.
    """

    function: str
    calls: float
    share: float


def profile(program: str, most: int = 10) -> list[Entry]:
    """The functions that take the most time; the profiler slows calls down, so small functions look
    larger than they are.
    """
    run = ENGINES[OURS].gradient(PROGRAMS[program])
    run()
    repeats, _ = calibrated(run, 1.0)
    profiler = cProfile.Profile()
    profiler.enable()
    for _ in range(repeats):
        run()
    profiler.disable()
    timings = pstats.Stats(profiler).stats  # type: ignore[attr-defined]
    total = sum(own for _, _, own, _, _ in timings.values())
    entries = [
        Entry(name_of(*place), calls / repeats, own / total)
        for place, (_, calls, own, _, _) in timings.items()
    ]
    return sorted(entries, key=lambda entry: -entry.share)[:most]


def name_of(file: str, line: int, function: str) -> str:
    """``reverse.sweep``: the module and the function; rules that were compiled from expressions
    have no module.
    """
    if file == "~" or file.startswith("<"):
        return function.strip("<>").removeprefix("built-in method ").removeprefix("method ")
    return f"{Path(file).stem}.{function}"
