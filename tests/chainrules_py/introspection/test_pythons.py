"""With a version of Python that the table does not know, no refusal is lost and no number wrong."""

import sys

import pytest

from chainrules_py.introspection import pythons
from processes import printed

UNKNOWN = 99 if sys.version_info >= (3, 14) else 10  # on the same side of what modules ask for
# other packages are told which version this is
PROGRAM = """
import sys
import numpy, plum, scipy.linalg, scipy.special
sys.path.insert(0, sys.argv[1])
sys.version_info = (3, int(sys.argv[2]), *sys.version_info[2:])

import own_file
from chainrules_py import ChainRulesError
from chainrules_tape import grad, jvp

for name, f in own_file.ASKED.items():
    for derivative in (grad(f), lambda x: jvp(f, (x,), (1.0,))[1]):
        try:
            print(name, round(float(derivative(2.0)), 9))
        except ChainRulesError as error:
            print(name, "is refused")
"""
OWN_FILE = """
import numpy as np

def search(a):
    low, high = 0.0, 2.0
    while high - low > 1e-10:
        middle = (low + high) / 2
        low, high = (middle, high) if middle * middle < a else (low, middle)
    return low

def scaled(y, x):
    y *= x
    return y

def lent(x, y):
    scaled(y, x)
    return np.sum(y)

def question(x):
    return 3.0 * x if type(x) is float else x

def written(x):
    y = np.zeros(3)
    y[:] = x
    return np.sum(y)

unwritten = {"np": np}
exec("def f(x): return 3.0 * x if type(x) is float else x", unwritten)

ASKED = {
    "search": search,
    "lent": lambda x: lent(x, np.arange(3.0)),
    "question": question,
    "written": written,
    "question without a source": unwritten["f"],
}
"""
EXPECTED = """
search is refused
lent {}
question 3.0
written 3.0
question without a source {}
"""


@pytest.mark.parametrize(
    ("minor", "lent", "without_source"),
    # each array that code makes takes traced values where it may be written to by others
    [(sys.version_info.minor, "is refused", "3.0"), (UNKNOWN, "3.0", "is refused")],
)
def test_what_is_lost_with_no_python(minor, lent, without_source, tmp_path):
    (tmp_path / "own_file.py").write_text(OWN_FILE)
    said = printed(PROGRAM, str(tmp_path), str(minor), CHAINRULES_ONLY_MARKED="0")
    expected = EXPECTED.format(lent, without_source).strip().splitlines()
    assert said.splitlines() == [line for line in expected for _ in range(2)]


def test_this_python_is_known():
    assert sys.implementation.name != "cpython" or pythons.BYTECODE is not None
