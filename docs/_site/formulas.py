"""Formulas as MathML, which browsers draw by themselves: no script, no font and no network."""

import re

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

NAME = re.compile(r"\\(?:operatorname|mathrm)\{([^}]*)\}")


def mathml(formula: str, display: str = "inline") -> str:
    """Translate LaTeX, with what the converter does not know said in other words: names with
    underscores, ends of lines.
    """
    named = NAME.sub(lambda name: rf"\text{{{name[1]}}}".replace(r"\_", "_"), formula)
    return convert(named.replace("\\\\", "\\\\ "), display=display)


def draw_inline(translator: HTML5Translator, node: nodes.math) -> None:
    """Write a formula in a line of text."""
    translator.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def draw_displayed(translator: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula on a line of its own."""
    translator.body.append(mathml(node.astext(), "block"))
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer `mathml`."""
    app.add_html_math_renderer("mathml", (draw_inline, None), (draw_displayed, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
