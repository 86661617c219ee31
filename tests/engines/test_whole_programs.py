"""Programs of NumPy's without any rule, in JAX, PyTorch and autograd: containers, refusals, and writes
into arguments. Derivatives of other programs are cells of `product`.
"""

import numpy as np
import pytest

from chainrules_tape import as_primitive, grad, hessian, vmap
from whole_programs import X


def parts(x, options):
    y = x.copy()
    y[0] = options["scale"] * y[1]
    return {"total": np.sum(y**2), "y": y}


def test_containers_in_jax():
    jax = pytest.importorskip("jax", reason="jax is not installed (extra: jax)")
    from chainrules_jax import to_jax

    with jax.enable_x64(True):
        called = to_jax(parts)
        found = jax.jit(jax.grad(lambda x, s: called(x, options={"scale": s})["total"], (0, 1)))(
            X, 2.0
        )
    np.testing.assert_allclose(found[0], [0, 2 * 5 * X[1], *(2 * X[2:])])
    assert float(found[1]) == pytest.approx(2 * 2.0 * X[1] ** 2)


def test_what_cannot_be_differentiated_says_so_in_jax():
    jax = pytest.importorskip("jax", reason="jax is not installed (extra: jax)")
    from chainrules_jax import own_errors, to_jax
    from chainrules_tape import LostGradientError

    program = to_jax(lambda x: np.sin(float(x)))
    with pytest.raises(LostGradientError, match=r"float\(x\)"), own_errors():
        jax.jit(jax.grad(program))(0.5)


def normalized(x):
    """Write into the argument, as people do."""
    x /= np.sqrt(np.sum(x**2))
    return x


def test_a_program_that_writes_into_its_argument_writes_into_a_copy():
    torch = pytest.importorskip("torch", reason="torch is not installed (extra: torch)")
    from chainrules_torch import to_torch

    x = torch.tensor(X, requires_grad=True)
    for y in (to_torch(normalized)(x), to_torch(normalized)(x.detach())):
        np.testing.assert_allclose(y.detach(), X / np.sqrt(X @ X))
    np.testing.assert_array_equal(x.detach(), X)
    _, y_dot = torch.func.jvp(to_torch(normalized), (x.detach(),), (torch.ones(4).double(),))
    size = np.sqrt(X @ X)
    np.testing.assert_allclose(y_dot, 1 / size - X * np.sum(X) / size**3)


# programs that write into their argument, with gradients by hand


def written_after(x):
    y = np.sum(x**3)
    x[0] = 7.0
    return y


def written_before(x):
    x[0] = 2 * x[1]
    return np.sum(x**3)


def written_between(x):
    y = 2 * x
    x += 1.0
    return np.sum(y * x)


WRITING = {
    written_after: 3 * X**2,
    written_before: np.array([0.0, 3 * X[1] ** 2 + 24 * X[1] ** 2, *(3 * X[2:] ** 2)]),
    written_between: 4 * X + 2,
}
of_writing = pytest.mark.parametrize("program", WRITING, ids=lambda program: program.__name__)
CALLS = 3  # of which the first two are recorded


@of_writing
@pytest.mark.parametrize("compiled", [False, True])
def test_programs_that_write_into_their_argument(program, compiled):
    operation, expected = as_primitive(program, compiled=compiled), WRITING[program]
    for _ in range(CALLS):
        x = X.copy()
        np.testing.assert_allclose(grad(operation)(x), expected, rtol=1e-12)
        np.testing.assert_array_equal(x, X)  # as of any function that is differentiated
        rows = np.stack([X, X])
        np.testing.assert_allclose(vmap(grad(operation))(rows), [expected] * 2, rtol=1e-12)
        found = hessian(operation)(X.copy())
        columns = [grad(operation)(X + 1e-6 * e) - grad(operation)(X - 1e-6 * e) for e in np.eye(4)]
        np.testing.assert_allclose(found, np.stack(columns) / 2e-6, rtol=1e-6, atol=1e-6)
        y = X.copy()
        value = program(y)
        assert operation(x) == value
        np.testing.assert_array_equal(x, y)  # a call writes what the program writes


@of_writing
@pytest.mark.parametrize("compiled", [False, True])
def test_programs_that_write_in_jax(program, compiled):
    jax = pytest.importorskip("jax", reason="jax is not installed (extra: jax)")
    from chainrules_jax import to_jax

    with jax.enable_x64(True):
        called = to_jax(as_primitive(program, compiled=compiled))
        for slope in (jax.grad(called), jax.jit(jax.grad(called))):
            for _ in range(CALLS):
                np.testing.assert_allclose(slope(X.copy()), WRITING[program], rtol=1e-12)


@of_writing
@pytest.mark.parametrize("compiled", [False, True])
def test_programs_that_write_in_torch(program, compiled):
    torch = pytest.importorskip("torch", reason="torch is not installed (extra: torch)")
    from chainrules_torch import to_torch

    called = to_torch(as_primitive(program, compiled=compiled))
    for _ in range(CALLS):
        x = torch.tensor(X, requires_grad=True)
        called(x).backward()
        np.testing.assert_allclose(x.grad, WRITING[program], rtol=1e-12)
        np.testing.assert_array_equal(x.detach(), X)


@of_writing
@pytest.mark.parametrize("compiled", [False, True])
def test_programs_that_write_in_autograd(program, compiled):
    autograd = pytest.importorskip("autograd", reason="autograd is not installed")
    from chainrules_autograd import to_autograd

    called = to_autograd(as_primitive(program, compiled=compiled))
    for _ in range(CALLS):
        np.testing.assert_allclose(autograd.grad(called)(X.copy()), WRITING[program], rtol=1e-12)
