"""Functions that makers write have readable names, and tracebacks show their lines."""

import traceback

import numpy as np
import pytest

from chainrules_py.makers.writing import define, stem


def test_a_traceback_shows_the_line():
    fails = define("fails", ["def fails(x):", "    return x / 0  # on purpose"], {}, "<a rule>")
    with pytest.raises(ZeroDivisionError) as caught:
        fails(1)
    text = "".join(traceback.format_exception(caught.value))
    assert '"<a rule>", line 2, in fails' in text
    assert "on purpose" in text


@pytest.mark.parametrize(
    ("primal", "name"), [(np.sin, "sin"), (lambda x: x, "function"), (object(), "function")]
)
def test_names(primal, name):
    assert stem(primal) == name
