"""What goes wrong says so in a sentence, and carries what it found."""

import cupy
import numpy as np
import pytest

from chainrules_cupy import DeviceError, require_device
from chainrules_cupy.errors import (
    OLDEST,
    VersionError,
    device_name,
    refuse_mixed_devices,
    require_version,
)


class OnDevice:
    shape = (3,)

    def __init__(self, number):
        self.device = type("Device", (), {"id": number})()


def has_device():
    try:
        return cupy.cuda.runtime.getDeviceCount() > 0
    except cupy.cuda.runtime.CUDARuntimeError:
        return False


@pytest.mark.skipif(has_device(), reason="there is a device")
def test_no_device():
    with pytest.raises(DeviceError) as raised:
        require_device()
    assert raised.value.instead.startswith("install a driver")


@pytest.mark.parametrize("version", ["9.6.0", "13.6.0", "13.0.0rc1"])
def test_versions_that_mean_something_else(version):
    with pytest.raises(VersionError) as raised:
        require_version(version)
    assert (raised.value.version, raised.value.oldest) == (version, OLDEST)


@pytest.mark.parametrize("version", ["14.0.0", "14.2.0", "15.0.0b1", cupy.__version__])
def test_versions_that_are_known(version):
    require_version(version)


MIXED = {
    "several devices": ((OnDevice(0), OnDevice(1), 2.0), ("device 0", "device 1"), "device"),
    "the host": ((OnDevice(0), np.ones(3)), ("device 0", "the host"), "cupy.asarray"),
}


@pytest.mark.parametrize(("operands", "places", "instead"), MIXED.values(), ids=MIXED)
def test_operands_in_several_places(operands, places, instead):
    with pytest.raises(DeviceError) as raised:
        refuse_mixed_devices("the kernel of sin", operands, TypeError("Unsupported type"))
    assert raised.value.operands == places
    assert instead in raised.value.instead


def test_other_failures_are_left_alone():
    refuse_mixed_devices("the kernel of sin", (OnDevice(0), 2.0), ValueError("shapes do not match"))
    assert device_name(np.ones(2)) == "the host"
