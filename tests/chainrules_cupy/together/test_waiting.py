"""The watch over waits that the tests on a device rely on: it needs no device to say whether it is
on.
"""

import cupyx
import pytest
from cupy._core import syncdetect

from stand_ins.waiting import allowing_waits


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
