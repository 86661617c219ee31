"""The example in the document, which is not run with the others because it needs JAX."""

from pathlib import Path
from typing import Any

import pytest

DOCUMENT = Path(__file__).parents[3] / "docs" / "design" / "jax.md"


def test_the_example_runs():
    pytest.importorskip("jax")
    names: dict[str, Any] = {}
    exec(DOCUMENT.read_text(encoding="utf-8").split("```text\n")[1].split("```")[0], names)
    assert names["y"].tolist() == [1.0, 3.0]
    assert names["x_bar"].tolist() == [2.0, 0.0, 6.0]
