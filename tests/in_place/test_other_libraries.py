"""Programs that write, on arrays of JAX and PyTorch: what NumPy's arrays give, and who shares memory
with whom.

The programs are those of the fuzzers (`in_place_programs`, `memory_programs`), whose values and
derivatives on NumPy's arrays are held against other sources in their own tests.
"""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import grad, hessian, jvp, vjp, vmap
from chainrules_tape.refusals.errors import InPlaceError, LostGradientError
from in_place_programs import InPlace, program
from memory_programs import IN_ENGINE, IN_NUMPY, memory_facts, memory_program

X, Y = np.random.default_rng(0).normal(size=(2, 3, 3))
Y = Y[:2]
COUNT = {"torch": 20, "jax": 2}  # of a test: JAX compiles each shape of each operation
LATER = {"torch": 500, "jax": 40}
LIBRARIES = [*COUNT]
SEEDS = [
    pytest.param(name, range(first, first + count), marks=pytest.mark.long if first else ())
    for name, count in COUNT.items()
    for first in range(0, LATER[name], count)
]


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


def check(run, args, made):
    """Values, both modes and a second derivative of a program are those of NumPy's arrays."""
    dots = tuple(np.random.default_rng(1).normal(size=a.shape) for a in args)
    value, pullback = vjp(run, *args)
    other_value, other_pullback = vjp(run, *map(made, args))
    close(other_value, value)
    for bar, expected in zip(other_pullback(made(1.0)), pullback(1.0), strict=True):
        close(bar, expected)
    _, pushed = jvp(run, args, dots)
    other_value, other_pushed = jvp(run, tuple(map(made, args)), tuple(map(made, dots)))
    close(other_value, value)
    close(other_pushed, pushed)
    numbers = tuple(range(len(args)))
    _, expected = jvp(grad(run, numbers), args, dots)
    _, second = jvp(grad(run, numbers), tuple(map(made, args)), tuple(map(made, dots)))
    for one, other in zip(second, expected, strict=True):
        close(one, other)


@pytest.mark.parametrize(("library", "seeds"), SEEDS)
def test_random_programs_that_write(library, seeds, arrays):
    made = arrays(library)
    for seed in seeds:
        run = program(seed)
        check(lambda x, y, run=run: run(InPlace(tnp), x, y), (X.copy(), Y.copy()), made)


@pytest.mark.parametrize(("library", "seeds"), SEEDS)
def test_random_programs_of_copies_and_views(library, seeds, arrays):
    made, refused = arrays(library), []
    for seed in seeds:
        draw = np.random.default_rng(seed + 10**6)
        args = draw.normal(size=(2, 3)), draw.normal(size=3)
        run, seen = memory_program(seed), []

        def in_engine(x, y, run=run, seen=seen):
            return run(IN_ENGINE, x, y, lambda arrays: seen.append(memory_facts(arrays)))

        run(
            IN_NUMPY,
            *[a.copy() for a in args],
            lambda arrays, seen=seen: seen.append(memory_facts(arrays)),
        )
        try:
            check(in_engine, args, made)
        except LostGradientError:
            refused.append(seed)  # a traced cotangent of a constant tensor
        first, *others = seen
        for facts in others:
            assert facts == first, seed
    assert len(refused) <= 1


# Programs that people write


def by_buffer(x):
    u = tnp.zeros(3)
    u[0] = x[0] * x[1]
    u[1:] = x
    return tnp.sum(u**2)


def by_copy(x):
    y = x.copy()
    y[0] = y[1] ** 2
    y *= 2.0
    y += x
    return np.sum(y * y)


def by_zeros_like(x):
    y = tnp.zeros_like(x)
    y[0] = x[1]
    y[1] += x[0] * y[0]
    return tnp.sum(y * y)


def by_older_view(x):
    y = 1.0 * x
    view = y[::-1]
    view[0] = 3.0 * x[0]
    return np.sum(y**2)


def by_recurrence(x):
    y = tnp.empty(5)
    y[0] = x[0]
    for i in range(1, 5):
        y[i] = np.sin(y[i - 1]) * x[1]
    y[::2] = y[::2] ** 2
    return np.sum(y)


def by_sums_at(x):
    y = tnp.zeros(3)
    np.add.at(y, [0, 2, 0, 1], np.concatenate([x, x * x]))
    return np.sum(y**3)


def by_out(x):
    y = tnp.zeros(2)
    np.sin(x, out=y)
    np.multiply(y, x, out=y)
    return np.sum(y * y)


PROGRAMS = [by_buffer, by_copy, by_zeros_like, by_older_view, by_recurrence, by_sums_at, by_out]
POINT = np.array([0.3, 0.7])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("f", PROGRAMS)
def test_programs_have_the_derivatives_of_numpys_arrays(f, library, arrays):
    x = arrays(library)(POINT)
    close(grad(f)(x), grad(f)(POINT))
    close(jvp(f, (x,), (x,))[1], jvp(f, (POINT,), (POINT,))[1])
    close(hessian(f)(x), hessian(f)(POINT))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("f", PROGRAMS)
