"""Functions that keep what they computed: in variables, attributes, dictionaries and lists."""

import contextvars
import functools

import numpy as np

_memo = {}
_last = None
_all = []


class Table:
    """A table of values for its class, and one for each object."""

    shared = {}

    def __init__(self):
        self.own = {"values": []}
        self.plain = 0.0

    @classmethod
    def looked_up(cls, n, x):
        if n not in cls.shared:
            cls.shared[n] = (np.sin(x), n)
        return cls.shared[n][0]

    def appended(self, x):
        if not self.own["values"]:
            self.own["values"].append([x * 2.0])
        return self.own["values"][0][0]

    def assigned(self, x):
        if self.plain == 0.0:
            self.plain = x * 2.0
        return self.plain

    @functools.cached_property
    def at_one(self):
        return self.scale * 3.0


TABLE = Table()


def by_memo(x):
    if 1 not in _memo:
        _memo[1] = np.exp(x)
    return _memo[1] * x


def by_variable(x):
    global _last
    if _last is None:
        _last = x * x
    return _last + x


def by_list(x):
    if not _all:
        _all.append({"x": (x * 3.0,)})
    return _all[0]["x"][0] * 1.0


def counter():
    seen = {}

    def counted(x):
        if "x" not in seen:
            seen["x"] = x * 5.0
        return seen["x"] * 1.0

    return counted


by_closure = counter()


def by_cached_property(x):
    if "at_one" not in vars(TABLE):
        TABLE.scale = x
    return TABLE.at_one * 1.0


def by_default(x, kept={}):  # noqa: B006 - as people write caches
    if "x" not in kept:
        kept["x"] = np.exp(x)
    return kept["x"] * 1.0


def by_attribute_of_itself(x):
    if not hasattr(by_attribute_of_itself, "seen"):
        by_attribute_of_itself.seen = x * 2.0
    return by_attribute_of_itself.seen * 1.0


class Slotted:
    __slots__ = ("found",)


SLOTTED = {"one": [Slotted()]}


def by_slot(x):
    if not hasattr(SLOTTED["one"][0], "found"):
        SLOTTED["one"][0].found = x * 2.0
    return SLOTTED["one"][0].found * 1.0


OBJECTS = np.full(3, None)


def by_array_of_objects(x):
    if OBJECTS[1] is None:
        OBJECTS[1] = x * 2.0
    return OBJECTS[1] * 1.0


CONTEXT = contextvars.ContextVar("CONTEXT", default=None)


def by_context(x):
    if CONTEXT.get() is None:
        CONTEXT.set(x * 2.0)
    return CONTEXT.get() * 1.0


KEEPING = {
    "memo": (by_memo, "the variable _memo of strangers.memories"),
    "variable": (by_variable, "the variable _last of strangers.memories"),
    "list": (by_list, "the variable _all of strangers.memories"),
    "closure": (
        by_closure,
        "the variable seen around counter.<locals>.counted of strangers.memories",
    ),
    "class": (
        lambda x: Table.looked_up(1, x) * 1.0,
        "the attribute shared of the class Table of strangers.memories",
    ),
    "object": (
        lambda x: TABLE.appended(x) * 1.0,
        "the attribute own of an object of Table of strangers.memories",
    ),
    "attribute": (
        lambda x: TABLE.assigned(x) * 1.0,
        "the attribute plain of an object of Table of strangers.memories",
    ),
    "cached_property": (
        by_cached_property,
        "the attribute at_one of an object of Table of strangers.memories",
    ),
    "default": (by_default, "the default kept of by_default of strangers.memories"),
    "function": (
        by_attribute_of_itself,
        "the attribute seen of by_attribute_of_itself of strangers.memories",
    ),
    "slot": (by_slot, "the attribute found of an object of Slotted of strangers.memories"),
    "array": (by_array_of_objects, "the variable OBJECTS of strangers.memories"),
    "context": (by_context, "the variable CONTEXT of strangers.memories"),
}
