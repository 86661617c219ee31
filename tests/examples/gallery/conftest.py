"""Each program of the gallery runs once for all the tests of its file, and draws its picture;
Matplotlib is needed.
"""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture(scope="module")
def program(request: pytest.FixtureRequest, load: Callable[[str], ModuleType]) -> ModuleType:
    """The program that the file of tests is named after."""
    pytest.importorskip("matplotlib").use("agg")
    return load(f"gallery/{Path(request.module.__file__).stem.removeprefix('test_')}")


@pytest.fixture(scope="module")
def result(program: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the program's ``main`` returns."""
    name = Path(program.__file__).stem
    picture = tmp_path_factory.mktemp("gallery") / f"{name}.png"
    found = program.main(picture=str(picture))
    assert picture.read_bytes().startswith(b"\x89PNG")
    return found
