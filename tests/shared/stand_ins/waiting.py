"""Watching CuPy for waits of the host, and for copies to the device.

`cupyx.allow_synchronize` notices what CuPy itself reads back (``ndarray.get``, on which `int`,
`float`, `bool` and `item` rest) and ``Device.synchronize``. CuPy warns, each time it is entered,
that other libraries may wait unnoticed: that is known here. Copies of lists, numbers and arrays to
the device are silent there; the emulated device counts them.
"""

import sys
import warnings
from contextlib import contextmanager

import cupyx


@contextmanager
def allowing_waits(allowed):
    """A context in which CuPy raises `cupyx.DeviceSynchronized` where it would wait, unless that is
    allowed.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="cupyx.allow_synchronize will be removed")
        watched = cupyx.allow_synchronize(allowed)
        watched.__enter__()
    try:
        yield
    finally:
        watched.__exit__(None, None, None)


def counted():
    """How often the host has waited, and has copied to the device, where that is counted."""
    if not is_counted():
        return 0, 0
    from emulated_cuda.traffic import totals

    found = totals()
    return found["waits"], found["host_to_device"]


def is_counted():
    """Whether the device of this process is the emulated one."""
    emulated_cuda = sys.modules.get("emulated_cuda")
    return emulated_cuda is not None and emulated_cuda.is_installed()


@contextmanager
def staying(*, waits=False, copies=False):
    """A context in which the host does not wait and, where that is counted, copies nothing to the
    device, unless that is allowed.
    """
    _, before = counted()
    with allowing_waits(waits):
        yield
    _, after = counted()
    assert copies or after == before, f"{after - before} copies to the device"
