"""Where the package or what it computes with is not installed, its folders are skipped with that
reason; without a device, the tests that want one.
"""

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest

WANTED = {
    "emulated_cuda": "pip install -e . in its folder",
    "scipy": "extra: scipy",
    "cupy": "extra: cupy",
}
ABSENT = [
    f"{name} is not installed ({how})" for name, how in WANTED.items() if find_spec(name) is None
]
collect_ignore = ["example"]  # a project of its own, which `test_example` runs


@cache
def reason_without_device() -> str | None:
    """Why the tests marked `gpu` cannot run here; None where they can."""
    import cupy

    try:
        return None if cupy.cuda.runtime.getDeviceCount() else "no CUDA device"
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return f"no CUDA device: {error}"


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what wants a device where there is none."""
    if item.get_closest_marker("gpu") and (reason := reason_without_device()):
        pytest.skip(reason)


class Absent(pytest.Directory):
    """A folder of which nothing is imported."""

    def collect(self) -> NoReturn:
        """Skip, with what is missing."""
        pytest.skip("; ".join(ABSENT))


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> Absent | None:
    """Collect the sources and the tests where they can be imported."""
    return Absent.from_parent(parent, path=path) if ABSENT else None
