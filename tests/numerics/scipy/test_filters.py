"""scipy.signal and scipy.ndimage: sections of filters, spectra, and axes in any order."""

import numpy as np
import pytest
from scipy import ndimage, signal

from chainrules_py import ZERO, rrule
from chainrules_py.tangents import entries
from chainrules_tape import vmap
from chainrules_tape.scipy import ndimage as traced_ndimage, signal as traced


def test_sections_in_a_list_have_the_derivative_of_an_array():
    sections, x = signal.butter(2, 0.3, output="sos"), np.sin(np.arange(40.0))
    by_list, of_list = rrule(signal.sosfiltfilt, sections.tolist(), x)[1](np.ones(40))
    by_array, of_array = rrule(signal.sosfiltfilt, sections, x)[1](np.ones(40))
    rows = [[*entries(row).values()] for row in entries(by_list).values()]
    np.testing.assert_allclose(rows, by_array)
    np.testing.assert_allclose(of_list, of_array)


def test_examples_whose_sections_differ_in_length_are_filtered_one_by_one():
    x = np.sin(np.arange(40.0))
    sections = np.stack([signal.butter(n, 0.3, output="sos") for n in (3, 4)])
    expected = [signal.sosfiltfilt(each, x) for each in sections]
    np.testing.assert_allclose(vmap(lambda s: traced.sosfiltfilt(s, x))(sections), expected)


@pytest.mark.parametrize("narrow", [np.uint8, np.float32])
def test_a_cross_spectrum_with_a_narrower_constant_keeps_its_digits(narrow):
    x, y = np.array([3, 1, 4, 1, 5, 9, 2], narrow), np.cos(np.arange(7.0))
    bars = ZERO, np.ones(3, complex)
    found, expected = [
        rrule(signal.csd, each, y, nperseg=4)[1](bars)[1] for each in (x, x.astype(float))
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-13)


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
    together = vmap(lambda image: traced_ndimage.gaussian_laplace(image, **options))(images)
    one_by_one = [ndimage.gaussian_laplace(image, **options) for image in images]
    np.testing.assert_allclose(together, one_by_one, atol=1e-12)
