"""Who holds an object is told by counting references."""

from chainrules_py.introspection import (
    is_held_once,
    reference_count,
    references,
)


def test_an_object_that_one_variable_holds():
    x = object()
    assert is_held_once(x)
    other = x
    assert not is_held_once(x)
    del other
    assert is_held_once(x)
    holders = [x]
    assert not is_held_once(holders[0])


def test_a_count_grows_by_one_with_each_holder():
    x = object()
    before = reference_count(x)
    holders = [x, x]
    assert reference_count(x) == before + len(holders)


def test_where_nobody_counts_an_object_is_held_by_others(monkeypatch):
    monkeypatch.setattr(references, "reference_count", references._unknown_count)
    x = object()
    assert not is_held_once(x)
