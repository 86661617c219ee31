"""Distances of traced points where they are zero, large or small; derivatives elsewhere are cells of
`product`.
"""

import numpy as np
import pytest
from scipy.spatial import distance

from chainrules_py import OptionError
from chainrules_tape import grad, jvp, value_and_grad
from chainrules_tape.scipy.spatial import distance as ours

A = np.array([[0.3, -0.5, 1.2], [0.1, 0.9, -0.4], [0.7, 0.2, 0.6]])
B = np.array([[1.35, 0.52, 0.17], [-0.12, 0.31, 0.83]])
NAMES = sorted(ours.METRICS)


@pytest.mark.parametrize("name", [*NAMES, "minkowski", "mahalanobis", "jensenshannon"])
def test_points_of_single_precision_have_distances_of_scipys(name):
    u, v = np.abs(A[:2]).astype(np.float32)
    inverse = [np.eye(3, dtype=np.float32)] if name == "mahalanobis" else []
    value, slope = value_and_grad(lambda x: getattr(ours, name)(x, v, *inverse))(u)
    expected = getattr(distance, name)(u, v, *inverse)
    assert value == pytest.approx(expected, rel=1e-6)
    assert (value * u).dtype == (expected * u).dtype  # some of SciPy's are Python's floats
    assert slope.dtype == np.float32


@pytest.mark.parametrize("name", NAMES)
def test_points_that_are_zero_along_the_same_axis(name):
    points = np.array([[0.3, 0.0, 1.2], [0.9, 0.0, -0.4]])
    value, found = value_and_grad(lambda x: getattr(ours, name)(x, points[1]))(points[0])
    assert value == pytest.approx(getattr(distance, name)(*points), rel=1e-12)
    assert np.isfinite(found).all()
    value = value_and_grad(lambda x: np.sum(ours.pdist(x, name)))(points)[0]
    assert value == pytest.approx(np.sum(distance.pdist(points, name)), rel=1e-12)


@pytest.mark.parametrize("scale", [1e-100, 1e100])
@pytest.mark.parametrize("name", ["cosine", "correlation"])
def test_second_derivatives_of_distances_that_have_no_scale(name, scale):
    def second(scale):
        slope = grad(lambda x: np.sum(ours.cdist(x, scale * B, name)))
        return scale * jvp(slope, (scale * A,), (scale * A[::-1],))[1]

    np.testing.assert_allclose(second(scale), second(1.0), rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_second_derivatives_of_roots_of_squares_that_are_nearly_out_of_range(scale):
    inverse = np.array([[2.0, 0.3, 0.1], [0.3, 1.0, -0.2], [0.1, -0.2, 1.5]])

    def second(scale):
        slope = grad(lambda u: ours.mahalanobis(u, scale * B[0], inverse))
        return jvp(slope, (scale * A[0],), (scale * A[1],))[1]

    np.testing.assert_allclose(second(scale), second(1.0), rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e200])
def test_distances_of_two_points_that_are_far_or_near(scale):
    u, v = scale * A[0], scale * A[1]
    for between, degree in (
        (ours.euclidean, 1),
        (lambda u, v: ours.minkowski(u, v, 3), 1),
        (lambda u, v: ours.cdist(u[None], v[None])[0, 0], 1),
        (lambda u, v: ours.pdist(np.stack([u, v]), "minkowski", p=3)[0], 1),
        (ours.cosine, 0),
    ):
        value, slope = value_and_grad(between)(u, v)
        assert value == pytest.approx(scale**degree * between(A[0], A[1]), rel=1e-12)
        expected = grad(between)(A[0], A[1])
        np.testing.assert_allclose(slope * scale ** (1 - degree), expected, rtol=1e-12)


def test_distances_of_probabilities_that_are_equal_or_zero():
    p, q = np.abs(A[:2])
    assert grad(lambda x: ours.jensenshannon(x, p))(p) == pytest.approx(np.zeros(3))
    found = grad(ours.jensenshannon)(np.append(p, 0.0), np.append(q, 0.0))
    np.testing.assert_allclose(found[:3], grad(ours.jensenshannon)(p, q), rtol=1e-12)
    assert np.isfinite(found[3])


OPTIONS = {name: {} for name in NAMES} | {
    "minkowski": {"p": 3.0},
    "mahalanobis": {"VI": np.diag([1.1, 0.9, 1.4])},
    "seuclidean": {"V": [0.5, 1.3, 0.2]},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_points_that_are_equal_have_no_slope_or_a_finite_one(name):
    found = grad(lambda x: getattr(ours, name)(x, A[0], **OPTIONS[name]))(A[0])
    assert np.isfinite(found).all()
    if name not in ("cosine", "correlation"):
        np.testing.assert_array_equal(found, 0.0)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: ours.euclidean(x, B[0], p=2.0),
        lambda x: np.sum(ours.cdist(x[None], B, "hamming")),
        lambda x: np.sum(ours.cdist(x[None], B, "euclidean", V=np.ones(3))),
    ],
)
def test_what_is_not_known_is_refused(f):
    with pytest.raises(OptionError):
        grad(f)(A[0])


@pytest.mark.parametrize("points", [A, A[:, ::-1] * 1.1])
def test_the_point_that_is_farthest_from_the_other_points(points):
    seen = []
    grad(lambda x: seen.append(ours.directed_hausdorff(x, B)) or seen[0][0])(points)
    assert tuple(map(int, seen[0][1:])) == distance.directed_hausdorff(points, B)[1:]
