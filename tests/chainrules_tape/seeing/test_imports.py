"""Modules that are imported while the scope lasts are seen through, and are as if they had been imported outside afterwards."""

import importlib
import math

import numpy as np
import pytest

from chainrules_tape import grad, seen_through


def test_a_module_that_is_imported_later():
    with seen_through("strangers"):
        later = importlib.import_module("strangers.later")
        assert grad(later.grown)(0.7) == pytest.approx(1 + math.exp(0.7))
    assert later.np is np
    assert later.math is math
    assert later.__spec__.loader is later.__loader__
    assert type(later.__loader__).__name__ == "SourceFileLoader"


def test_a_function_of_another_module_imports_numpy_itself():
    with seen_through("strangers"):
        import numpy

        assert numpy is np
