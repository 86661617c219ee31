"""LaTeX of rules becomes MathML with what the converter does not know by itself: names with
underscores, ends of lines.
"""

import importlib.util
from pathlib import Path

import pytest

for needed in ("sphinx", "latex2mathml"):
    pytest.importorskip(needed)
FILE = Path(__file__).parents[2] / "docs" / "_site" / "formulas.py"


@pytest.fixture(scope="module")
def mathml():
    spec = importlib.util.spec_from_file_location("formulas", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.mathml


def test_names_with_underscores_are_upright(mathml):
    assert "<mtext>log_ndtr</mtext>" in mathml(r"\operatorname{log\_ndtr}\left(x\right)")
    assert "<mtext>lmbda</mtext>" in mathml(r"\mathrm{lmbda}^{2}")


def test_each_case_has_a_line(mathml):
    assert mathml(r"\begin{cases}0 & x = 0\\1 & \text{otherwise}\end{cases}").count("<mtr>") == 2


def test_displayed_formulas_say_so(mathml):
    assert 'display="block"' in mathml("x", "block")
