"""Entry points of engines and marks of compilers meet, whichever comes first; adapters come where
their library is imported.
"""

import sys

import pytest

from chainrules_py.engines import compilers


@pytest.fixture(autouse=True)
def nothing_declared(monkeypatch):
    monkeypatch.setattr(compilers, "_entry_points", [])
    monkeypatch.setattr(compilers, "_marks", [])


def test_what_is_declared_before_and_after_is_marked_once():
    marked = []

    @compilers.entry_point
    def before():
        """An entry point that is there when a compiler comes."""

    compilers.mark_entry_points(marked.append)

    @compilers.entry_point
    def after():
        """An entry point that comes later."""

    assert marked == [before, after]


def test_adapters_are_loaded_where_a_library_with_a_compiler_is_there(monkeypatch):
    loaded = []
    monkeypatch.setattr(compilers, "unmarked", {"torch"})
    monkeypatch.setattr(compilers, "load_backend_named", loaded.append)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    compilers.load_compilers()
    assert loaded == []
    monkeypatch.setitem(sys.modules, "torch", object())
    compilers.load_compilers()
    compilers.load_compilers()
    assert loaded == ["torch"]
