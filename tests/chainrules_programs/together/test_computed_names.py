"""What programs look up by names of their own making, and in caches: each is asked again."""

import functools
import operator
import os
import sys
import types

import numpy as np
import pytest

from chainrules_tape import compiled, grad, seen_through

X, SCALE, NAME = np.array([0.3, 0.4]), 2.0, "a_module_of_users"


class Box:
    rate = 2.0

    def __init__(self, value):
        self.value = value


class Entries(dict):
    pass


@functools.lru_cache
def number(n):
    return n * SCALE


@functools.lru_cache
def array(n):
    return (np.arange(1.0, n) * SCALE, n)


@functools.lru_cache
def box(n):
    return Box(n * SCALE)


@functools.lru_cache
def entries(n):
    return Entries(a=n * SCALE)


@functools.lru_cache(maxsize=1)
def one(n):
    return n * SCALE


@functools.lru_cache
def told(n):
    print("computed")
    return n * SCALE


CACHES = (number, array, box, entries, one, told)


get_rate = operator.attrgetter("rate")
CLASSES = {Box, Entries}


def clear():
    for cache in CACHES:
        cache.cache_clear()


def new_scale():
    globals()["SCALE"] += 1.0


def in_cache(change):
    def changed():
        change(box(3), entries(3), array(4)[0])

    return changed


def enlarge(box, entries, array):
    box.value += 1.0
    entries["a"] += 1.0
    array[1] += 1.0


def set_rate():
    Box.rate += 1.0


def set_variable():
    os.environ["A_VARIABLE"] = str(float(os.environ.get("A_VARIABLE", "1.0")) + 1.0)


def remove_variable():
    os.environ.pop("A_VARIABLE", None)


def module_rate():
    sys.modules[NAME].rate += 1.0


def add_module():
    sys.modules["another_of_users"] = types.ModuleType("another_of_users")


def total(factor):
    return lambda x: np.sum(x * x) * factor()


PROGRAMS = {
    "number of a cache": (total(lambda: number(3)), [new_scale, clear]),
    "array of a cache": (total(lambda: array(4)[0][1]), [new_scale, in_cache(enlarge), clear]),
    "object of a cache": (total(lambda: box(3).value), [new_scale, in_cache(enlarge), clear]),
    "dict of a cache": (total(lambda: entries(3)["a"]), [new_scale, in_cache(enlarge), clear]),
    "cache that forgets": (total(lambda: one(3) * one(4)), [new_scale, clear]),
    "cache that is filled with a text": (total(lambda: told(3)), [new_scale, clear]),
    "attribute by attrgetter": (total(lambda: get_rate(Box)), [set_rate]),
    "member of a set of classes": (
        total(lambda: max(getattr(each, "rate", 0.0) for each in CLASSES)),
        [set_rate],
    ),
    "environment": (
        total(lambda: float(os.environ.get("A_VARIABLE", 3.0))),
        [set_variable, set_variable, remove_variable],
    ),
    "environment by getenv": (
        total(lambda: float(os.getenv("A_VARIABLE", "3.0"))),
        [set_variable, set_variable, remove_variable],
    ),
    "module by its name": (total(lambda: __import__(NAME).rate), [module_rate]),
    "whether a module is there": (
        total(lambda: 2.0 if "another_of_users" in sys.modules else 1.0),
        [add_module],
    ),
}
STAY = {
    "module of all": (total(lambda: sys.modules[NAME].rate), "sys.modules"),
    "cache that is asked": (total(lambda: number.cache_info().currsize + 1.0), "cache_info"),
    "all of the environment": (total(lambda: float(len(os.environ))), "len"),
    "module by a made name": (
        total(lambda: __import__("".join(["a_module", "_of_users"])).rate),
        "__import__",
    ),
}


@pytest.fixture(autouse=True)
def as_before(monkeypatch):
    """Leave the process, and this module, as they were."""
    monkeypatch.setitem(globals(), "SCALE", SCALE)
    monkeypatch.setattr(Box, "rate", 2.0)
    monkeypatch.delitem(os.environ, "A_VARIABLE", raising=False)
    module = types.ModuleType(NAME)
    module.rate = 2.0
    monkeypatch.setitem(sys.modules, NAME, module)
    monkeypatch.delitem(sys.modules, "another_of_users", raising=False)
    clear()
    yield
    remove_variable()
    sys.modules.pop("another_of_users", None)


@pytest.mark.parametrize("is_seen", [False, True], ids=["plain", "seen through"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_each_is_asked_again(name, is_seen):
    function, changes = PROGRAMS[name]
    with seen_through(*[__name__] * is_seen):
        step = compiled(grad(function))
        for _ in range(3):
            np.testing.assert_array_equal(step(X), grad(function)(X))
        assert step.count_of_programs() > 0, step.reasons
        for change in changes:
            change()
            for _ in range(3):
                np.testing.assert_allclose(step(X), grad(function)(X), rtol=1e-14)


@pytest.mark.parametrize("name", STAY)
@pytest.mark.filterwarnings("ignore::chainrules_tape.NotCompiledWarning")
def test_what_stays_on_the_tape(name):
    function, reason = STAY[name]
    step = compiled(grad(function))
    for _ in range(4):
        np.testing.assert_array_equal(step(X), grad(function)(X))
    assert step.count_of_programs() == 0
    assert reason in " ".join(step.reasons)
