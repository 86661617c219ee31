"""Modules that are imported while the scope lasts are seen through, and are as if they had been
imported outside afterwards.
"""

import builtins
import importlib
import math
import sys
import threading

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


def test_the_import_of_python_is_wrapped_while_a_scope_lasts_and_put_back_after_an_error():
    before, path = builtins.__import__, list(sys.meta_path)
    with pytest.raises(ZeroDivisionError), seen_through("strangers"):
        1 / (builtins.__import__ is before)
    assert builtins.__import__ is before
    assert sys.meta_path == path


def test_nested_scopes_wrap_it_once():
    before = builtins.__import__
    with seen_through("strangers"):
        wrapped = builtins.__import__
        with seen_through("colorsys"):
            assert builtins.__import__ == wrapped
        assert builtins.__import__ == wrapped
    assert builtins.__import__ is before


def test_who_wraps_it_meanwhile_keeps_that(monkeypatch):
    before, calls = builtins.__import__, []

    def counted(*args, **options):
        calls.append(args[0])
        return before(*args, **options)

    with seen_through("strangers"):
        wrapped = builtins.__import__
        monkeypatch.setattr(builtins, "__import__", counted)
    assert builtins.__import__ is counted
    # as somebody does who puts back what was there before
    monkeypatch.setattr(builtins, "__import__", wrapped)
    with seen_through("strangers"):
        import json.tool  # noqa: F401


def test_another_thread_imports_what_it_asks_for():
    found = []

    def importing():
        import numpy
        import numpy.linalg as la

        found.extend([numpy, la])

    with seen_through("strangers"):
        thread = threading.Thread(target=importing)
        thread.start()
        thread.join()
    assert found == [np, np.linalg]


def test_an_import_that_fails_raises_what_it_did():
    with (
        seen_through("strangers"),
        pytest.raises(ModuleNotFoundError, match="no_such_module_at_all"),
    ):
        import no_such_module_at_all  # noqa: F401
