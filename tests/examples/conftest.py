"""Examples are scripts, not a package: tests load them by their path below ``examples/``, and run
them as they stand.
"""

import importlib.util
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from chainrules_tape import only_marked

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


def pytest_collection_modifyitems(items: list[pytest.Item]):
    """That a file is seen through is said by a warning."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(
                pytest.mark.filterwarnings("ignore::chainrules_tape.SeenThroughWarning")
            )


@pytest.fixture(scope="module", autouse=True)
def as_it_stands() -> Iterator[None]:
    with only_marked(False):
        yield


@pytest.fixture(scope="session")
def load() -> Callable[[str], ModuleType]:
    return load_example
