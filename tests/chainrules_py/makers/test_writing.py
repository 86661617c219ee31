"""Functions that makers write have readable names, and tracebacks show their lines."""

import keyword
import traceback

import numpy as np
import pytest

from chainrules_py.makers.writing import Source, names_in, names_read, stem


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


@pytest.mark.parametrize(
    "body",
    [
        ["y = sin(x)", "return y * x.size"],
        [
            "a_bar = out_bar * (cos(a)-1e3*b2.T)",
            "if a_bar.dtype is not a_dtype: a_bar = fit(a_bar)",
        ],
        ["bars = fused((out_bar, x1), ((x1_shape, x1_dtype),))", "return (bars[0], NO_TANGENT,)"],
    ],
)
def test_names_in_lines_are_those_that_python_finds_and_some_that_are_defined(body):
    read = set(names_read(body))
    defined = {line.split(" = ")[0] for line in body if " = " in line and line.index(" = ") < 6}
    others = names_in(body) - read - defined - set(keyword.kwlist)
    assert read <= names_in(body)
    assert not others
