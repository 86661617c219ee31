"""Functions that makers write have readable names, and tracebacks show their lines."""

import traceback

import numpy as np
import pytest

from chainrules_py.makers.writing import Source, stem


def test_a_traceback_shows_the_line():
    source = Source()
    with source.block("def fails(x):"):
        source.write("return x / 0  # on purpose")
    fails = source.compile("fails", "<a rule>")
    with pytest.raises(ZeroDivisionError) as caught:
        fails(1)
    text = "".join(traceback.format_exception(caught.value))
    assert '"<a rule>", line 2, in fails' in text
    assert "on purpose" in text


def test_lines_keep_their_indentation_relative_to_the_block():
    source = Source()
    source.write(
        """
        if x > high:
            return high
        """,
        high=2,
    )
    body = source.take()
    with source.block("def clipped(x):"):
        source.add(body)
        source.write("return x")
    clipped = source.compile("clipped", "<an example>")
    assert (clipped(1), clipped(5)) == (1, 2)


@pytest.mark.parametrize(
    ("primal", "name"), [(np.sin, "sin"), (lambda x: x, "function"), (object(), "function")]
)
def test_names(primal, name):
    assert stem(primal) == name
