"""Names of other libraries: each is nobody's here, and its error has names that are there."""

import importlib
import re

import numpy as np
import pytest

import chainrules_tape
from chainrules_tape import grad, vmap
from chainrules_tape.refusals.names_elsewhere import ATTRIBUTES, FUNCTIONS

CALL = re.compile(r"([A-Za-z_][\w.]*)\(")
THEIRS = {"f", "x"}  # a function and an array of the reader's


def found(name):
    """What a name of an advice means: of NumPy, of a package, of an array, or of the tape."""
    first, _, rest = name.partition(".")
    if name in THEIRS:
        return name
    if first == "x":
        return getattr(np.ndarray, rest)
    if not rest:
        return getattr(chainrules_tape, name)
    module, _, attribute = name.rpartition(".")
    try:
        return getattr(importlib.import_module(module), attribute)
    except ModuleNotFoundError:
        return getattr(found(module), attribute)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_of_another_library(name):
    assert not hasattr(chainrules_tape, name)
    with pytest.raises(AttributeError, match=re.escape(f"; write {FUNCTIONS[name]}")):
        getattr(chainrules_tape, name)
    with pytest.raises(ImportError, match=re.escape(f"; write {FUNCTIONS[name]}")) as caught:
        exec(f"from chainrules_tape import {name}")
    assert caught.value.name == "chainrules_tape"


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_an_attribute_of_another_library(name):
    with pytest.raises(AttributeError) as caught:
        grad(lambda x: np.sum(getattr(x, name)))(np.ones(2))
    assert any(note.endswith(f"write {ATTRIBUTES[name]}") for note in caught.value.__notes__)


@pytest.mark.parametrize("advice", [*FUNCTIONS.values(), *ATTRIBUTES.values()])
def test_what_an_advice_names_is_there(advice):
    for name in CALL.findall(advice):
        assert callable(found(name)) or name in THEIRS


def test_methods_that_numpy_has_as_functions():
    for transform in (grad, vmap):
        with pytest.raises(AttributeError) as caught:
            transform(lambda x: np.sum(x.exp()))(np.ones(2))
        assert caught.value.__notes__ == ["NumPy has this as a function: write numpy.exp(x)"]


def test_other_names_are_missing_as_ever():
    with pytest.raises(AttributeError, match=r"has no attribute 'jacobean'$"):
        chainrules_tape.jacobean
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'chainrules_tape\.jacobean'"):
        importlib.import_module("chainrules_tape.jacobean")
