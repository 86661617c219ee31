"""Projecting onto structured matrices is the orthogonal projection, for every structure that can be
declared.
"""

import numpy as np
import pytest

from chainrules_py.projection import ProjectTo
from chainrules_py.projection.structured import STRUCTURES
from chainrules_py.tangents import InplaceableThunk, unthunk

rng = np.random.default_rng(0)


def real_random(*shape):
    return rng.standard_normal(shape)


def random(*shape):
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


def is_lower(t):
    return not any(t[..., i, j].any() for i in range(3) for j in range(i + 1, 3))


def is_upper(t):
    return is_lower(t.swapaxes(-1, -2))


def has_diagonal(t, value):
    return all((t[..., i, i] == value).all() for i in range(3))


# What it means to be in each space, said without projecting.
MEMBERS = {
    "symmetric": lambda t: (t == t.swapaxes(-1, -2)).all(),
    "skew_symmetric": lambda t: (t == -t.swapaxes(-1, -2)).all(),
    "hermitian": lambda t: (t == t.swapaxes(-1, -2).conj()).all(),
    "skew_hermitian": lambda t: (t == -t.swapaxes(-1, -2).conj()).all(),
    "lower_triangular": is_lower,
    "upper_triangular": is_upper,
    "unit_lower_triangular": lambda t: is_lower(t) and has_diagonal(t, 0),
    "unit_upper_triangular": lambda t: is_upper(t) and has_diagonal(t, 0),
    "diagonal": lambda t: is_lower(t) and is_upper(t),
}


def inner(a, b):
    return np.vdot(a, b).real


@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3)])
@pytest.mark.parametrize("make", [real_random, random])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_is_the_orthogonal_projection(structure, make, shape):
    t, other = make(*shape), make(*shape)
    project = ProjectTo(make(*shape), structure)
    result = project(t)
    assert MEMBERS[structure](result)
    assert (result.dtype, result.shape) == (t.dtype, shape)
    np.testing.assert_array_equal(project(result), result)
    assert abs(inner(t - result, project(other))) < 1e-12


def test_every_structure_has_its_meaning_tested():
    assert MEMBERS.keys() == STRUCTURES.keys()


def test_any_linear_function():
    result = ProjectTo(np.ones((2, 2)), lambda t, xp: xp.flip(t) + t)(
        np.array([[1.0, 2.0], [3.0, 4.0]])
    )
    np.testing.assert_array_equal(result, [[5, 5], [5, 5]])


def test_a_scatter_is_only_a_thunk_afterwards():
    t = InplaceableThunk(
        lambda buffer: None, lambda: np.array([[0.0, 2.0], [0.0, 0.0]]), lambda: np.zeros((2, 2))
    )
    result = ProjectTo(np.ones((2, 2)), "symmetric")(t)
    assert not isinstance(result, InplaceableThunk)
    np.testing.assert_array_equal(unthunk(result), [[0, 1], [1, 0]])
