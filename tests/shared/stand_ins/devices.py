"""The devices that samples run on: the stand-in for CuPy, watched by its ledger, and CuPy itself,
watched for waits.
"""

from contextlib import contextmanager
from operator import attrgetter

import cupy

from chainrules_py.values.identity import qualified_name
from stand_ins.device_runs import Device
from stand_ins.stand_in import DeviceArray, ledger
from stand_ins.waiting import allowing_waits
from stand_ins.what_waits import may_wait, short_name, unexpected

seen = set()  # the phases and the names of primals that wrote into the ledger


@contextmanager
def watching(primal, phase):
    ledger.clear()
    yield
    if ledger:
        seen.add((phase, short_name(primal)))
    assert not unexpected(primal, phase, ledger), f"{qualified_name(primal)}, {phase}"


STAND_IN = Device(DeviceArray, lambda x: DeviceArray(x.copy()), attrgetter("host"), watching)
GPU = Device(
    cupy.ndarray,
    cupy.asarray,
    cupy.asnumpy,
    lambda primal, phase: allowing_waits(may_wait(primal, phase)),
)
