"""Calls, constants and names as a person would write them."""

import operator

import numpy as np
import pytest

from chainrules_programs.showing.notation import (
    Value,
    constant,
    described,
    function_name,
    parameter_names,
    paths,
    title,
    written_call,
)

CALLS = {
    "a + b": (np.add, ["a", "b"], []),
    "(-2.0) ** b": (np.power, ["-2.0", "b"], []),
    "a @ b": (np.matmul, ["a", "b"], []),
    "np.add(a, b, dtype=float)": (np.add, ["a", "b"], ["dtype=float"]),
    "-a": (np.negative, ["a"], []),
    "a[1:, 0]": (operator.getitem, ["a", "(1:, 0)"], []),
    "a[()]": (operator.getitem, ["a", "()"], []),
    "np.linalg.inv(a)": (np.linalg.inv, ["a"], []),
}


@pytest.mark.parametrize(("text", "call"), CALLS.items(), ids=CALLS)
def test_calls(text, call):
    assert written_call(*call) == text


CONSTANTS = {
    "2.5": np.float64(2.5),
    "3": 3,
    "'ij->ji'": "ij->ji",
    "None": None,
    "...": Ellipsis,
    "1:": slice(1, None),
    "::-1": slice(None, None, -1),
    "int64[2, 1]": np.zeros((2, 1), int),
    "float64": np.dtype("float64").type,
}


@pytest.mark.parametrize(("text", "value"), CONSTANTS.items(), ids=CONSTANTS)
def test_constants(text, value):
    assert constant(value) == text


def test_long_constants_are_cut():
    assert len(constant("x" * 100)) == 30


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "float"),
        (np.float32(1), "float32"),
        (np.ones((2, 3)), "float64[2, 3]"),
        (np.ones(0), "float64[0]"),
    ],
)
def test_types(value, text):
    assert described("x", value).type == text


@pytest.mark.parametrize(
    ("name", "bar"),
    [("x", "x_bar"), ("layers[0]['w']", "layers_bar[0]['w']"), ("p.w[0]", "p_bar.w[0]")],
)
def test_cotangents_have_the_names_of_their_values(name, bar):
    assert Value(name, (), "float64").bar == bar


def test_names_of_functions():
    assert [function_name(f) for f in (np.sin, np.fft.fft, operator.getitem, described)] == [
        "np.sin",
        "np.fft.fft",
        "getitem",
        "described",
    ]
    assert [title(f) for f in (np.sin, lambda x: x)] == ["sin", "f"]


def test_parameters():
    assert parameter_names(lambda a, b, *rest, key=0: a, 4) == ["a", "b", "rest0", "rest1"]
    assert parameter_names(np.sin, 1) == ["x"]


def test_paths_follow_the_order_of_flattening():
    tree = {"b": (1.0, [2.0]), "a": 3.0}
    assert paths("p", tree) == ["p['a']", "p['b'][0]", "p['b'][1][0]"]
