"""Tests marked `gpu` skip, with a reason, where there is no CUDA device; none inherits what another one told JAX."""

import sys
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


@pytest.fixture(autouse=True)
def jax_in_single_precision() -> None:
    """JAX as it comes: the engine of the benchmarks switches the whole process to double precision."""
    jax = sys.modules.get("jax")  # none is imported for this
    if jax and jax.config.jax_enable_x64:
        jax.config.update("jax_enable_x64", False)
