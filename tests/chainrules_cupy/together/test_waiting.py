"""The watch over waits and copies that the tests on a device rely on. Whether it is on for waits, it
says without a device.
"""

import cupy
import cupyx
import pytest
from cupy._core import syncdetect

from stand_ins.waiting import allowing_waits, is_counted, staying


def test_what_waits_raises_and_nothing_warns():
    with allowing_waits(False), pytest.raises(cupyx.DeviceSynchronized):
        syncdetect._declare_synchronize()
    syncdetect._declare_synchronize()


def test_what_may_wait_does():
    with allowing_waits(False), allowing_waits(True):
        syncdetect._declare_synchronize()


def test_it_ends_with_an_error_too():
    with pytest.raises(ZeroDivisionError), allowing_waits(False):
        1 / 0
    syncdetect._declare_synchronize()


@pytest.mark.gpu
def test_what_reads_a_number_waits():
    x = cupy.ones(3)
    with pytest.raises(cupyx.DeviceSynchronized), staying():
        bool(x[0] > 0)


@pytest.mark.gpu
def test_copies_are_noticed_where_they_are_counted():
    if not is_counted():
        pytest.skip("this device counts no copies")
    x = cupy.ones(3)
    with pytest.raises(AssertionError, match="1 copies"), staying():
        x[[0, 2]]
    with staying(copies=True):
        x[[0, 2]]
