"""Where the package or what it computes with is not installed, its folders are skipped with that
reason.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest

WANTED = {
    "emulated_cuda": "make test, or pip install -e tests/emulated_cuda",
    "scipy": "extra: scipy",
    "cupy": "extra: cupy",
}
ABSENT = [
    f"{name} is not installed ({how})" for name, how in WANTED.items() if find_spec(name) is None
]


class Absent(pytest.Directory):
    """A folder of which nothing is imported."""

    def collect(self) -> NoReturn:
        """Skip, with what is missing."""
        pytest.skip("; ".join(ABSENT))


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> Absent | None:
    """Collect the sources and the tests where they can be imported."""
    return Absent.from_parent(parent, path=path) if ABSENT else None
