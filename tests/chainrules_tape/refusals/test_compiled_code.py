"""Compiled functions that refuse a traced value: the error says that a rule has to be written, and
the rule that it says to write works.
"""

import array
import importlib
import io
import struct
import zlib

import numpy as np
import pytest

from chainrules_py import primitive, scalar_rule
from chainrules_tape import grad, jvp

RULE = 'f = primitive(f) and scalar_rule(f, "x", "derivative by x")'
X = np.array([0.5, 2.0])


def doubled_by_numba(x):
    return pytest.importorskip("numba").njit(lambda y: y * 2.0)(x)


def of_cython(x):
    return importlib.import_module("scipy.special.cython_special").j1(x)


CALLS = {
    "numba": lambda x: doubled_by_numba(x[0]),
    "cython": lambda x: of_cython(x[0]),
    "struct.pack": lambda x: struct.unpack("d", struct.pack("d", x[0]))[0],
    "struct.pack_into": lambda x: struct.pack_into("d", bytearray(8), 0, x[0]) or x[0],
    "zlib.crc32": lambda x: zlib.crc32(x) * x[0],
    "buffer.write": lambda x: (buffer := io.BytesIO(), buffer.write(x)) and x[0],
    "numbers.append": lambda x: (numbers := array.array("d"), numbers.append(x[0])) and x[0],
}


@pytest.mark.parametrize("name", CALLS)
def test_a_rule_is_advised(name):
    for differentiate in (grad(CALLS[name]), lambda x: jvp(CALLS[name], (x,), (x,))):
        with pytest.raises(Exception) as caught:  # noqa: PT011
            differentiate(X)
        said = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
        assert RULE in said


def test_a_function_of_numba_that_is_differentiated_itself():
    numba = pytest.importorskip("numba")
    with pytest.raises(TypeError) as caught:
        grad(numba.njit(lambda x: x * 2.0))(1.5)
    assert any(RULE in note for note in caught.value.__notes__)


def test_the_rule_that_is_advised_works():
    special = importlib.import_module("scipy.special.cython_special")
    j1 = primitive(special.j1)
    scalar_rule(j1, "x", "-out / x")
    assert grad(lambda x: j1(x))(1.5) == -special.j1(1.5) / 1.5
