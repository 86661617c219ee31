"""A primitive's methods that autograd has deprecated: the same declarations on both, with the same
numbers.
"""

import numpy as np
import pytest

from chainrules_tape import autograd as ours
from chainrules_tape.autograd import core as our_core

theirs = pytest.importorskip("autograd", reason="autograd is not installed (extra: autograd)")
from autograd import core as their_core  # noqa: E402

X, W = np.array([[0.5, 1.5], [2.5, 0.25]]), np.array([[2.0, 3.0], [1.0, -1.0]])


def by_defgrad(product):
    product.defgrad(lambda y, x, w: lambda g: 2 * g * x * w)
    product.defgrad(lambda y, x, w: lambda g: g * x**2, argnum=1)


def by_defvjp(product):
    product.defvjp(lambda g, y, space, y_space, x, w: g * space.size * x * w / 2)
    product.defvjp(lambda g, y, space, y_space, x, w: g * x**2 * y_space.size / 4, argnum=1)


def by_zeros(product):
    product.defvjp_is_zero([0, 1])


@pytest.mark.parametrize("declare", [by_defgrad, by_defvjp, by_zeros])
def test_pullbacks_by_methods(declare):
    found = []
    for engine, core in ((ours, our_core), (theirs, their_core)):
        product = core.primitive(lambda x, w: x**2 * w)
        with pytest.warns(Warning, match="deprecated"):
            declare(product)
        numbers = engine.numpy

        def loss(x, w, product=product, numbers=numbers):
            return numbers.sum(product(x, w))

        found.append([engine.grad(loss, argnum)(X, W) for argnum in (0, 1)])
    np.testing.assert_allclose(found[0], found[1])
