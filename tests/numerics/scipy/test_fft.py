"""scipy.fft: JAX's discrete cosine transforms, and their axes."""

import importlib

import numpy as np
import pytest
from scipy import fft

from chainrules_py import rrule
from chainrules_tape import grad

traced = importlib.import_module("chainrules_tape.scipy.fft")


@pytest.mark.parametrize("name", ["dct", "idct", "dctn", "idctn"])
def test_cosine_transforms_are_those_of_jax(name):
    jax = pytest.importorskip("jax")
    theirs = getattr(jax.scipy.fft, name)
    x = np.array([[0.3, -1.2, 2.0, 0.7], [1.1, 0.2, -0.4, 0.9]])
    weights = np.arange(8.0).reshape(2, 4)
    with jax.enable_x64(True):
        expected = jax.grad(lambda x: (weights * theirs(x, norm="ortho") ** 2).sum())(x)
    found = grad(lambda x: np.sum(weights * getattr(traced, name)(x, norm="ortho") ** 2))(x)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("axes", [np.int64(1), [0], (0, 1), None])
def test_axes_of_cosine_transforms(axes):
    x, y_bar = np.random.default_rng(0).normal(size=(2, 3, 4))
    (x_bar,) = rrule(fft.dctn, x, axes=axes)[1](y_bar)
    along = np.sum(y_bar * fft.dctn(x, axes=axes))
    np.testing.assert_allclose(np.sum(x_bar * x), along, rtol=1e-12)
