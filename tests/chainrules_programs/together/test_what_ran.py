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


def required(step, function, x):
    """Two calls have the same results, three times."""
    for k in range(5):
        at = x * (1.0 + 0.01 * k)
        for one, other in zip(step(at), value_and_grad(function)(at), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)


def set_attribute(name, value):
    return lambda model: setattr(model, name, value)


CHANGES = [
    set_attribute("w", np.array([2.0, 0.1, 0.3])),
    lambda model: model.w.__setitem__(0, 7.0),
    set_attribute("w", 3.0),
    set_attribute("mode", "other"),
    lambda model: setattr(model.inner, "value", 4.0),
    set_attribute("mode", "plain"),
    set_attribute("scale", -1.0),
]


METHODS = ["apply", "by_reference", "by_kind", "logged", "within_limits"]


@pytest.mark.parametrize("name", METHODS)
def test_a_method_that_is_not_called(name):
    model = Model(np.array([1.0, 2.0, 3.0]))

    def function(x):
        return np.sum(getattr_free(model, name, x))

    step = compiled(value_and_grad(function))
    required(step, function, Z)
    assert step.count_of_programs() == 1, explain(step)
    for change in CHANGES:
        change(model)
        required(step, function, Z)


def getattr_free(model, name, x):
    """The method of this name, without `getattr`, by which all attributes count as read."""
    if name == "logged":
        return model.logged(x)
    if name == "within_limits":
        return model.within_limits(x)
    if name == "apply":
        return model.apply(x)
    return model.by_kind(x) if name == "by_kind" else model.by_reference(x)


def test_changed_methods_and_classes(monkeypatch):
    model = Model(2.0)
    function = lambda x: model.apply(x)  # noqa: E731
    step = compiled(value_and_grad(function))
    required(step, function, Z)
    monkeypatch.setattr(Model, "apply", Model.other)
    required(step, function, Z)
    monkeypatch.setattr(model, "apply", lambda x: np.sum(x * 5.0), raising=False)
    required(step, function, Z)


def test_changed_sets_and_views(monkeypatch):
    model = Model(2.0)
    function = lambda x: model.by_kind(x)  # noqa: E731
    step = compiled(value_and_grad(function))
    required(step, function, Z)
    NAMES.remove("double")
    try:
        required(step, function, Z)
    finally:
        NAMES.add("double")
    required(step, function, Z)
    monkeypatch.setitem(globals(), "FACTORS", types.MappingProxyType({"double": 5.0, "half": 1.0}))
    required(step, function, Z)


def test_references_to_another_object():
    model = Model(2.0)
    function = lambda x: model.by_reference(x)  # noqa: E731
    step = compiled(value_and_grad(function))
    required(step, function, Z)
    assert step.count_of_programs() == 1, explain(step)
    model.inner.value = 8.0
    required(step, function, Z)
    model.inner = Inner(-1.0)
    model.weak = weakref.ref(model.inner)
    required(step, function, Z)


def test_copies_of_abstract_classes():
    square = Square(3.0)
    function = lambda x: copy.deepcopy(square).forward(x)  # noqa: E731
    step = compiled(value_and_grad(function))
    required(step, function, Z)
    assert step.count_of_programs() == 1, explain(step)
    square.k = -2.0
    required(step, function, Z)


def test_functions_of_numpy_by_their_names():
    function = lambda x: np.sum(where(x > 0.6, x, x * x)) + dot(x, x)  # noqa: E731
    step = compiled(value_and_grad(function))
    required(step, function, Z)
    assert step.count_of_programs(), explain(step)
    required(step, function, -Z)


def test_branches_by_values():
    """Another branch reads what the first did not: it runs, and is followed, when it is taken."""
    model = Model(2.0)

    def function(x):
        return model.apply(x) if x[0] > 0.0 else model.other(x) * model.scale

    step = compiled(value_and_grad(function))
    required(step, function, Z)
    required(step, function, -Z)
    model.inner.value = 9.0
    required(step, function, -Z)
    required(step, function, Z)
    model.w = 7.0
    required(step, function, Z)


def test_prepared_and_written_out():
    model = Model(2.0)
    step = compiled(value_and_grad(lambda x: model.apply(x)))
    step.prepare(Z)
    assert step.count_of_programs() == 1, explain(step)
    assert "np.sin(x)" in compiled(value_and_grad(lambda x: model.apply(x))).source(Z)