def test_gradients_are_compiled_by_jax(f):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    x = jax.numpy.asarray(POINT)
    close(jax.jit(grad(f))(x), grad(f)(POINT))
    close(jax.jit(hessian(f))(x), hessian(f)(POINT))
    close(jax.vmap(grad(f))(x[None]), grad(f)(POINT)[None])


POINTS = np.array([[0.3, 0.7], [0.1, 0.2], [1.2, -0.4]])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("library", [*LIBRARIES, "jax.jit"])
@pytest.mark.parametrize("f", [by_buffer, by_zeros_like, by_recurrence, by_sums_at, by_out])
def test_buffers_hold_lanes_of_other_libraries(f, library, arrays):
    def compiled(function):
        return pytest.importorskip("jax").jit(function) if library == "jax.jit" else function

    def in_a_loop(function):
        return np.stack([function(x) for x in POINTS])

    made = arrays(library.partition(".")[0])(POINTS)
    found = compiled(vmap(f))(made)
    assert not isinstance(found, np.ndarray)
    close(found, in_a_loop(f))
    close(compiled(grad(lambda x: tnp.sum(vmap(f)(x))))(made), in_a_loop(grad(f)))
    close(compiled(vmap(grad(f)))(made), in_a_loop(grad(f)))
    close(compiled(vmap(hessian(f)))(made), in_a_loop(hessian(f)))


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


@pytest.mark.parametrize("f", [by_copy, by_older_view])
def test_writes_into_other_libraries_lanes_are_refused(f, arrays):
    with pytest.raises(InPlaceError, match="arrays of jax"):
        vmap(f)(arrays("jax")(POINTS))


@pytest.mark.parametrize("library", LIBRARIES)
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


@pytest.mark.parametrize("f", [by_buffer, by_zeros_like])
def test_buffers_are_differentiated_by_the_other_engines(f, arrays):
    jax, torch = pytest.importorskip("jax"), pytest.importorskip("torch")
    jax.config.update("jax_enable_x64", True)
    expected = grad(f)(POINT)
    close(jax.grad(f)(arrays("jax")(POINT)), expected)
    close(jax.jit(jax.grad(f))(arrays("jax")(POINT)), expected)
    if f is by_buffer:
        close(torch.func.grad(f)(arrays("torch")(POINT)), expected)


def in_order_of_f(x):
    """Makers of arrays in an order, after which a flat view is one, or a copy."""
    y = 1.0 * x
    y[0, 0] = x[1, 1] ** 2
    total = 0.0
    for made in [
        tnp.ones_like(x, order="F"),
        tnp.ones_like(x, None, "F"),
        tnp.zeros_like(y, order="F"),
        tnp.zeros_like(y.T),
        tnp.full_like(tnp.ones_like(x), 0.5, order="F"),
        tnp.zeros_like(x, shape=(3, 2), order="F"),
        tnp.full((2, 3), x[0, 0], None, "F"),
    ]:
        made.reshape(-1)[1] = x[0, 1] ** 2
        made.T.reshape(-1)[2] = x[1, 0] ** 3
        total = total + np.sum(made * made)
    return total


def scalar_over_array(x):
    y = 1.0 * x
    y[...] = x[0, 1] ** 2
    y[0] = x[1, 2] ** 3
    return np.sum(y * y)


def windows_after_the_first_write(x):
    y = 1.0 * x
    y[0, 0] = x[1, 1] ** 2
    windows = np.lib.stride_tricks.sliding_window_view(y, 2, axis=1)
    y[0, 1] = x[0, 0] ** 2
    return np.sum(windows**3)


GRID = np.random.default_rng(5).normal(size=(2, 3))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("f", [in_order_of_f, scalar_over_array, windows_after_the_first_write])
def test_orders_numbers_and_windows(f, library, arrays):
    found = f(GRID.copy())
    value, _ = vjp(f, arrays(library)(GRID))
    close(value, found)
    check(f, (GRID.copy(),), arrays(library))


def written(made, x):
    made.T.reshape(-1)[2] = x[1, 0] ** 3
    return np.sum(made * made)


@pytest.mark.parametrize("library", LIBRARIES)
def test_full_arrays_in_the_order_of_traced_ones_are_written(library, arrays):
    check(lambda x: written(tnp.full_like((1.0 * x).T, 0.5), x), (GRID.copy(),), arrays(library))


@pytest.mark.parametrize("library", LIBRARIES)
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


@pytest.mark.parametrize("library", LIBRARIES)
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


@pytest.mark.parametrize("library", LIBRARIES)
def test_windows_are_read_only(library, arrays):
    def f(x):
        y = 1.0 * x
        y[0, 0] = 1.0
        np.lib.stride_tricks.sliding_window_view(y, 2, axis=1)[0, 0, 1] = x[1, 1]
        return np.sum(y)

    with pytest.raises(ValueError, match="read-only"):
        grad(f)(arrays(library)(GRID))


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_callers_arrays_are_not_written_to(library, arrays):
    def f(x):
        x[0] = 5.0
        return np.sum(x * x)

    x = arrays(library)(POINT)
    close(grad(f)(x), grad(f)(POINT.copy()))
    close(x, POINT)


@pytest.mark.parametrize("library", LIBRARIES)
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
