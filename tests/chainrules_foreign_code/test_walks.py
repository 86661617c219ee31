"""Walks through packages: what is skipped without a look-up, and what must not be."""

import sys
from types import FunctionType, ModuleType

import numpy as np
import pytest
import scipy.signal
import scipy.stats  # so that there is something to walk through

from chainrules_foreign_code.replacements import root
from chainrules_foreign_code.walks import Survey
from chainrules_py.table.registry import default_rules
from chainrules_tape import LostGradientError, grad, seen_through
from chainrules_tape.refusals.instrumented_packages import is_seen


def functions_of(package):
    """The functions that stand in modules and classes of a package."""
    modules = [
        found
        for name, found in list(sys.modules.items())
        if root(name) == package and isinstance(found, ModuleType)
    ]
    held = [entry for module in modules for entry in list(vars(module).values())]
    held += [entry for cls in held if isinstance(cls, type) for entry in list(vars(cls).values())]
    return {id(found): found for found in held if type(found) is FunctionType}.values()


@pytest.mark.parametrize("package", ["scipy", "numpy"])
def test_a_function_that_stays_by_its_name_has_no_rule(package):
    with seen_through(package):  # so that the places of replacements are noted
        pass
    survey = Survey(is_seen)
    listed = [
        found
        for found in functions_of(package)
        if root(found.__module__) == package and "polynomial" not in found.__module__
    ]
    stays = [found for found in listed if survey.stays(found)]
    assert len(stays) > 500
    assert [found for found in stays if found in default_rules] == []


def test_a_function_of_scipys_for_which_somebody_has_a_rule():
    function = scipy.signal._waveforms._chirp_phase
    assert Survey(is_seen).stays(function)
    default_rules.rrule.register(function)(lambda t, f0, t1, f1, **options: None)
    try:
        assert not Survey(is_seen).stays(function)
    finally:
        default_rules.remove("reverse", function)


ATTRIBUTES = """
import functools
import numpy as np

class Model:
    def __init__(self, rate):
        self.rate = rate

def each(method):
    @functools.wraps(method)
    def call(self, x):
        return call.vectorized(self, x)
    call.vectorized = np.vectorize(method)
    return call

def decay(self, x):
    return self.rate * x if x > 1 else np.exp(-self.rate * x)

def smooth(self, x):
    return self.rate * np.sin(x)

Model.decay, Model.smooth = each(decay), each(smooth)

def entries(x):
    return entries.made(x)
entries.made, entries.note = np.array, "plain"
"""


@pytest.fixture
def attributes(monkeypatch):
    module = ModuleType("attributes_of_functions")
    exec(ATTRIBUTES, vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


def test_attributes_of_functions_are_visited(attributes):
    model, x = attributes.Model(2.0), np.array([0.5, 1.5])
    before = dict(vars(attributes.Model.decay)), dict(vars(attributes.entries))
    with seen_through("attributes_of_functions"):
        slopes = grad(lambda x: model.decay(x).sum())(x)
        cosines = grad(lambda x: model.smooth(x).sum())(x)
        slope = grad(lambda x: model.decay(x))(0.5)
        doubled = grad(lambda x: attributes.entries([x[0] ** 2, x[1]]).sum())(x)
        by_rate = grad(lambda rate: attributes.Model(rate).smooth(x).sum())(2.0)
    np.testing.assert_allclose(slopes, [-2 * np.exp(-1.0), 2.0])
    np.testing.assert_allclose(cosines, 2 * np.cos(x))
    np.testing.assert_allclose(slope, -2 * np.exp(-1.0))
    np.testing.assert_allclose(doubled, [2 * x[0], 1.0])
    np.testing.assert_allclose(by_rate, np.sin(x).sum())
    assert (vars(attributes.Model.decay), vars(attributes.entries)) == before
    with pytest.raises(LostGradientError):
        grad(lambda x: model.decay(x).sum())(x)
