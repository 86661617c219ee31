"""Distances of traced points: SciPy's values, and derivatives as differences have them."""

import numpy as np
import pytest
from scipy.spatial import distance

from chainrules_py import OptionError
from chainrules_tape import grad, jvp, value_and_grad, vmap
from chainrules_tape.scipy.spatial import distance as ours

A = np.array([[0.3, -0.5, 1.2], [0.1, 0.9, -0.4], [0.7, 0.2, 0.6]])
B = np.array([[1.35, 0.52, 0.17], [-0.12, 0.31, 0.83]])
NAMES = sorted(ours.METRICS)


def require_agreement(f, x):
    """Raise unless value and gradient of a function of SciPy's module, or ours, are those of plain
    values.
    """
    value, found = value_and_grad(lambda x: f(ours, x))(x)
    assert value == pytest.approx(f(distance, x), rel=1e-12)
    slopes = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[index] = 1e-6
        slopes[index] = (f(distance, x + step) - f(distance, x - step)) / 2e-6
    assert np.allclose(found, slopes, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", NAMES)
def test_between_two_points(name):
    require_agreement(lambda m, x: getattr(m, name)(x, list(B[0])), A[0])


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
def test_between_all_points(name):
    weights = np.arange(1.0, 7.0).reshape(3, 2)
    require_agreement(lambda m, x: np.sum(weights * m.cdist(x, B, name)), A)
    require_agreement(lambda m, x: np.sum(np.arange(1.0, 4.0) * m.pdist(x, metric=name)), A)


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


def test_the_square_form_of_distances_and_back():
    weights = np.arange(9.0).reshape(3, 3)
    require_agreement(lambda m, x: np.sum(weights * m.squareform(m.pdist(x))), A)
    require_agreement(
        lambda m, x: np.sum(np.arange(3.0) * m.squareform(m.cdist(x, x, "sqeuclidean"))), A
    )
    require_agreement(lambda m, x: np.sum(m.squareform(m.pdist(x[:1]))) + np.sum(x), A)


def test_powers():
    require_agreement(lambda m, x: m.minkowski(x, B[0], 3), A[0])
    require_agreement(lambda m, x: np.sum(m.cdist(x, B, "minkowski", p=1.5)), A)


WEIGHTS = np.array([0.7, 1.3, 0.0])
FACTOR = np.array([[1.1, 0.2, -0.3], [0.4, 0.9, 0.1], [0.3, -0.2, 1.4]])
OPTIONS = {
    **{name: ({"w": WEIGHTS}, lambda x: {"w": WEIGHTS + x[0] ** 2}) for name in NAMES},
    "minkowski": ({"p": 3.0, "w": WEIGHTS}, lambda x: {"w": WEIGHTS + x[0] ** 2, "p": 1.5}),
    "mahalanobis": ({"VI": FACTOR @ FACTOR.T}, lambda x: {"VI": x.T @ x + FACTOR @ FACTOR.T}),
    "seuclidean": ({"V": [0.5, 1.3, 0.2]}, lambda x: {"V": x[0] ** 2 + 0.1}),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options_of_distances(name):
    """Constant ones, and such as depend on the points."""
    constant, traced = OPTIONS[name]
    weights = np.arange(1.0, 7.0).reshape(3, 2)
    require_agreement(lambda m, x: getattr(m, name)(x, B[0], **constant), A[0])
    require_agreement(lambda m, x: getattr(m, name)(x[1], B[0], **traced(x)), A)
    for given in (lambda x: constant, traced):
        require_agreement(
            lambda m, x, given=given: np.sum(weights * m.cdist(x, B, name, **given(x))), A
        )
        require_agreement(
            lambda m, x, given=given: m.pdist(x, name, **given(x)) @ [1.0, 2.0, 3.0], A
        )


@pytest.mark.parametrize("name", ["mahalanobis", "seuclidean"])
def test_distances_in_units_of_the_variances_of_the_points(name):
    points = np.random.default_rng(5).normal(size=(8, 3))
    weights = np.arange(16.0).reshape(8, 2)
    require_agreement(lambda m, x: np.sum(weights * m.cdist(x, B, name)), points)
    require_agreement(lambda m, x: np.sum(np.arange(28.0) * m.pdist(x, name)), points)


def test_distances_of_probabilities():
    p, q = np.abs(A), np.abs(A[::-1]) + 0.2
    assert grad(lambda x: ours.jensenshannon(x, p[0]))(p[0]) == pytest.approx(np.zeros(3))
    require_agreement(lambda m, x: m.jensenshannon(x[0], q[0], 2.0), p)
    require_agreement(lambda m, x: np.sum(m.jensenshannon(x, q, axis=1, keepdims=True) * A), p)


@pytest.mark.parametrize("name", OPTIONS)
def test_points_that_are_equal_have_no_slope_or_a_finite_one(name):
    constant, _ = OPTIONS[name]
    found = grad(lambda x: getattr(ours, name)(x, A[0], **constant))(A[0])
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


def test_many_matrices_of_distances_at_once():
    examples = np.random.default_rng(3).random((2, 4, 3))

    def there_and_back(x):
        square = ours.squareform(ours.pdist(x))
        return np.sum(square**3) + np.sum(ours.squareform(square * square) * np.arange(6.0))

    each = [grad(there_and_back)(x) for x in examples]
    np.testing.assert_allclose(vmap(grad(there_and_back))(examples), each, rtol=1e-12)


@pytest.mark.parametrize("points", [A, A[:, ::-1] * 1.1])
def test_the_point_that_is_farthest_from_the_other_points(points):
    require_agreement(lambda m, x: m.directed_hausdorff(x, B)[0], points)
    require_agreement(lambda m, x: m.directed_hausdorff(B, x)[0], points)
    seen = []
    grad(lambda x: seen.append(ours.directed_hausdorff(x, B)) or seen[0][0])(points)
    assert tuple(map(int, seen[0][1:])) == distance.directed_hausdorff(points, B)[1:]
