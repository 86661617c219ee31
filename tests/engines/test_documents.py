"""The programs in documents of engines and array libraries, which are not run with the others because they
need these.
"""

from pathlib import Path

import numpy as np
import pytest

DOCS = Path(__file__).parents[2] / "docs"
H = np.tanh(2.0)
# the document, what it needs, the number of its programs, what it prints, and numbers in the end
DOCUMENTS = {
    "design/engines_jax.md": (
        *("jax", 1, "reverse: opaque"),
        {
            "y": [1.0, 3.0],
            "x_bar": [2.0, 0.0, 6.0],
            "gradient": np.diag([1.0, 0.5]),
            "curvature[1, 1, 1, 1]": -0.25,
            "many[1]": [2.0, 1.0],
            "p_bar['v']": np.full(3, 4 * 2 * 3 * H * H),
        },
    ),
    "design/engines_torch.md": (
        *("torch optree autograd", 3, "one call for the batch"),
        {
            "gradient": [0.0, 0.0, 1.0],
            "curvature": [[6.0, 0.0], [0.0, 12.0]],
            "slope": 0.5,
            "x_bar": [4.0, 12.0],
        },
    ),
    "libraries.md": ("jax dask torch array_api_strict sparse", 7, "", {}),
}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_its_programs_run(document, capsys):
    needed, count, printed, numbers = DOCUMENTS[document]
    for library in needed.split():
        pytest.importorskip(library)
    blocks = (DOCS / document).read_text(encoding="utf-8").split("```text\n")[1:]
    assert len(blocks) == count
    names = {"__name__": "document"}
    for block in blocks:
        exec(block.split("```")[0], names)
    assert printed in capsys.readouterr().out
    for expression, expected in numbers.items():
        np.testing.assert_allclose(eval(expression, names), expected, rtol=1e-6, atol=1e-6)
