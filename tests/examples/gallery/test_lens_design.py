"""The lens has the powers of a thin achromat, and matrices of rays find its foci."""

import numpy as np
import pytest

pytest.importorskip("scipy")


def back_focus(design, indices):
    """Where a paraxial ray crosses the axis behind the last surface, and the focal length, by
    matrices of rays.
    """
    ray, before = np.array([1.0, 0.0]), 1.0
    for curvature, behind, thickness in zip(design, [*indices, 1.0], [6.0, 3.0, 0.0], strict=False):
        ray = np.array([[1, 0], [-(behind - before) * curvature / behind, before / behind]]) @ ray
        ray, before = np.array([[1, thickness], [0, 1]]) @ ray, behind
    return -ray[0] / ray[1], -1 / ray[1]


def indices(program, wavelength):
    return [program.index(glass, wavelength) for glass in (program.CROWN, program.FLINT)]


def test_both_ends_of_the_spectrum_have_one_focus(program, result):
    blue, red = (back_focus(result["design"], indices(program, w))[0] for w in (0.4861, 0.6563))
    # of the first glass, whose focal length alone differs by its 64th part between these colours
    abbe = 64.2
    assert abs(blue - red) < 0.1 * 100 / abbe
    assert np.isclose(back_focus(result["design"], indices(program, 0.5876))[1], 100.0, atol=0.01)
