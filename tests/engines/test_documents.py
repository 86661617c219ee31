"""The programs in documents of engines and array libraries, which are not run with the others because they
need these.
"""

import re
from pathlib import Path

import numpy as np
import pytest

DOCS = Path(__file__).parents[2] / "docs"
NEEDED = re.compile(r"^(?:import|from) (\w+)", re.MULTILINE)
H = np.tanh(2.0)
# the document, what it prints, and numbers in the end
DOCUMENTS = {
    "design/engines_jax.md": (
        "reverse: opaque",
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
        "one call for the batch",
        {
            "gradient": [0.0, 0.0, 1.0],
            "curvature": [[6.0, 0.0], [0.0, 12.0]],
            "slope": 0.5,
            "x_bar": [4.0, 12.0],
        },
    ),
    "libraries.md": ("", {}),
}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_its_programs_run(document, capsys):
    printed, numbers = DOCUMENTS[document]
    blocks = (DOCS / document).read_text(encoding="utf-8").split("```text\n")[1:]
    for library in NEEDED.findall("".join(blocks)):
        if not library.startswith("chainrules_"):
            pytest.importorskip(library)
    names = {"__name__": "document"}
    for block in blocks:
        exec(block.split("```")[0], names)
    assert printed in capsys.readouterr().out
    for expression, expected in numbers.items():
        np.testing.assert_allclose(eval(expression, names), expected, rtol=1e-6, atol=1e-6)
