"""No entry is missing in the pattern of a sample of the table."""

import numpy as np
import pytest
from scipy.sparse import issparse

import chainrules_tape as ct
from chainrules_py import default_rules
from chainrules_py.testing import load_shipped, primals_of
from chainrules_py.testing.samples import dtypes_of, samples_of
from chainrules_py.values.identity import qualified_name
from chainrules_sparse.matrices import PointOfFunction, flat, pattern_at
from chainrules_tape.core.levels import call_traced
from chainrules_tape.core.trees import flatten
from chainrules_tape.core.values import is_differentiable

# How many of the samples have a step of which nothing is known: it may only fall.
DENSE_SAMPLES = 0.2
# How many entries patterns have for each derivative that is not zero.
SURPLUS = 1.3


def calls():
    """The calls of samples with real arguments, each as a function and its argument."""
    load_shipped()
    for primal in primals_of(default_rules.load_all()):
        if "float64" not in dtypes_of(primal):
            continue
        for sample in samples_of(primal, "float64", seed=0):
            active = [
                k for k, arg in enumerate(sample.args) if k not in sample.fixed and is_real(arg)
            ]
            if sample.error is None and active:
                yield primal, sample, active


def is_real(arg):
    leaves = [leaf for leaf in flatten(arg)[0] if is_differentiable(leaf)]
    if any(map(issparse, leaves)):
        return False
    return bool(sum(map(np.size, leaves))) and not any(map(np.iscomplexobj, leaves))


def as_function(primal, sample, active):
    """The sample's call as a function of a tuple of its active arguments, and these."""

    def function(some):
        args = list(sample.args)
        for k, arg in zip(active, some, strict=True):
            args[k] = arg
        return call_traced(primal, tuple(args), dict(sample.options))

    return function, tuple([sample.args[k] for k in active])


def nonzeros(function, x):
    """Which derivatives are other than zero, one column after the other."""
    point = flat(x)
    columns = []
    for unit in np.eye(point.size):
        y, y_dot = ct.jvp(
            function, (x,), (point.rebuilt(point.row(point.tangents(unit[None]), 0)),)
        )
        value, dots = flat(y), flatten(y_dot)[0]
        parts = [np.ravel(dots[k]) for k in value.active]
        columns.append(np.concatenate(parts) if parts else np.zeros(0))
    return np.array(columns).T != 0


@pytest.mark.long
def test_no_sample_lacks_an_entry():
    tried, dense, entries, nonzero = 0, 0, 0, 0
    lacking = []
    for primal, sample, active in calls():
        function, x = as_function(primal, sample, active)
        with np.errstate(all="ignore"):
            try:
                expected = nonzeros(function, x)
            except (TypeError, ValueError):  # arguments that this cannot take apart
                continue
            point = PointOfFunction.of(function, x, default_rules, "sparsity")
            found = pattern_at(point, symmetric=False)
        pattern = found.pattern.toarray()
        tried += 1
        dense += bool(found.dense_because)
        entries, nonzero = entries + pattern.sum(), nonzero + expected.sum()
        if pattern.shape != expected.shape or np.any(expected & ~pattern):
            lacking.append(f"{qualified_name(primal)}-{sample.name}")
    assert lacking == []
    assert tried > 3000
    assert dense / tried < DENSE_SAMPLES
    assert entries / nonzero < SURPLUS
