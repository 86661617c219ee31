"""What `keep_memory` does to a process: large arrays, freed and made again, cost no page faults."""

import sys

import pytest

from processes import printed

PROGRAM = """
import resource
import numpy as np
from chainrules_tape import keep_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        x = np.ones(5_000_000)   # beyond the largest threshold that glibc chooses itself
        del x
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

faults()
without = faults()
kept = keep_memory()
faults()
print(int(kept), without, faults())
"""

SEVERAL = """
import resource
import numpy as np
from chainrules_tape.keeping_memory import let_thresholds_follow

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        arrays = [np.ones(600_000) for _ in range(6)]
        del arrays
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

faults()
without = faults()
let_thresholds_follow()
faults()
print(without, faults())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a setting of glibc on Linux")
def test_page_faults():
    kept, without, after = map(int, printed(PROGRAM).split())
    if not kept:
        pytest.skip("this Linux has no glibc")
    assert after < 0.05 * without


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a habit of glibc's on Linux")
def test_several_arrays_of_a_few_megabytes():
    without, after = map(int, printed(SEVERAL).split())
    if not without:
        pytest.skip("this allocator keeps what is freed")
    assert after < 0.05 * without


def test_elsewhere_nothing_happens(monkeypatch):
    from chainrules_tape import keep_memory

    monkeypatch.setattr(sys, "platform", "darwin")
    assert keep_memory() is False
