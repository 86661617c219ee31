"""Examples are scripts, not a package: tests load them by their path below ``examples/``."""

import importlib.util
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@cache
def load_example(path: str) -> ModuleType:
    """The module of a script, its functions defined and its ``main`` not run."""
    spec = importlib.util.spec_from_file_location(
        f"examples_{path.replace('/', '_')}", EXAMPLES / f"{path}.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def load() -> Callable[[str], ModuleType]:
    return load_example
