"""Derivatives of a pullback, or of a pushforward, that takes a batch of tangents at one point, as in
the gradient of a loss of a Jacobian: they are those of one tangent after the other.

There, arguments of rules without lanes meet others with lanes, and have one cotangent for all.
"""

import warnings

import numpy as np
import optree
import pytest
from scipy import linalg

from chainrules_py.testing.coordinates import Layout
from chainrules_py.testing.random_tangents import random_tangent, seeded
from chainrules_py.testing.samples import Tag
from chainrules_tape import grad, jacobian, jvp, vjp, vmap
from chainrules_tape.core.levels import call
from sampled_calls import cases_with_tangents, interceptable

BATCH = range(3)
SPECIAL = {Tag.EMPTY, Tag.KINK, Tag.TIE, Tag.DOMAIN}


def is_dense(x):
    return (
        isinstance(x, np.ndarray | float | complex | np.inexact)
        and np.asarray(x).dtype.kind in "fc"
    )


def parameters():
    """One sample of each function with a second derivative, as a function of the arguments that
    have one.
    """
    seen = set()
    for case in cases_with_tangents():
        if case.primal in seen or not case.sample.second_order or case.sample.tags & SPECIAL:
            continue
        primal, args, options = case.settings.rules.canonical(
            case.primal, case.sample.args, dict(case.sample.options)
        )
        settings = case.effective_settings()
        chosen = [
            i for i, arg in enumerate(args) if Layout((arg,)).size and i not in settings.fixed
        ]

        called = interceptable(primal)

        def function(*values, called=called, args=args, chosen=chosen, options=options):
            replaced = dict(zip(chosen, values, strict=True))
            return called(*(replaced.get(i, arg) for i, arg in enumerate(args)), **options)

        points = tuple(args[i] for i in chosen)
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            y = primal(*args, **options)
        if points and all(map(is_dense, (y, *points))):
            seen.add(case.primal)
            name = case.name.removesuffix("-reverse")
            yield pytest.param(name, function, points, y, id=name, marks=pytest.mark.long)


def drawn(rng, values):
    return tuple(random_tangent(rng, value) for value in values)


def sums(trees):
    return optree.tree_map(lambda *parts: sum(parts), *trees)


def stacked(trees):
    return optree.tree_map(lambda *parts: np.stack([np.asarray(part) for part in parts]), *trees)


@pytest.mark.parametrize(("name", "function", "points", "y"), [*parameters()])
@pytest.mark.parametrize("mode", ["pullback", "pushforward"])
@pytest.mark.filterwarnings("ignore")
def test_derivatives_of_a_batch_of_tangents_at_one_point(mode, name, function, points, y):
    rng = seeded(name, seed=0)

    def of_one(tangents, *points):
        if mode == "pullback":
            return vjp(function, *points)[1](*tangents)
        return (jvp(function, points, tangents)[1],)

    batch = [drawn(rng, (y,) if mode == "pullback" else points) for _ in BATCH]

    def of_all(*points):
        return vmap(lambda *tangents: of_one(tangents, *points))(*stacked(batch))

    def alone(number):
        return lambda *points: of_one(batch[number], *points)

    results = [alone(number)(*points) for number in BATCH]
    seeds = [drawn(rng, result) for result in results]
    along = drawn(rng, points)

    bars = vjp(of_all, *points)[1](stacked(seeds))
    one_by_one = [vjp(alone(number), *points)[1](seeds[number]) for number in BATCH]
    assert_close(bars, sums(one_by_one))

    dots = jvp(of_all, points, along)[1]
    assert_close(dots, stacked([jvp(alone(number), points, along)[1] for number in BATCH]))


def assert_close(found, expected):
    for one, other in zip(optree.tree_leaves(found), optree.tree_leaves(expected), strict=True):
        assert np.shape(one) == np.shape(other)
        size = 1 + np.max(np.abs(other), initial=0)
        np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-7 * size)


MATRIX = np.array([[0.4, 0.9], [0.2, 1.7]])


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("f", [linalg.expm, linalg.sinhm, np.linalg.det, np.linalg.pinv])
def test_gradient_of_a_loss_of_a_jacobian(f, mode):
    def loss(a):
        return np.sum(np.sin(jacobian(lambda a: call(f, (a,), {}), mode=mode)(a)))

    along = np.array([[1.0, -0.5], [0.3, 2.0]])
    slope = (loss(MATRIX + 1e-6 * along) - loss(MATRIX - 1e-6 * along)) / 2e-6
    np.testing.assert_allclose(np.sum(grad(loss)(MATRIX) * along), slope, rtol=1e-6)
