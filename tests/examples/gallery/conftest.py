"""Each program of the gallery runs once for all the tests of its file, and draws its picture where Matplotlib is installed."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture(scope="module")
def program(request: pytest.FixtureRequest, load: Callable[[str], ModuleType]) -> ModuleType:
    """The program that the file of tests is named after."""
    return load(f"gallery/{Path(request.module.__file__).stem.removeprefix('test_')}")


@pytest.fixture(scope="module")
def result(program: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the program's ``main`` returns."""
    name = Path(program.__file__).stem
    if find_spec("matplotlib") is None:
        return program.main()
    picture = tmp_path_factory.mktemp("gallery") / f"{name}.png"
    found = program.main(picture=str(picture))
    assert picture.read_bytes().startswith(b"\x89PNG")
    return found
