"""The example in the document of the JAX adapter, which is not run with the others because it needs
JAX.
"""

from pathlib import Path

import numpy as np

DOCUMENT = Path(__file__).parents[3] / "docs" / "design" / "engines_jax.md"


def test_the_example_runs(capsys):
    names = {}
    exec(DOCUMENT.read_text(encoding="utf-8").split("```text\n")[1].split("```")[0], names)
    np.testing.assert_allclose(names["gradient"], np.diag([1.0, 0.5]), atol=1e-6)
    np.testing.assert_allclose(names["curvature"][1, 1, 1, 1], -0.25, atol=1e-6)
    np.testing.assert_allclose(names["many"][1], [2.0, 1.0], atol=1e-6)
    assert "reverse: opaque" in capsys.readouterr().out
    h = np.tanh(2.0)
    np.testing.assert_allclose(names["p_bar"]["v"], np.full(3, 4 * 2 * 3 * h * h), rtol=1e-12)
