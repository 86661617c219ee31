"""A traced value that something keeps after its call is named in the error: what keeps it, and the
line that filled it.
"""

import importlib
import linecache
import sys
import warnings
from types import ModuleType

import numpy as np
import pytest

from chainrules_tape import EscapedValueError, grad, jvp
from strangers import memories


@pytest.fixture(autouse=True)
def forgetful():
    """Each test begins with empty memories."""
    importlib.reload(memories)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", memories.KEEPING)
@pytest.mark.parametrize(
    "differentiate",
    [
        lambda f: grad(f)(0.5),
        lambda f: jvp(f, (0.5,), (1.0,)),
        lambda f: grad(lambda x: np.sum(f(x)))(np.array([0.5, 0.7])),
    ],
    ids=["grad", "jvp", "array"],
)
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


def is_asked(*_):
    warnings.warn("it was asked for something", FutureWarning, stacklevel=2)
    raise RuntimeError("it was asked for something")


SPECIAL = (
    "__getattr__",
    "__getattribute__",
    "__eq__",
    "__bool__",
    "__repr__",
    "__str__",
    "__len__",
    "__iter__",
    "__contains__",
)
variables_of = vars(ModuleType)["__dict__"].__get__


@pytest.fixture
def hostile(monkeypatch):
    """The variables of a module among others that may be asked for nothing, which has two classes
    whose objects may not either.

    torch.distributed warns of objects that are asked for their class; modules that load what they
    are asked for are many.
    """

    class Asked(type):
        __getattr__ = __getattribute__ = is_asked

    class Hostile(metaclass=Asked):
        locals().update(dict.fromkeys(SPECIAL, is_asked))
        __class__ = property(is_asked)

        def __init__(self, kept):
            object.__getattribute__(self, "__dict__")["kept"] = kept

    class Unlisted(metaclass=Asked):
        """Its attribute `__dict__` is a property."""

        locals().update(dict.fromkeys(SPECIAL, is_asked))
        __slots__ = ("kept",)
        __class__ = __dict__ = property(is_asked)

        def __init__(self, kept):
            object.__setattr__(self, "kept", kept)

    class SpecialModule(ModuleType):
        __getattr__ = __getattribute__ = is_asked

    modules = {name: ModuleType(name) for name in ("lazy_stranger", "nameless_stranger")}
    modules["special_stranger"] = SpecialModule("special_stranger")
    variables_of(modules["lazy_stranger"])["__getattr__"] = is_asked
    variables_of(modules["nameless_stranger"]).clear()
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
        variables_of(module).update(
            Hostile=Hostile, Unlisted=Unlisted, one=Hostile(None), other=Unlisted(None)
        )
    monkeypatch.setitem(sys.modules, "no_stranger", None)
    monkeypatch.setitem(sys.modules, "no_module", Hostile(None))
    return variables_of(modules["special_stranger"])


@pytest.mark.parametrize("name", memories.KEEPING)
def test_nothing_is_asked_for_an_attribute(name, hostile):
    test_what_keeps_a_value_is_named(name, lambda f: grad(f)(0.5))


@pytest.mark.parametrize(
    ("keep", "place"),
    [
        (lambda x, hostile: x, "the variable kept of special_stranger"),
        (
            lambda x, hostile: {"x": [hostile["Unlisted"]((x,))]},
            "the attribute kept of an object of hostile.<locals>.Unlisted of ",
        ),
        (
            lambda x, hostile: hostile["Unlisted"](x),
            "the attribute kept of an object of hostile.<locals>.Unlisted of ",
        ),
        (
            lambda x, hostile: hostile["Hostile"](x),
            "the attribute kept of an object of hostile.<locals>.Hostile of ",
        ),
    ],
    ids=["variable", "in a container", "slot", "attribute"],
)
def test_what_hostile_objects_keep_is_named(keep, place, hostile):
    found = []

    def program(x):
        y = x * 2.0
        hostile["kept"] = keep(y, hostile)
        found.append(y)
        return x * 1.0

    grad(program)(0.5)
    with pytest.raises(EscapedValueError) as caught:
        found.pop() * 2.0
    assert f"it is kept in {place}" in caught.value.got
