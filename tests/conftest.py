"""Tests marked `gpu` skip, with a reason, where there is no CUDA device."""

from importlib.util import find_spec

import pytest


def reason_without_gpu() -> str | None:
    """Why the tests marked `gpu` cannot run here; None where they can."""
    if find_spec("cupy") is None:
        return "cupy is not installed (extra: cupy)"
    import cupy

    try:
        return None if cupy.cuda.runtime.getDeviceCount() else "no CUDA device"
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return f"no CUDA device: {error}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    marked = [item for item in items if item.get_closest_marker("gpu")]
    reason = reason_without_gpu() if marked else None
    if reason:
        for item in marked:
            item.add_marker(pytest.mark.skip(reason=reason))
