"""Constants as text have the bits, the shape, the dtype and the memory order of the array."""

import base64
import zlib

import numpy as np
import pytest

from chainrules_programs.compiling.constants import DECODER, NotWritable, constant_text

RNG = np.random.default_rng(0)
ARRAYS = [
    *(np.array(1.01), np.array(True), np.array(0.1, np.float32), np.zeros((2, 30))),
    *(np.ones(30, np.int8), np.full((4, 5), -0.0), np.full(30, -np.inf), -np.full(3, np.nan)),
    *(np.full((2, 2), 1 - 1j), np.arange(5, 60, 5, np.int32), np.eye(3, dtype=np.float32)),
    *(np.array([]), np.zeros((0, 3)), np.zeros((0,), int), RNG.standard_normal((20, 20))),
    *(RNG.standard_normal((3, 40)).T, RNG.standard_normal((2, 3, 4)).transpose(2, 0, 1)),
    *(np.broadcast_to(0.5, (100, 100)), np.broadcast_to(np.arange(3.0), (5, 3))),
    *(np.array([1, 2], ">i4"), np.array([0.1, np.nan, np.inf]), np.array([1j, complex(0, -0.0)])),
    *(np.array([2**63], np.uint64), np.arange(60).reshape(3, 4, 5) % 7),
]


def made(text):
    scope = {"np": np, "zlib": zlib, "base64": base64}
    exec(DECODER, scope)
    return eval(text, scope)


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: f"{array.dtype}{array.shape}")
def test_arrays(array):
    found = made(constant_text(array))
    assert found.dtype == array.dtype
    assert found.shape == array.shape
    assert found.tobytes() == array.tobytes()
    if array.size > 1:
        assert [s for n, s in zip(found.shape, found.strides, strict=True) if n > 1] == [
            s for n, s in zip(array.shape, array.strides, strict=True) if n > 1
        ]


@pytest.mark.parametrize(
    "number",
    [1, -0.0, 1e300, 2 - 3j, True, None, "text", [np.nan], np.float32(0.1), np.int8(3), np.bool(1)],
)
def test_numbers(number):
    found = made(constant_text(number))
    assert type(found) is type(number)
    assert repr(found) == repr(number)


def test_long_arrays_are_short_texts():
    assert len(constant_text(np.zeros(100_000))) < 30
    assert len(constant_text(np.arange(100_000))) < 40


def test_objects_have_no_text():
    with pytest.raises(NotWritable):
        constant_text(object())
    with pytest.raises(NotWritable):
        constant_text(np.array([None]))
