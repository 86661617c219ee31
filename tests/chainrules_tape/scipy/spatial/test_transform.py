"""Rotations of traced vectors, angles, matrices and quaternions: SciPy's values, and finite
differences of them.
"""

import itertools
import pickle

import numpy as np
import pytest
from scipy.spatial import transform as scipys

from chainrules_py.errors import OptionError
from chainrules_tape import grad, hessian, jacobian, seen_through, vjp, vmap
from chainrules_tape.scipy.spatial import transform as ours
from slopes import quotients

RNG = np.random.default_rng(2)
VECTOR, VECTORS = RNG.normal(size=3), RNG.normal(size=(4, 3))
QUATERNION, QUATERNIONS = RNG.normal(size=4), RNG.normal(size=(4, 4))
MATRIX = scipys.Rotation.from_rotvec(VECTOR).as_matrix() + 0.01 * RNG.normal(size=(3, 3))
FIXED = RNG.normal(size=(4, 3))
PLACES = {
    "a vector": (lambda m, x: m.Rotation.from_rotvec(x), VECTOR),
    "a vector of zeros": (lambda m, x: m.Rotation.from_rotvec(x), np.zeros(3)),
    "a small vector": (lambda m, x: m.Rotation.from_rotvec(x), VECTOR * 4e-3),
    "a vector in degrees": (lambda m, x: m.Rotation.from_rotvec(x, degrees=True), 40 * VECTOR),
    "vectors": (lambda m, x: m.Rotation.from_rotvec(x), VECTORS),
    "a quaternion": (lambda m, x: m.Rotation.from_quat(x), QUATERNION),
    "quaternions, the scalar first": (
        lambda m, x: m.Rotation.from_quat(x, scalar_first=True),
        QUATERNIONS,
    ),
    "a matrix that is not orthogonal": (lambda m, x: m.Rotation.from_matrix(x), MATRIX),
    "one angle": (lambda m, x: m.Rotation.from_euler("y", x), np.array(0.7)),
    "angles": (lambda m, x: m.Rotation.from_euler("xyz", x), VECTOR),
    "angles about axes that turn": (
        lambda m, x: m.Rotation.from_euler("ZXZ", x, degrees=True),
        30 * VECTORS,
    ),
    "parameters": (lambda m, x: m.Rotation.from_mrp(x), 0.3 * VECTOR),
    "two rotations": (
        lambda m, x: m.Rotation.from_rotvec(x) * m.Rotation.from_rotvec(x[::-1] * 0.3),
        VECTOR,
    ),
    "the way back": (lambda m, x: m.Rotation.from_rotvec(x).inv(), VECTORS),
    "a power": (lambda m, x: m.Rotation.from_rotvec(x) ** 0.3, VECTOR),
    "the mean": (lambda m, x: m.Rotation.from_rotvec(x).mean(), 0.5 * VECTORS),
    "a weighted mean": (
        lambda m, x: m.Rotation.from_rotvec(x).mean([0.1, 0.5, 0.2, 0.7]),
        0.5 * VECTORS,
    ),
    "a mean by the weights": (
        lambda m, x: m.Rotation.from_rotvec(0.5 * VECTORS).mean(x),
        np.array([0.1, 0.5, 0.2, 0.7]),
    ),
    "the mean of two": (lambda m, x: m.Rotation.from_rotvec(x).mean(), 0.5 * VECTORS[:2]),
    "a row": (lambda m, x: m.Rotation.from_rotvec(x)[1:3], VECTORS),
}
READ = {
    "matrix": lambda r, n: r.as_matrix(),
    "vector": lambda r, n: r.as_rotvec(),
    "quaternion": lambda r, n: r.as_quat(canonical=True),
    "angle": lambda r, n: r.magnitude(),
    "angles": lambda r, n: r.as_euler("zyx", degrees=True),
    "parameters": lambda r, n: r.as_mrp(),
    "turned": lambda r, n: r.apply(FIXED[:n] if n else FIXED),
    "turned back": lambda r, n: r.apply(FIXED[0], inverse=True),
}


@pytest.mark.parametrize("read", READ)
@pytest.mark.parametrize("made_of", PLACES)
def test_values_and_derivatives(made_of, read):
    make, x = PLACES[made_of]
    if made_of == "a vector of zeros" and read == "angle":
        pytest.skip("the angle has a kink there")
    shape = make(scipys, x).as_quat().shape
    count = shape[0] if len(shape) > 1 else 0
    at = lambda module, x: READ[read](make(module, x), count)  # noqa: E731
    np.testing.assert_allclose(
        vjp(lambda x: at(ours, x), x)[0], at(scipys, x), rtol=1e-9, atol=1e-12
    )
    slope = jacobian(lambda x: at(ours, x))(x)
    expected = quotients(lambda x: np.asarray(at(scipys, x)), x).reshape(slope.shape)
    np.testing.assert_allclose(slope, expected, rtol=1e-6, atol=1e-7)


AXES = ["".join(s) for s in itertools.product("xyz", repeat=3) if s[0] != s[1] != s[2]]


