"""Tests that need a device run in the order of what they tell: a device may be at hand for minutes."""

import pytest

# one statement each, in a minute; of the former without the samples
FIRST = ("test_gpu_rules.py", "test_gpu_tape.py")
# what one compiles, the next ones share in part
DTYPES = ("float64", "float32", "complex128", "complex64")


def urgency(item: pytest.Item) -> tuple[int, int]:
    """When a test that needs a device runs: single statements, the samples dtype by dtype, and
    speed, which wants it idle.
    """
    if not item.get_closest_marker("gpu"):
        return 0, 0
    if item.get_closest_marker("slow"):
        return 3, 0
    dtype = next((k for k, name in enumerate(DTYPES) if item.name.endswith(f"-{name}]")), None)
    return (1, [*FIRST, item.path.name].index(item.path.name)) if dtype is None else (2, dtype)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The order, for all tests at once; it is stable, and leaves those that need no device where
    they are.
    """
    items.sort(key=urgency)
