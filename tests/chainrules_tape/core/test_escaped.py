"""A traced value that something keeps after its call is named in the error: what keeps it, and the line that filled it."""

import importlib
import linecache

import pytest

from chainrules_tape import EscapedValueError, grad, jvp
from strangers import memories


@pytest.fixture(autouse=True)
def forgetful():
    """Each test begins with empty memories."""
    importlib.reload(memories)


@pytest.mark.parametrize("name", memories.KEEPING)
@pytest.mark.parametrize("differentiate", [lambda f: grad(f)(0.5), lambda f: jvp(f, (0.5,), (1.0,))], ids=["grad", "jvp"])
def test_what_keeps_a_value_is_named(name, differentiate):
    function, place = memories.KEEPING[name]
    differentiate(function)
    with pytest.raises(EscapedValueError) as caught:
        differentiate(function)
    assert f"it is kept in {place}" in caught.value.got
    if name != "cached_property":
        file, _, line = caught.value.got.rpartition("filled at ")[2].partition(":")
        assert file == memories.__file__
        kept = place.split()[2]
        assert any(kept in linecache.getline(file, int(each)) for each in line.split(", "))
    assert "stop_gradient(x)" in caught.value.instead


def test_what_nothing_keeps_has_the_message_that_it_had():
    found = []
    grad(lambda x: found.append(x) or x * 1.0)(0.5)
    value = found.pop()
    with pytest.raises(EscapedValueError) as caught:
        value * 2.0
    assert caught.value.got == "a traced value that outlived the call in which it was traced"


def test_a_memory_of_plain_numbers_is_none():
    memories.by_memo(0.5)
    assert grad(memories.by_memo)(0.7) == memories._memo[1]
