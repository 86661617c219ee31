"""Functions that reach more by name than they do: what ran decides whether they are compiled, and the
results stay those of the tape when something else runs.
"""

import abc
import copy
import logging
import sys
import types
import warnings
import weakref

import numpy as np
import pytest
from numpy import dot, where

from chainrules_tape import compiled, explain, value_and_grad

LOG = logging.getLogger(__name__)
Z = np.array([0.5, 1.5, -2.0])
NAMES = {"double", "half"}
FACTORS = types.MappingProxyType({"double": 2.0, "half": 0.5})


class Model:
    """It could log, print and count."""

    scale = 1.5

    def __init__(self, w):
        LOG.info("made")
        self.w, self.is_loud, self.mode, self.calls = w, False, "plain", 0
        self.inner = Inner(0.5)
        self.weak = weakref.ref(self.inner)
        self.square = Square(3.0)

    def apply(self, x):
        if self.is_loud:
            print("applied to", x.shape)
        if self.mode == "other":
            return self.other(x)
        if np.max(x) > 100.0:
            warnings.warn("far out", stacklevel=1)
        return np.sum(np.sin(x) * self.w) * self.scale

    def other(self, x):
        return np.sum(x * x * self.inner.value)

    def by_reference(self, x):
        return np.sum(x * x * self.weak().value)

    def by_kind(self, x):
        factor = FACTORS["double"] if "double" in NAMES else FACTORS["half"]
        return np.sum(x * factor * self.scale) + self.apply(x)

    def logged(self, x):
        LOG.debug("at %s", x.shape)
        logging.debug("at %s", x.shape)
        return np.sum(x * x * self.w)

    def within_limits(self, x):
        if sys.maxsize < 0:
            return sys.argv
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.sum(np.minimum(x, sys.float_info.max) * self.w)

    def show(self):
        print(eval("self.w"), self.weak)


class Inner:
    def __init__(self, value):
        self.value = value


class Layer(abc.ABC):
    """An abstract class, of which copies are made."""

    def __init__(self, k):
        self.k = k

    @abc.abstractmethod
    def forward(self, x):
        """The values of the layer."""


class Square(Layer):
    def forward(self, x):
        return np.sum(x * x * self.k)


FUNCTIONS = {  # without `getattr`, by which all attributes count as read
    "apply": lambda model: lambda x: model.apply(x),
    "by_reference": lambda model: lambda x: model.by_reference(x),
    "by_kind": lambda model: lambda x: model.by_kind(x),
    "logged": lambda model: lambda x: model.logged(x),
    "within_limits": lambda model: lambda x: model.within_limits(x),
    "a copy": lambda model: lambda x: copy.deepcopy(model.square).forward(x),
    "names of NumPy": lambda model: lambda x: np.sum(where(x > 9.0, x, x * model.w)) + dot(x, x),
    "a branch": lambda model: (
        lambda x: model.apply(x) if x[0] > 0.0 else model.other(x) * model.scale
    ),
}
CHANGES = {
    "an array": lambda model, patch: patch.setattr(model, "w", np.array([2.0, 0.1, 0.3])),
    "an entry": lambda model, patch: model.w.__setitem__(0, 7.0),
    "a number": lambda model, patch: patch.setattr(model, "w", 3.0),
    "a mode": lambda model, patch: patch.setattr(model, "mode", "other"),
    "an inner value": lambda model, patch: patch.setattr(model.inner, "value", 4.0),
    "the mode again": lambda model, patch: patch.setattr(model, "mode", "plain"),
    "a default": lambda model, patch: patch.setattr(Model, "scale", -1.0),
    "what hides it": lambda model, patch: patch.setattr(model, "scale", 2.0, raising=False),
    "a copied value": lambda model, patch: patch.setattr(model.square, "k", -2.0),
    "another object": lambda model, patch: patch.setattr(model, "weak", weakref.ref(OTHER)),
    "a set": lambda model, patch: patch.setitem(globals(), "NAMES", {"half"}),
    "a view": lambda model, patch: patch.setitem(globals(), "FACTORS", {"double": 5, "half": 1.0}),
    "a method": lambda model, patch: patch.setattr(Model, "apply", Model.other),
    "one of an object": lambda model, patch: patch.setattr(
        model, "apply", lambda x: np.sum(x * 5.0), raising=False
    ),
}
OTHER = Inner(-1.0)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_a_function_reaches_may_change(name, monkeypatch):
    model = Model(np.array([1.0, 2.0, 3.0]))
    function = value_and_grad(FUNCTIONS[name](model))
    step = compiled(function)

    def check():
        for x in (Z, 1.01 * Z, 1.02 * Z):
            for one, other in zip(step(x), function(x), strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-12)

    check()
    assert step.count_of_programs() == 1, explain(step)
    for change in CHANGES.values():
        change(model, monkeypatch)
        check()


def test_another_branch_is_followed_when_it_is_taken(monkeypatch):
    model = Model(2.0)
    function = value_and_grad(FUNCTIONS["a branch"](model))
    step = compiled(function)
    for x, change in ((Z, "a number"), (-Z, "an inner value"), (Z, "an array")):
        for _ in range(3):
            np.testing.assert_allclose(step(x)[1], function(x)[1], rtol=1e-12)
        CHANGES[change](model, monkeypatch)
        for sign in (1, -1):
            np.testing.assert_allclose(step(sign * x)[1], function(sign * x)[1], rtol=1e-12)


def test_prepared_and_written_out():
    model = Model(2.0)
    step = compiled(value_and_grad(lambda x: model.apply(x)))
    step.prepare(Z)
    assert step.count_of_programs() == 1, explain(step)
    assert "np.sin(x)" in compiled(value_and_grad(lambda x: model.apply(x))).source(Z)
