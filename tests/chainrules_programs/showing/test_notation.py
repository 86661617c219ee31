"""Calls, constants and names as a person would write them."""

import operator

import numpy as np
import pytest

from chainrules_programs.recording.program import Call, Value
from chainrules_programs.showing.notation import (
    bar_of,
    notation,
    title,
    type_of,
)


def test_calls_with_negative_numbers_and_options():
    a = Value(np.ones(2), "a")
    assert notation.call(Call(np.power, (-2.0, a), {}, None)) == "(-2.0) ** a"
    assert (
        notation.call(Call(np.add, (a, a), {"dtype": float}, None)) == "np.add(a, a, dtype=float)"
    )


CONSTANTS = {
    "2.5": np.float64(2.5),
    "3": 3,
    "'ij->ji'": "ij->ji",
    "None": None,
    "...": Ellipsis,
    "int64[2, 1]": np.zeros((2, 1), int),
    "float64": np.dtype("float64").type,
}


@pytest.mark.parametrize(("text", "value"), CONSTANTS.items(), ids=CONSTANTS)
def test_constants(text, value):
    assert notation.text(value) == text


def test_long_constants_are_cut():
    assert len(notation.text(np.str_("x" * 100))) == 30


@pytest.mark.parametrize(
    ("name", "bar"),
    [("x", "x_bar"), ("layers[0]['w']", "layers_bar[0]['w']"), ("p.w[0]", "p_bar.w[0]")],
)
def test_cotangents_have_the_names_of_their_values(name, bar):
    assert bar_of(Value(1.0, name)) == bar


def test_names_of_functions():
    assert [notation.function(f) for f in (np.sin, np.fft.fft, operator.getitem, type_of)] == [
        "np.sin",
        "np.fft.fft",
        "getitem",
        "type_of",
    ]
    assert [title(f) for f in (np.sin, lambda x: x)] == ["sin", "f"]
