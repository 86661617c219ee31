"""Docstring examples run in every module, with NumPy at hand, except in a backend whose library is not installed."""

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

LIBRARY_OF_BACKEND = {"autograd": "autograd", "cupy": "cupy", "jax": "jax", "tape": "optree", "torch": "torch"}

collect_ignore = [f"backends/chainrules_{name}" for name, library in LIBRARY_OF_BACKEND.items() if find_spec(library) is None]


@pytest.fixture(autouse=True, scope="session")
def numpy_in_examples(doctest_namespace: dict[str, Any]) -> None:
    """As in NumPy's own documentation, examples take ``import numpy as np`` for granted."""
    doctest_namespace["np"] = np
