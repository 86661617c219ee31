"""Names of large arrays are deleted after the last step that reads them."""

import tracemalloc

import numpy as np

from chainrules_programs.compiling.executable import executable
from chainrules_programs.compiling.passes import optimized
from chainrules_programs.compiling.passes.freed import freed
from chainrules_programs.recording.record import record
from chainrules_programs.recording.steps import Freed


def f(x):
    y = np.sum(np.outer(x, x))
    return y * np.sum(np.cos(np.outer(y * x, x)))


def deleted(function, x):
    return [step for step in freed(record(function, (x,))[0]).steps if isinstance(step, Freed)]


def test_large_arrays_are_deleted_and_small_ones_are_not():
    assert len(deleted(f, np.ones(100))) == 3
    assert deleted(f, np.ones(10)) == []


def test_views_keep_memory_alive_and_are_deleted():
    steps = deleted(lambda x: np.sum(np.sin(x)[:2]) * 2.0, np.ones(1000))
    assert sum(len(step.values) for step in steps) == 2


def test_no_more_memory_is_alive_than_needed():
    x = np.ones(1000)
    run = executable(optimized(record(f, (x,))[0]))
    tracemalloc.start()
    try:
        run(x)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1.2 * 8 * 1000 * 1000
