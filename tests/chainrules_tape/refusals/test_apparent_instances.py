"""Objects in the place of those of other classes, as `isinstance` and NumPy see them."""

import numpy as np
from scipy import interpolate, stats
from scipy.spatial import transform

from chainrules_tape import grad
from chainrules_tape.refusals.apparent_instances import ApparentInstance
from chainrules_tape.scipy import interpolate as own_interpolate, stats as own_stats
from chainrules_tape.scipy.spatial.transform import Rotation

X = np.arange(4.0)


def test_they_count_as_instances_of_the_class_that_they_stand_for():
    seen = {}

    def f(x):
        seen["flat"] = x.flat, np.flatiter
        seen["interpolant"] = own_interpolate.CubicSpline(X, x), interpolate.CubicSpline
        seen["rotation"] = Rotation.from_rotvec(x[:3]), transform.Rotation
        seen["distribution"] = own_stats.norm, type(stats.norm)
        seen["frozen"] = own_stats.norm(x[0]), type(stats.norm())
        return np.sum(x)

    grad(f)(X)
    for found, cls in seen.values():
        assert isinstance(found, cls)
        assert found.__class__ is cls
        assert isinstance(found, ApparentInstance)
        assert type(found) is not cls


def test_numpy_computes_with_the_traced_array_for_which_one_stands():
    np.testing.assert_array_equal(grad(lambda x: np.sum(np.square(x.flat)))(X), 2 * X)
    np.testing.assert_array_equal(grad(lambda x: np.dot(X, x.flat))(X), X)
