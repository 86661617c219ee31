"""Compiled functions that refuse a traced value: the note names them, and the rule that it says to
write works.
"""

import array
import importlib
import io
import struct
import zlib

import numpy as np
import pytest
from scipy.linalg import blas

from chainrules_py import primitive, scalar_rule
from chainrules_tape import LostGradientError, grad, jvp


def notes_of(f, x):
    """The notes of the error that a derivative raises, in both modes."""
    found = []
    for differentiate in (grad(f), lambda x: jvp(f, (x,), (x,))):
        with pytest.raises(Exception) as caught:  # noqa: PT011
            differentiate(x)
        found.append(" ".join(getattr(caught.value, "__notes__", ())))
    return found


def test_a_function_of_numba():
    numba = pytest.importorskip("numba")

    @numba.njit
    def doubled(x):
        return x * 2.0

    @numba.njit
    def weighted(x, y):
        return (x * y).sum()

    for note in notes_of(lambda x: doubled(x), 1.5):
        assert "doubled is compiled by Numba" in note
        assert (
            'doubled = primitive(doubled) and scalar_rule(doubled, "x", "derivative by x")' in note
        )
        assert 'seen_through("numba")' not in note
    for note in notes_of(lambda x: weighted(x, np.ones(2)), np.ones(2)):
        assert 'scalar_rule(weighted, "x1, x2", "derivative by x1", "derivative by x2")' in note
    doubled = primitive(doubled)
    scalar_rule(doubled, "x", "2.0")
    assert grad(lambda x: doubled(x) * x)(1.5) == 6.0


def test_a_function_of_numba_that_is_differentiated_itself():
    numba = pytest.importorskip("numba")

    @numba.njit
    def doubled(x):
        return x * 2.0

    with pytest.raises(TypeError) as caught:
        grad(doubled)(1.5)
    assert caught.value.__notes__[0].startswith("doubled is compiled by Numba")
    assert all("write a rule" in note for note in notes_of(doubled, 1.5))


def test_a_function_of_cython():
    special = importlib.import_module("scipy.special.cython_special")
    for note in notes_of(lambda x: special.j1(x) * 2.0, 1.5):
        assert "special.j1 is compiled code" in note
        assert 'j1 = primitive(special.j1) and scalar_rule(j1, "x", "derivative by x")' in note
    j1 = primitive(special.j1)
    scalar_rule(j1, "x", "-out / x")
    assert grad(lambda x: j1(x))(1.5) == -special.j1(1.5) / 1.5


def test_a_function_of_c():
    for note in notes_of(lambda x: zlib.crc32(x) * 1.0, 1.5):
        assert "zlib.crc32 is compiled code" in note


@pytest.mark.parametrize(
    "f",
    [lambda x: float(x), lambda x: np.asarray(x), lambda x: {x: 1}, lambda x: sorted(x)],
    ids=range(4),
)
def test_what_is_not_compiled_has_no_such_note(f):
    assert not any("is compiled code" in note for note in notes_of(f, 1.5))


@pytest.mark.parametrize(
    "f",
    [
        lambda a: pytest.importorskip("scipy.integrate").quad(lambda x: x * a, 0.0, 1.0)[0],
        lambda a: pytest.importorskip("scipy.optimize").brentq(lambda x: x * x - a, 0.0, 9.0),
    ],
    ids=["quad", "brentq"],
)
def test_of_what_scipy_calls_inside_nothing_is_said(f):
    for differentiate in (grad(f), lambda x: jvp(f, (x,), (x,))):
        with pytest.raises(
            LostGradientError, match=r"from chainrules_tape\.scipy import"
        ) as caught:
            differentiate(2.0)
        assert not any("primitive(" in note for note in getattr(caught.value, "__notes__", ()))


CALLS = {
    "struct.pack": lambda x: struct.unpack("d", struct.pack("d", x[0]))[0],
    "struct.pack_into": lambda x: struct.pack_into("d", bytearray(8), 0, x[0]) or x[0],
    "blas.dsyrk": lambda x: np.sum(blas.dsyrk(1.0, x[:, None])),
    "blas.ddot": lambda x: blas.ddot(x, x),
    "zlib.crc32": lambda x: zlib.crc32(x) * x[0],
    "buffer.write": lambda x: (buffer := io.BytesIO(), buffer.write(x)) and x[0],
    "numbers.append": lambda x: (numbers := array.array("d"), numbers.append(x[0])) and x[0],
}


@pytest.mark.parametrize("name", CALLS)
def test_code_in_c_is_named(name):
    for note in notes_of(CALLS[name], np.array([0.5, 2.0])):
        assert note.startswith(f"{name} is compiled code")