@pytest.mark.parametrize("seq", [*AXES, *map(str.upper, AXES)])
def test_angles_about_all_axes(seq):
    read = lambda module, v: module.Rotation.from_rotvec(v).as_euler(seq)  # noqa: E731
    np.testing.assert_allclose(
        vjp(lambda v: read(ours, v), VECTORS)[0], read(scipys, VECTORS), rtol=1e-9, atol=1e-12
    )


def test_second_derivatives_at_no_rotation():
    turned = lambda module, v: module.Rotation.from_rotvec(v).apply(VECTOR) @ FIXED[0]  # noqa: E731
    steps = 1e-3 * np.eye(3)
    expected = [
        [
            sum(s * t * turned(scipys, s * a + t * b) for s in (1, -1) for t in (1, -1)) / 4e-6
            for b in steps
        ]
        for a in steps
    ]
    np.testing.assert_allclose(hessian(lambda v: turned(ours, v))(np.zeros(3)), expected, atol=1e-5)


def test_a_constant_rotation_of_a_traced_vector():
    fixed = ours.Rotation.from_euler("z", 90, degrees=True)
    np.testing.assert_allclose(jacobian(fixed.apply)(VECTOR), fixed.as_matrix())
    assert isinstance(fixed, scipys.Rotation)
    assert isinstance(scipys.Rotation.identity(), ours.Rotation)
    assert np.array_equal(pickle.loads(pickle.dumps(fixed)).as_quat(), fixed.as_quat())


def test_second_derivatives_of_means_of_few_rotations():
    """The other eigenvalues are equal there; the mean of two is half of the path between them."""
    turn = np.array([0.3, -0.2, 0.5])
    angle = lambda t, weights: ours.Rotation.from_rotvec(turn * t).mean(weights).magnitude()  # noqa: E731
    along = lambda t: angle(np.stack([0.0 * t, t * t])[:, None], None)  # noqa: E731
    assert hessian(along)(0.8) == pytest.approx(np.linalg.norm(turn), rel=1e-9)
    alone = lambda t: angle(np.stack([t**3])[:, None], [2.0])  # noqa: E731
    assert hessian(alone)(0.8) == pytest.approx(4.8 * np.linalg.norm(turn), rel=1e-9)


def test_what_is_refused():
    with pytest.raises(OptionError, match="as_quat"):
        grad(lambda v: ours.Rotation.from_rotvec(v).reduce().magnitude())(VECTORS)


Rotation = scipys.Rotation


class Turned(Rotation):
    """A class that somebody derived."""


def turned_by_name(v):
    made = Rotation.from_rotvec(v)
    assert isinstance(made, Rotation)
    assert isinstance(scipys.Rotation.identity(), Rotation)
    assert issubclass(Turned, Rotation)
    return made.apply(FIXED[0])[0]


def test_a_class_that_a_module_has_imported_by_its_name():
    held = Rotation
    with seen_through(__name__):
        slope = grad(turned_by_name)(VECTOR)
    np.testing.assert_allclose(slope, quotients(turned_by_name, VECTOR), rtol=1e-6)
    assert Rotation is held


def turned(v):
    return scipys.Rotation.from_rotvec(v).apply(FIXED[0])[0]


def test_in_the_scope():
    with seen_through(__name__):
        np.testing.assert_allclose(grad(turned)(VECTOR), quotients(turned, VECTOR), rtol=1e-6)


IN_LANES = {
    "mean": lambda v: ours.Rotation.from_rotvec(np.stack([v, 0.5 * v, -0.1 * v[::-1]])).mean(),
    "weighted mean": lambda v: ours.Rotation.from_rotvec(np.stack([v, -v[::-1]])).mean(v[:2] ** 2),
    "of a matrix": lambda v: ours.Rotation.from_matrix(ours.Rotation.from_rotvec(v).as_matrix()),
    "of another matrix": lambda v: ours.Rotation.from_matrix(
        1.3 * ours.Rotation.from_rotvec(v).as_matrix()
    ),
}


@pytest.mark.parametrize("name", IN_LANES)
def test_many_rotations_at_once(name):
    examples = np.array([[0.1, 0.2, 0.3], [2.5, 0.3, 0.1], [0.1, 2.9, 0.2], [-0.3, 0.2, -3.0]])

    def entries(v):
        return np.sum(IN_LANES[name](v).as_matrix() * np.arange(9.0).reshape(3, 3))

    np.testing.assert_allclose(vmap(entries)(examples), [entries(v) for v in examples], rtol=1e-12)
    each = [grad(entries)(v) for v in examples]
    np.testing.assert_allclose(vmap(grad(entries))(examples), each, rtol=1e-9, atol=1e-10)


def test_a_plain_matrix_that_is_not_orthogonal_is_the_nearest_rotation():
    matrix = np.array([[0.9, -0.3, 0.2], [0.2, 1.1, -0.4], [-0.1, 0.5, 0.8]])
    found = ours.Rotation.from_matrix(matrix)
    np.testing.assert_allclose(
        found.as_rotvec(), scipys.Rotation.from_matrix(matrix).as_rotvec(), rtol=1e-12
    )
