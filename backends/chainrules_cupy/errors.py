"""Errors of programs on CUDA devices: no device, several devices, an old CuPy."""

from typing import Any

import cupy
import numpy as np

from chainrules_py.errors import ChainRulesError


class DeviceError(ChainRulesError, RuntimeError):
    """No device, or values on several of them: `operands` are their descriptions, `current` is the
    current device.
    """


class VersionError(ChainRulesError, ImportError):
    """A CuPy whose functions mean something else than the rules know: `version`, `oldest`."""


OLDEST = 14  # CuPy 13 follows NumPy 1: the sign of a complex number, say, is that of its real part


def require_version(version: str) -> None:
    """Raise a `VersionError` for a CuPy on which derivatives would be wrong."""
    if int(version.partition(".")[0]) < OLDEST:
        got = f"got CuPy {version}, which follows NumPy 1"
        instead = f"install CuPy {OLDEST} or later"
        raise VersionError("chainrules_cupy", got, instead, version=version, oldest=OLDEST)


def refuse_mixed_devices(where: str, operands: tuple[Any, ...], error: Exception) -> None:
    """Raise a `DeviceError` if an operation failed because its operands are not all on the current
    device.

    Only asked after a failure, so that it costs nothing where all is well.
    """
    found = tuple(device_name(operand) for operand in operands if getattr(operand, "shape", ()))
    if "the host" in found:
        got = f"got operands on {' and '.join(found)}"
        instead = "move them with cupy.asarray(x) or cupy.asnumpy(x)"
        raise DeviceError(where, got, instead, operands=found, current=None) from error
    if len(set(found)) > 1 or "device" in str(error):
        current = current_device()
        got = f"got operands on {' and '.join(found)} while {current} is current"
        raise DeviceError(
            where, got, "call it in `with x.device:`", operands=found, current=current
        ) from error


def device_name(operand) -> str:
    """Name the place of an operand: ``device 1``, or the host."""
    return "the host" if isinstance(operand, np.ndarray) else f"device {operand.device.id}"


def current_device() -> str:
    """The device on which kernels are launched."""
    try:
        return f"device {cupy.cuda.Device().id}"
    except cupy.cuda.runtime.CUDARuntimeError:
        return "no device"


def require_device() -> None:
    """Raise a `DeviceError` where there is no CUDA device: for programs that can do nothing without
    one.
    """
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        instead = "install a driver that `nvidia-smi` finds, or pass NumPy arrays"
        raise DeviceError(
            "chainrules_cupy", f"CUDA says {error}", instead, operands=(), current=None
        ) from error
    if not count:
        raise DeviceError(
            "chainrules_cupy",
            "found no CUDA device",
            "pass NumPy arrays",
            operands=(),
            current=None,
        )
