"""Programs that write, on arrays of JAX and PyTorch: what is refused, and where these are not written to."""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import grad, hessian, jvp, vmap
from chainrules_tape.refusals.errors import InPlaceError, LostGradientError


@pytest.fixture
def arrays():
    """A function that makes arrays of a library of NumPy's."""

    def makers(name):
        if name == "torch":
            torch = pytest.importorskip("torch")
            return lambda a: torch.tensor(np.array(a))
        jax = pytest.importorskip("jax")
        jax.config.update("jax_enable_x64", True)
        return jax.numpy.asarray

    return makers


def close(found, expected):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-9, atol=1e-11)


POINT = np.array([0.3, 0.7])


def test_an_older_buffer_of_another_library_gets_lanes(arrays):
    """What the buffer held before it was written to in lanes is still there."""
    made = arrays("jax")

    def f(x):
        u = tnp.zeros(3)
        u[0] = made(5.0)
        u[1] = x[0]
        return vmap(lambda y: write_last(u.copy(), y))(x)

    def write_last(u, y):
        u[2] = y
        return tnp.sum(u)

    close(f(made(POINT)), 5.0 + POINT[0] + POINT)


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_views_without_axes_in_lanes_are_refused_and_entries_are_numbers(library, arrays):
    def scaled(x, index):
        v = x[index]
        v *= 5.0
        return np.sum(x) * v

    made, lanes = arrays(library), np.array([[0.3, 0.9], [0.6, 0.2]])
    for inside in (lambda f: f, grad):
        with pytest.raises(InPlaceError, match=library):
            vmap(inside(lambda x: scaled(x, (1, ...))))(made(lanes))
        by_entry = vmap(inside(lambda x: scaled(x, 1)))
        close(by_entry(made(lanes)), by_entry(lanes))


GRID = np.random.default_rng(5).normal(size=(2, 3))


def written(made, x):
    made.T.reshape(-1)[2] = x[1, 0] ** 3
    return np.sum(made * made)


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_traced_cotangents_of_constants_are_refused_or_right(library, arrays):
    def f(x):
        return written(np.sign((1.0 * x).T), x)  # by a rule, whose value is the library's constant

    x = arrays(library)(GRID)
    close(grad(f)(x), grad(f)(GRID.copy()))
    try:
        found = hessian(f)(x)
    except (LostGradientError, TypeError):
        return
    close(found, hessian(f)(GRID.copy()))


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_windows_that_are_older_than_the_first_write_are_refused(library, arrays):
    def f(x):
        y = 1.0 * x
        windows = np.lib.stride_tricks.sliding_window_view(y, 2, axis=1)
        y[0, 1] = x[0, 0] ** 2
        return np.sum(windows**3)

    x = arrays(library)(GRID)
    for differentiate in (grad, hessian, lambda f: lambda x: jvp(f, (x,), (x,))):
        with pytest.raises(InPlaceError, match="take the view of windows after"):
            differentiate(f)(x)


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_windows_are_read_only(library, arrays):
    def f(x):
        y = 1.0 * x
        y[0, 0] = 1.0
        np.lib.stride_tricks.sliding_window_view(y, 2, axis=1)[0, 0, 1] = x[1, 1]
        return np.sum(y)

    with pytest.raises(ValueError, match="read-only"):
        grad(f)(arrays(library)(GRID))


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_the_callers_arrays_are_not_written_to(library, arrays):
    def f(x):
        x[0] = 5.0
        return np.sum(x * x)

    x = arrays(library)(POINT)
    close(grad(f)(x), grad(f)(POINT.copy()))
    close(x, POINT)


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_views_that_may_not_be_written_to_say_so(library, arrays):
    def f(x):
        np.broadcast_to(x, (3, 2))[0] = 1.0
        return np.sum(x)

    with pytest.raises((ValueError, InPlaceError)):
        grad(f)(arrays(library)(POINT))


def test_an_index_has_an_array_of_another_library_along_one_axis(arrays):
    jax, made = pytest.importorskip("jax"), arrays("jax")

    def f(x):
        y = tnp.zeros((3, 2))
        y[made(np.array([0, 2])), 1] = made(np.array([2.0, 3.0]))
        return np.sum(y[:, 1] * x)

    close(jax.jit(grad(f))(np.ones(3)), [2.0, 0.0, 3.0])
