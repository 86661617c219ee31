"""Folders whose tests are not even collected without a library say so, once each, as a skip."""

from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = [
    ("asv", "tests/benchmarks", "bench"),
    ("cupy", "tests/chainrules_cupy", "cupy"),
    ("array_api_strict", "tests/chainrules_array_api", "standard"),
    ("autograd", "tests/chainrules_autograd", "autograd"),
    ("jax", "backends/chainrules_jax", "jax"),
    ("jax", "tests/chainrules_jax", "jax"),
    ("torch", "tests/chainrules_torch", "torch"),
    ("dask", "tests/chainrules_dask", "dask"),
    ("pytensor", "tests/chainrules_pytensor", "pytensor"),
    ("scipy", "tests/chainrules_py/rulesets/scipy", "scipy"),
    ("scipy", "tests/chainrules_tape/scipy", "scipy"),
    ("scipy", "tests/numerics/scipy", "scipy"),
]


@pytest.mark.parametrize(("library", "folder", "extra"), FOLDERS, ids=[row[1] for row in FOLDERS])
def test_what_needs_a_library_is_collected_with_it(library, folder, extra):
    if find_spec(library) is None:
        pytest.skip(f"{library} is not installed (extra: {extra}): {folder} is not collected")
    assert any((ROOT / folder).rglob("*.py"))
