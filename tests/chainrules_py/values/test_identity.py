"""Functions have the names and the places in files that a person would give for them."""

import math
import operator

import numpy as np
import pytest
from scipy import special

from chainrules_py.introspection import caller_location
from chainrules_py.values.identity import home_module, location, qualified_name

NAMES = [
    (np.sin, "numpy", "numpy.sin"),
    (np.linalg.inv, "numpy.linalg", "numpy.linalg.inv"),
    (np.fft.fft, "numpy.fft", "numpy.fft.fft"),
    (np.ndarray.sum, "numpy", "numpy.ndarray.sum"),
    (special.erf, "scipy.special", "scipy.special.erf"),
    (math.exp, "math", "math.exp"),
    (operator.mul, "operator", "operator.mul"),
    (abs, "builtins", "abs"),
]


@pytest.mark.parametrize(("function", "module", "name"), NAMES, ids=[row[2] for row in NAMES])
def test_names_as_a_person_writes_them(function, module, name):
    assert (home_module(function), qualified_name(function)) == (module, name)


def test_a_function_of_pybind11_has_its_name_in_its_module():
    def separable_hartley(x):
        return x

    separable_hartley.__module__ = "ducc0.fft"
    separable_hartley.__qualname__ = "pybind11_detail_function_record_v1_abi_1.separable_hartley"
    assert qualified_name(separable_hartley) == "ducc0.fft.separable_hartley"


def test_a_callable_without_a_name_shows_itself():
    class Callable:
        def __call__(self):
            return None

        def __repr__(self):
            return "<callable>"

    assert qualified_name(Callable()) == "<callable>"


def test_locations():
    def here():
        return caller_location(0)

    path, _, line = here().rpartition(":")
    assert path == __file__
    assert location(here) == f"{__file__}:{here.__code__.co_firstlineno}"
    assert int(line) == here.__code__.co_firstlineno + 1
    assert location(np.sin) == "numpy"
