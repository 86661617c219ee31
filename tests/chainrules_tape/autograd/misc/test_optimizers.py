"""Optimizers of containers, beside autograd's."""

import numpy as np
import pytest

from chainrules_tape import autograd as ours
from chainrules_tape.autograd.misc import optimizers

theirs = pytest.importorskip("autograd", reason="autograd is not installed (extra: autograd)")
from autograd.misc import optimizers as their_optimizers  # noqa: E402

P = {"w": np.array([[1.0, -2.0], [0.5, 3.0]]), "b": 2.0}


def descent(module):
    """An optimizer of a user's."""

    @module.unflatten_optimizer
    def descend(gradient, x, callback=None, steps=3, size=0.1):
        for i in range(steps):
            bar = gradient(x, i)
            if callback:
                callback(x, i, bar)
            x = x - size * bar
        return x

    return descend


def test_a_users_optimizer():
    found = []
    for engine, module in ((ours, optimizers), (theirs, their_optimizers)):

        def loss(p, i, engine=engine):
            return engine.numpy.sum(p["w"] ** 2) * (i + 1) + p["b"] ** 3

        seen = []
        end = descent(module)(
            engine.grad(loss), P, lambda p, i, bar, seen=seen: seen.append((p, bar)), size=0.05
        )
        found.append([end, *(part for both in seen for part in both)])
        assert descent(module).__name__ == "descend"
    for a, b in zip(*found, strict=True):
        assert a.keys() == b.keys()
        for key in a:
            np.testing.assert_allclose(a[key], b[key], rtol=1e-13)
