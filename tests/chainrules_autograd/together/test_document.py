"""The example in the document, which is not run with the others because it needs autograd."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("autograd")
DOCUMENT = Path(__file__).parents[3] / "docs" / "design" / "engines_autograd.md"


def test_the_example_runs() -> None:
    names: dict[str, Any] = {"__name__": "document"}
    exec(DOCUMENT.read_text(encoding="utf-8").split("```text\n")[1].split("```")[0], names)
    assert names["gradient"].tolist() == [0.0, 0.0, 1.0]
    assert names["curvature"].tolist() == [[6.0, 0.0], [0.0, 12.0]]
    assert names["slope"] == 0.5
    assert np.allclose(names["x_bar"], [4.0, 12.0])
