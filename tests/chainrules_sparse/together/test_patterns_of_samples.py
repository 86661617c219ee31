"""No entry is missing in a pattern: of all samples of the table, and of random programs."""

import operator

import numpy as np
import pytest
from scipy.sparse import issparse

import chainrules_tape as ct
import chainrules_tape.numpy as tnp
from chainrules_py import default_rules
from chainrules_py.testing import load_shipped, primals_of
from chainrules_py.testing.samples import dtypes_of, samples_of
from chainrules_py.values.identity import qualified_name
from chainrules_sparse.matrices import PointOfFunction, flat, pattern_at
from chainrules_sparse.patterns.rows import Rows
from chainrules_tape import sparsity
from chainrules_tape.core.levels import call
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
        return call(primal, tuple(args), dict(sample.options))

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


# Random programs


def both(f):
    """The step that computes with the last array and an earlier one of the same shape."""

    def step(rng, x, earlier):
        same = [each for each in earlier if each.shape == x.shape]
        return f(x, same[rng.integers(len(same))])

    return step


def one(f):
    return lambda rng, x, earlier: f(x)


def drawn(f):
    return lambda rng, x, earlier: f(rng, x)


def overwritten(rng, x):
    y = np.copy(x)
    k = int(rng.integers(x.shape[0]))
    y[k] = x[k - 1] * 2.0
    y[:, 0] *= x[:, -1]
    return y


def put_together(rng, x):
    y = tnp.zeros(x.shape)
    np.add.at(y, rng.integers(x.shape[0], size=x.shape[0]), x)
    return y


def mirrored(x):
    return np.pad(x, ((1, 1), (0, 0)), mode="reflect")[1:-1] if x.shape[0] > 1 else x


STEPS = {
    "sin": one(np.sin),
    "tanh": one(np.tanh),
    "square": one(np.square),
    "scaled": one(lambda x: 0.5 * x + 1.0),
    "add": both(operator.add),
    "subtract": both(operator.sub),
    "multiply": both(operator.mul),
    "divide": both(lambda x, y: x / (2.0 + y * y)),
    "where": both(lambda x, y: np.where(x > 0.3, x, y)),
    "maximum": both(np.maximum),
    "transposed": one(np.transpose),
    "flipped": drawn(lambda rng, x: np.flip(x, int(rng.integers(2)))),
    "rolled": drawn(lambda rng, x: np.roll(x, int(rng.integers(-2, 3)), int(rng.integers(2)))),
    "reshaped": one(lambda x: x.reshape(x.shape[::-1])),
    "permuted": drawn(lambda rng, x: x[rng.integers(x.shape[0], size=x.shape[0])]),
    "taken": drawn(lambda rng, x: np.take(x, rng.permutation(x.shape[1]), axis=1)),
    "tril": one(np.tril),
    "neighbours": one(lambda x: np.concatenate([x[1:] - x[:-1], x[:1]])),
    "padded": one(lambda x: np.pad(x, ((1, 0), (0, 0)))[:-1]),
    "reflected": one(mirrored),
    "row sums": one(lambda x: x + np.sum(x, axis=1, keepdims=True)),
    "mean": one(lambda x: x - np.mean(x, axis=0)),
    "total": one(lambda x: x * np.sum(x[0])),
    "cumsum": drawn(lambda rng, x: np.cumsum(x, axis=int(rng.integers(2)))),
    "sorted": one(lambda x: np.sort(x, axis=0)),
    "largest": one(lambda x: x - np.max(x, axis=0)),
    "stacked": one(lambda x: np.stack([x[0], *x[1:]])),
    "repeated": one(lambda x: np.repeat(x[:1], x.shape[0], axis=0) * x),
    "product": drawn(lambda rng, x: rng.normal(size=(x.shape[0], x.shape[0])) @ x),
    "gram": one(lambda x: (x @ x.T) @ x),
    "einsum": one(lambda x: np.einsum("ij,kj->ij", x, x)),
    "outer": one(lambda x: np.outer(x[:, 0], x[0])),
    "solved": one(lambda x: np.linalg.solve(3.0 * np.eye(x.shape[0]), x)),
    "diagonal": one(lambda x: x * np.sum(np.diagonal(x))),
    "prefix": one(lambda x: np.concatenate([np.diff(x, axis=1), x[:, :1]], axis=1)),
    "convolved": one(lambda x: x + np.convolve(x[0], np.array([1.0, -2.0]), "same")),
    "spectrum": one(lambda x: np.real(np.fft.fft(x, axis=0))),
    "overwritten": drawn(overwritten),
    "put together": drawn(put_together),
    "constant": one(lambda x: x * 0.0 + ct.stop_gradient(x)),
}


def random_program(seed):
    """A program of 2 to 8 steps, and its argument."""
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(2, 5, size=2))
    names = rng.choice(list(STEPS), size=rng.integers(2, 9))

    def program(x):
        own = np.random.default_rng([seed, 1])
        values = [x]
        for name in names:
            y = STEPS[name](own, values[-1], values)
            values.append(y)
        return values[-1]

    return program, rng.uniform(-1.0, 1.0, shape), list(names)


def require_no_entry_missing(seed):
    program, x, names = random_program(seed)
    found = sparsity(program, x).pattern.toarray()
    expected = nonzeros(program, x)
    assert not np.any(expected & ~found), names


def require_none_missing(seeds):
    for seed in seeds:
        require_no_entry_missing(seed)


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_random_programs(first):
    require_none_missing(range(first, first + 50))


@pytest.mark.long
@pytest.mark.parametrize("first", range(200, 2000, 100))
def test_many_random_programs(first):
    require_none_missing(range(first, first + 100))


@pytest.mark.parametrize("seed", range(60))
def test_matrices_of_random_programs(seed):
    """The matrix along the colours is the dense one, by a pattern that is guarded."""
    program, x, names = random_program(seed)
    derivative = ct.jacobian(program, sparse=True)
    dense = ct.jacobian(program)(x).reshape(-1, x.size)
    np.testing.assert_allclose(derivative(x).toarray(), dense, atol=1e-9, err_msg=str(names))
    again = derivative(x)
    np.testing.assert_allclose(again.toarray(), dense, atol=1e-9, err_msg=str(names))


MUTANTS = {
    "a union of one side": ("united_with", lambda rows, other: rows),
    "the rows before those that are taken": (
        "taken",
        lambda rows, numbers: TAKEN(rows, np.where(numbers > 0, numbers - 1, numbers)),
    ),
    "a group of its first row": ("grouped", lambda rows, ends: TAKEN(rows, ends[:-1])),
}
TAKEN = Rows.taken


@pytest.mark.parametrize("name", MUTANTS)
def test_patterns_that_lack_entries_are_seen(monkeypatch, name):
    """The programs above find a structure that computes wrongly."""
    method, mutant = MUTANTS[name]
    monkeypatch.setattr(Rows, method, mutant)
    with pytest.raises((AssertionError, IndexError, ValueError)):
        require_none_missing(range(30))
