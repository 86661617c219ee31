"""The program in the document about array libraries runs on each of them."""

from pathlib import Path

import pytest

DOCUMENT = Path(__file__).parents[2] / "docs" / "libraries.md"


def test_one_program_runs_on_all_libraries():
    jax = pytest.importorskip("jax")
    for library in ("dask.array", "torch", "array_api_strict", "sparse"):
        pytest.importorskip(library)
    blocks = [
        part.split("```")[0] for part in DOCUMENT.read_text(encoding="utf-8").split("```text\n")[1:]
    ]
    assert len(blocks) == 7
    before, names = jax.config.jax_enable_x64, {}
    try:
        for block in blocks:
            exec(block, names)
    finally:
        jax.config.update("jax_enable_x64", before)
