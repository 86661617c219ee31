"""The adjoint system, by the factors of the matrix itself, and triangular systems, by substitution."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from chainrules_jax.linear_systems import solved_by_adjoint, solved_by_substitution
from chainrules_tape import grad

SHAPES = {
    "vector": ((3, 3), (3,)),
    "matrix": ((3, 3), (3, 2)),
    "stacks": ((4, 3, 3), (4, 3, 2)),
    "one matrix for a stack": ((3, 3), (4, 3, 2)),
    "a stack for one right-hand side": ((4, 3, 3), (3, 2)),
    "stacks that are broadcast": ((4, 1, 3, 3), (5, 3, 2)),
    "a vector for a stack": ((4, 3, 3), (3,)),
    "nothing": ((0, 0), (0, 2)),
}


def normal(shape, dtype, seed=0):
    parts = np.random.default_rng(seed).standard_normal((2, *shape))
    return (parts[0] + 1j * parts[1] if np.dtype(dtype).kind == "c" else parts[0]).astype(dtype)


@pytest.mark.parametrize(
    "dtypes", [(float, float), (complex, complex), (float, complex), (complex, float)]
)
@pytest.mark.parametrize("shapes", SHAPES.values(), ids=SHAPES)
def test_the_adjoint_system_is_solved(shapes, dtypes):
    a, b = map(normal, shapes, dtypes, (0, 1))
    with jax.enable_x64(True):
        found = solved_by_adjoint(a, b)
    expected = np.linalg.solve(a.conj().swapaxes(-1, -2), b)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_single_precision_stays_single():
    a, b = normal((3, 3), np.float32), normal((3,), np.float32)
    assert solved_by_adjoint(a, b).dtype == jnp.float32


@pytest.mark.parametrize("shapes", [((3, 3), (3,)), ((3, 3), (3, 2))])
def test_value_and_cotangents_need_one_factorisation(shapes):
    a, b = (normal(shape, np.float32) for shape in shapes)
    gradient = jax.jit(grad(lambda a, b: np.sum(np.linalg.solve(a, b) ** 2), argnums=(0, 1)))
    assert gradient.lower(a, b).compile().as_text().count("getrf") == 1


@pytest.mark.parametrize("of_adjoint", [False, True])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("stack", [(), (4,), (2, 3)])
def test_a_triangular_system_is_solved(stack, dtype, lower, of_adjoint):
    t, b = normal((*stack, 3, 3), dtype), normal((*stack, 3, 2), dtype, 1)
    t = (np.tril if lower else np.triu)(t)
    with jax.enable_x64(True):
        found = np.asarray(solved_by_substitution(t, b, lower=lower, of_adjoint=of_adjoint))
    np.testing.assert_allclose(
        (t.conj().swapaxes(-1, -2) if of_adjoint else t) @ found, b, rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("decompose", [np.linalg.cholesky, lambda a: np.linalg.qr(a)[1]])
def test_triangular_factors_are_not_factored(decompose):
    gradient = jax.jit(grad(lambda a: np.sum(decompose(a))))
    assert "getrf" not in gradient.lower(np.eye(3, dtype=np.float32)).compile().as_text()
