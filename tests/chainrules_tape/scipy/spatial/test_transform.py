"""Rotations as objects, angles about all axes, and what is refused; derivatives are cells of
`product.sampling`.
"""

import itertools
import pickle

import numpy as np
import pytest
from scipy.spatial import transform as scipys

from chainrules_py.errors import NotDifferentiableError, OptionError
from chainrules_tape import checkpoint, grad, jacobian, jvp, seen_through, vjp
from chainrules_tape.scipy.spatial import transform as ours
from slopes import quotients

RNG = np.random.default_rng(2)
VECTOR, VECTORS = RNG.normal(size=3), RNG.normal(size=(4, 3))
FIXED = RNG.normal(size=(4, 3))


AXES = ["".join(s) for s in itertools.product("xyz", repeat=3) if s[0] != s[1] != s[2]]


@pytest.mark.parametrize("seq", [*AXES, *map(str.upper, AXES)])
def test_angles_about_all_axes(seq):
    read = lambda module, v: module.Rotation.from_rotvec(v).as_euler(seq)  # noqa: E731
    np.testing.assert_allclose(
        vjp(lambda v: read(ours, v), VECTORS)[0], read(scipys, VECTORS), rtol=1e-9, atol=1e-12
    )


def test_a_constant_rotation_of_a_traced_vector():
    fixed = ours.Rotation.from_euler("z", 90, degrees=True)
    np.testing.assert_allclose(jacobian(fixed.apply)(VECTOR), fixed.as_matrix())
    assert isinstance(fixed, scipys.Rotation)
    assert isinstance(scipys.Rotation.identity(), ours.Rotation)
    assert np.array_equal(pickle.loads(pickle.dumps(fixed)).as_quat(), fixed.as_quat())


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


def test_a_plain_matrix_that_is_not_orthogonal_is_the_nearest_rotation():
    matrix = np.array([[0.9, -0.3, 0.2], [0.2, 1.1, -0.4], [-0.1, 0.5, 0.8]])
    found = ours.Rotation.from_matrix(matrix)
    np.testing.assert_allclose(
        found.as_rotvec(), scipys.Rotation.from_matrix(matrix).as_rotvec(), rtol=1e-12
    )


def test_a_checkpoint_around_a_rotation():
    def turned(v):
        return ours.Rotation.from_rotvec(v).as_matrix()

    slope = grad(lambda v: np.sum(turned(v) ** 3))(VECTOR)
    found = grad(lambda v: np.sum(checkpoint(turned)(v) ** 3))(VECTOR)
    np.testing.assert_allclose(found, slope, rtol=1e-12)
    for derivative in (grad, lambda f: lambda v: jvp(f, (v,), (v,))):
        with pytest.raises(NotDifferentiableError, match="Rotation as the result"):
            derivative(lambda v: checkpoint(ours.Rotation.from_rotvec)(v).as_matrix()[0, 0])(VECTOR)
