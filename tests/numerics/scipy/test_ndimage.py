"""scipy.ndimage: JAX's map_coordinates; pictures that are
moved and moved back.
"""

import importlib

import numpy as np
import pytest
from scipy import ndimage

import chainrules_tape.scipy
from chainrules_py import OptionError, batched, rrule
from chainrules_tape import grad, hessian, jacobian, vmap

traced = importlib.import_module("chainrules_tape.scipy.ndimage")


IMAGE = np.random.default_rng(0).normal(size=(5, 6))
POINTS = np.random.default_rng(1).uniform(0.2, 3.8, size=(2, 7))


@pytest.mark.parametrize("mode", ["constant", "nearest", "mirror", "reflect"])
def test_linear_interpolation_is_that_of_jax(mode):
    jax = pytest.importorskip("jax")
    theirs = jax.scipy.ndimage.map_coordinates
    points = POINTS + np.array([[0.0], [2.5]])  # some of them outside
    # JAX interpolates between the edge and what is outside, too
    own = "grid-constant" if mode == "constant" else mode
    with jax.enable_x64(True):
        expected = jax.grad(lambda x, p: (theirs(x, [*p], order=1, mode=mode) ** 2).sum(), (0, 1))(
            IMAGE, points
        )
    ours = grad(
        lambda x, p: np.sum(traced.map_coordinates(x, p, order=1, mode=own) ** 2), argnums=(0, 1)
    )(IMAGE, points)
    for found, right in zip(ours, expected, strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-12, atol=1e-12)


def test_slopes_of_a_spline_through_a_polynomial():
    x = np.arange(60.0)
    found = jacobian(lambda p: traced.map_coordinates((x / 30) ** 3, p, order=3))(
        np.array([[28.3, 30.0, 31.7]])
    )
    np.testing.assert_allclose(
        found[:, 0].diagonal(), np.array([28.3, 30.0, 31.7]) ** 2 / 9000, rtol=1e-9
    )


def test_second_derivatives_of_a_quintic_spline():
    p = np.array([[1.3, 2.6], [2.2, 3.7]])
    found = hessian(lambda p: np.sum(traced.map_coordinates(IMAGE, p, order=5, mode="mirror")))(p)
    h = 1e-4
    for axis in (0, 1):
        ahead, here, behind = (
            ndimage.map_coordinates(
                IMAGE, p + s * h * np.eye(2)[axis][:, None], order=5, mode="mirror"
            )
            for s in (1, 0, -1)
        )
        np.testing.assert_allclose(
            found[axis, :, axis, :].diagonal(), (ahead - 2 * here + behind) / h**2, rtol=1e-4
        )


def test_a_filter_of_ones_keeps_what_is_inside():
    weights = grad(lambda w: np.sum(traced.convolve(np.ones((5, 5)), w, mode="constant")))(
        np.ones((3, 3))
    )
    np.testing.assert_allclose(weights, [[16, 20, 16], [20, 25, 20], [16, 20, 16]])


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (ndimage.median_filter, {"footprint": np.array([[0, 1, 1], [1, 1, 0]])}),
        (ndimage.maximum_filter, {"size": (2, 3)}),
        (ndimage.gaussian_laplace, {"sigma": (0.5, 0.8)}),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_axes_in_another_order_with_values_for_each_are_refused(function, options):
    image = np.random.default_rng(0).normal(size=(4, 5))
    with pytest.raises(OptionError, match=r"write axes=\(0, 1\), and the values in this order"):
        rrule(function, image, axes=(1, 0), **options)[1](image)


def test_axes_in_another_order_with_one_value_for_all():
    image = np.random.default_rng(0).normal(size=(4, 5))
    one, other = (
        rrule(ndimage.median_filter, image, size=3, axes=axes)[1](image)
        for axes in ((0, 1), (1, 0))
    )
    np.testing.assert_array_equal(one, other)


def test_lanes_of_a_filter_with_axes_in_another_order():
    images = np.random.default_rng(0).normal(size=(3, 4, 5))
    options = {"sigma": (0.5, 0.9), "axes": (1, 0)}
    ours = chainrules_tape.scipy.ndimage.gaussian_laplace
    together = vmap(lambda image: ours(image, **options))(images)
    one_by_one = [ndimage.gaussian_laplace(image, **options) for image in images]
    np.testing.assert_allclose(together, one_by_one, atol=1e-12)


def test_the_variance_of_complex_numbers_is_refused():
    with pytest.raises(TypeError, match="add the variances of their real and imaginary parts"):
        rrule(ndimage.variance, np.ones((2, 3), complex))[1](1.0)


def test_single_precision_stays():
    assert (
        grad(lambda x: np.sum(traced.gaussian_filter(x, 1.0)))(IMAGE.astype(np.float32)).dtype
        == np.float32
    )
    found = grad(lambda x: np.sum(traced.map_coordinates(x, POINTS)))(IMAGE.astype(np.float32))
    assert found.dtype == np.float32


@pytest.mark.parametrize("axes", [0, 1, (1,), None])
@pytest.mark.parametrize("function", [ndimage.median_filter, ndimage.uniform_filter])
def test_one_axis_of_each_image_in_lanes(function, axes):
    images = np.random.default_rng(0).normal(size=(2, 3, 4))
    found = batched(function, (True,), images, size=3, axes=axes)
    expected = [function(image, size=3, axes=axes) for image in images]
    np.testing.assert_array_equal(found, expected)
