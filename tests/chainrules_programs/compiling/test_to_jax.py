"""Programs by XLA: what they compute, and what is left to NumPy, and why."""

import numpy as np
import pytest

jax = pytest.importorskip("jax")

import chainrules_tape.numpy as tnp  # noqa: E402
from chainrules_programs.compiling import to_jax  # noqa: E402
from chainrules_tape import (  # noqa: E402
    as_primitive,
    compiled,
    grad,
    hessian,
    value_and_grad,
    vmap,
)
from chainrules_tape.core.trees import flatten  # noqa: E402
from product.judge import case_of  # noqa: E402
from product.programs import rows_of  # noqa: E402
from product.ways import forward, in_lanes  # noqa: E402
from recorded_calls import require_same  # noqa: E402

X = np.array([0.5, -1.0, 2.0])
LONG = np.linspace(0.1, 0.9, 12)
MATRIX = np.linspace(-1.0, 2.0, 12).reshape(4, 3)
W = np.linspace(-1.0, 1.0, 9).reshape(3, 3)
RNG = np.random.default_rng(0)


def check(function, args):
    """Compare a compiled function with the function, at some points; return the compiled one."""
    step = compiled(function, to="jax")
    step.prepare(*args)
    leaves, rebuilt = flatten(args)
    for factor in (1.0, 1.1, 0.7):
        moved = rebuilt([x * factor if np.result_type(x).kind in "fc" else x for x in leaves])
        single = any(np.result_type(x) == np.float32 for x in leaves)
        require_same(step(*moved), function(*moved), 2e-5 if single else 1e-10)
    assert step.count_of_programs() == 1
    return step


def reading(table):
    rows = np.array([0, 3, 3, 1])
    first = np.tanh(table[rows])
    second = table[np.array([2, 2, 0, 3])] ** 2
    return np.sum(first * second) + np.sum(table[rows[:2]] ** 3)


def adding(x):
    y = tnp.zeros(4)
    np.add.at(y, np.array([0, 2, 2]), x)
    y[1:] += y[:3]  # what was added is read, and added to
    np.add.at(y, np.array([3, 3, 1]), x * y[2])
    y[0] = y[3]
    np.add.at(y, np.array([0, 0, 0]), x)
    return np.sum(np.sin(y) * np.arange(4.0))


def energy(f):
    log_j = np.log(np.linalg.det(f))
    return np.sum(f * f) - log_j + log_j * log_j


def sums_by(count, dtype):
    ones = np.ones(count, "f4" if dtype == "f4" else "f8")
    return lambda x: (x @ ones, ones @ x.T)


SQUARES = [RNG.normal(size=(5, n, n)) + 2 * np.eye(n) for n in (1, 2, 3, 4)]
SQUARES += [SQUARES[2] + 1j * RNG.normal(size=(5, 3, 3)), SQUARES[1][0].astype(np.float32)]
PRODUCTS = [
    *(((4, 1), (1, 5)), ((6, 4, 2), (6, 2, 5)), ((2, 1, 4, 3), (6, 3, 1)), ((4, 3), (7, 3, 5))),
    *(((7, 4, 9), (9,)), ((9,), (7, 9, 4)), ((3, 0), (0, 2)), ((7, 40), (40, 5))),
]
# Rows of the product whose derivatives XLA computes without NumPy, each by one of these.
WAYS = (value_and_grad, forward, hessian, lambda f: in_lanes(grad(f)))
OF_PRODUCT = (
    *("elementwise", "running", "where", "products", "polynomial", "shapes", "entries"),
    *("recurrence", "dict", "every_operator", "heat", "buffer", "another_shape"),
    *("determinant", "fft", "entries at own places", "take along", "statistics"),
    *("single precision", "cloud_in_cell", "sorting", "growing", "quantiles", "inverse"),
)
ROWS = {row.name: row for table in ("plain", "writing") for row in rows_of(table)}


@pytest.mark.parametrize("name", OF_PRODUCT)
def test_derivatives_of_programs(name):
    line = case_of(ROWS[name]).line(ROWS[name].function)
    slope = WAYS[OF_PRODUCT.index(name) % len(WAYS)](line)
    assert check(slope, (np.float64(0.1),)).reasons == []


OF_XLA = {
    "sums of reads": (value_and_grad(reading), (np.linspace(-1.0, 1.0, 20).reshape(4, 5),)),
    "sums between reads": (adding, (X,)),
    "products with ones": (
        value_and_grad(lambda x: np.sum(np.tanh(np.ones(4) @ x) + x @ np.ones(3) @ x)),
        (MATRIX,),
    ),
    "many points": (vmap(hessian(energy)), (np.eye(3) + 0.1 * RNG.normal(size=(50, 3, 3)),)),
    **{f"inverse {x.dtype}{x.shape}": (lambda a: np.linalg.inv(a), (x,)) for x in SQUARES},
    **{
        f"product {one} {other}": (
            lambda a, b: a @ b,
            (RNG.normal(size=one), RNG.normal(size=other)),
        )
        for one, other in PRODUCTS
    },
    **{
        f"sum {count} {dtype}": (
            sums_by(count, dtype),
            (RNG.normal(size=(6, count)).astype(dtype),),
        )
        for count in (1, 9, 16, 17, 100)
        for dtype in ("f8", "f4", "c16")
    },
}


@pytest.mark.parametrize("name", OF_XLA)
def test_numbers_of_the_tape(name):
    assert check(*OF_XLA[name]).reasons == []


# --- Loops ---


def steps(x):
    for _ in range(120):
        x = x + 0.1 * np.tanh(W @ x)
    return np.sum(x * x)


def written(x):
    y = tnp.zeros(4)
    for _ in range(120):
        y[1:] = y[:3] * 0.5 + x
        y[:2] += np.cos(y[2])
    return np.sum(y * y[::-1])


def kept(x):
    found = [x]
    for _ in range(120):
        found.append(np.sin(found[-1]) * x[::-1])
    return np.sum(np.stack(found[::7]) ** 2)


def sums_into_memory_from_before(x):
    total = tnp.zeros_like(x)
    part = total[3:]
    for _ in range(100):
        x = np.sin(x)
        part += x[3:]
        total *= 0.5
    return np.sum(total * x)


def views_of_what_is_carried(x):
    state = x * 2.0
    for _ in range(100):
        state[2:5] += x[2:5]
        state = np.sin(state)
    return state


def writes_into_what_is_kept(x):
    state, kept = x * 2.0, []
    for _ in range(100):
        state = np.sin(state)
        kept.append(state)
        if len(kept) > 3:
            kept[-3] += x
    return sum(kept[10:90:7])


def places_that_are_counted(x):
    buffer = tnp.zeros(201)
    for k in range(200):
        buffer[k + 1] = np.sin(buffer[k]) + x[3]
    return buffer * 1.0


def views_that_move(x):
    buffer = tnp.zeros((101, 12))
    for k in range(100):
        buffer[k] += np.sin(buffer[k + 1]) + x
    return np.sum(buffer)


def under_two_names(x):
    a = x * 2.0
    b = a
    for _ in range(100):
        a += x
        b = b * 0.9 + a
        a = np.cos(b)
    return a + b


def one_array_many_times(x):
    y, found = x * 1.0, []
    for _ in range(120):
        y += np.sin(x)
        found.append(y)
    return np.sum(np.stack(found))


def written_afterwards(x):
    for _ in range(120):
        x = np.cos(x) + 0.1
        rest = x[1:]
    x[2] = 5.0
    return np.sum(rest)


def changing_slices(x):
    state, long = x[:3], np.tile(x, 8)
    for k in range(40):
        state = np.tanh(0.5 * state + long[k : k + 3] * long[40 - k])
    return np.sum(state)


LOOPS = {  # and how often the loops repeat that XLA runs, where each has to be one
    "a gradient": (value_and_grad(steps), (X,), [120, 120]),
    "written": (written, (X,), None),
    "kept": (value_and_grad(kept), (X,), None),
    "memory from before": (sums_into_memory_from_before, (LONG,), [100]),
    "views of what is carried": (views_of_what_is_carried, (LONG,), [100]),
    "writes into what is kept": (writes_into_what_is_kept, (LONG,), None),
    "places that are counted": (places_that_are_counted, (LONG,), [200]),
    "views that move": (views_that_move, (LONG,), []),
    "two names": (under_two_names, (LONG,), None),
    "one array many times": (one_array_many_times, (X,), None),
    "written afterwards": (written_afterwards, (X,), "left"),
    "slices that change": (grad(changing_slices), (LONG[:6],), None),
}


@pytest.fixture
def counts(monkeypatch):
    """How often the loops repeat that XLA runs, in short programs, too."""
    found = []

    def scan(run, loop, scan=to_jax.scan):
        scan(run, loop)
        found.append(loop.count)

    monkeypatch.setattr(to_jax, "SCANNED", 0)
    monkeypatch.setattr(to_jax, "scan", scan)
    return found


@pytest.mark.parametrize("name", LOOPS)
def test_loops(name, counts):
    function, args, expected = LOOPS[name]
    step = check(function, args)
    assert bool(step.reasons) is (expected == "left")
    assert expected in (None, "left", counts)


# --- What is left to NumPy, and to the function ---


def square_root(x):
    y = x
    for _ in range(5):
        y = 0.5 * (y + x / y)
    return y


@pytest.mark.parametrize("way", [grad, value_and_grad])
def test_floats_of_python_by_xla(way):
    step = check(way(square_root), (2.0,))
    assert not step.reasons
    assert type(flatten(step(2.0))[0][0]) is float


def test_shapes_by_values_are_numpys():
    step = check(grad(lambda x: np.sum(x[x > 0] ** 2)), (X,))
    assert 'it is compiled to="numpy", because' in step.reasons[0]


def test_writes_into_arguments():
    def function(x):
        x[0] = 3.0
        return np.sum(x)

    step = compiled(function, to="jax")
    for _ in range(3):
        x = X.copy()
        assert step(x) == function(X.copy())
        assert x[0] == 3.0


def changing(x):
    for k in range(100):  # without a period
        x = (np.sin if k * 0.618 % 1.0 < 0.5 else np.cos)(x) * 1.1
    return x


def test_long_loops_are_not_written_out(monkeypatch, counts):
    monkeypatch.setattr(to_jax, "STRAIGHT", 100)
    (reason,) = check(grad(changing_slices), (LONG[:6],)).reasons
    assert "steps that is no scan" in reason
    (reason,) = check(grad(lambda x: np.sum(changing(x))), (X,)).reasons
    assert "steps in which no loop is found" in reason


def test_what_is_carried_is_handed_on_once(monkeypatch, counts):
    """The sum and the last state are carried, and read after the loop, too."""
    carried, scan = [], jax.lax.scan

    def counted(repetition, first, *given):
        carried.append(len(jax.tree.leaves(first)))
        return scan(repetition, first, *given)

    monkeypatch.setattr(jax.lax, "scan", counted)

    def f(x):
        total = np.zeros(3)
        for _ in range(200):
            x = np.sin(x) * 0.9
            total = total + x
        return np.sum(total * x)

    check(f, (X,))
    assert set(carried) == {3}  # the state, the sum, and whether all questions had their answers


def test_another_answer_is_another_program():
    function = grad(lambda x: np.sum(x * x) if x[0] > 0 else np.sum(np.exp(x)))
    step = compiled(function, to="jax")
    for sign in (1, 1, -1, -1, 1, -1):
        require_same(step(sign * X), function(sign * X))
    assert step.count_of_programs() == 2
    assert step.reasons == []


def test_zero_times_infinity_is_the_functions():
    function = grad(lambda x: np.sum(np.where(x > 0, np.log(np.abs(x)), 0.0)))
    step = compiled(function, to="jax")
    step.prepare(X)
    with np.errstate(all="ignore"):
        require_same(step(np.array([0.0, 1.0, 2.0])), function(np.array([0.0, 1.0, 2.0])))


def test_results_are_of_the_caller():
    step = compiled(lambda x: (x[::-1] * 2.0, x), to="jax")
    step.prepare(X)
    first, same = step(X)
    first[:] = same[:] = 0.0
    assert step(X)[0][0] == 4.0
    assert X[0] == 0.5


def test_a_bound_of_a_slice_that_is_an_object():
    class Bound:
        value = 1

        def __index__(self):
            return self.value

    part = slice(0, Bound())
    function = grad(lambda x: np.sum(x[part] ** 2))
    step = compiled(function, to="jax")
    for value in (1, 1, 3):
        Bound.value = value
        require_same(step(X), function(X))


RAISING = {
    "positions outside": (lambda x, k: np.sum(x[k]), (X, np.array([0, 1])), IndexError),
    "a singular matrix": (lambda a, k: np.linalg.inv(a), (np.eye(2), 1), np.linalg.LinAlgError),
    "a singular stack": (lambda a, k: np.linalg.inv(a), (SQUARES[1], 1), np.linalg.LinAlgError),
}


@pytest.mark.parametrize(("function", "args", "error"), RAISING.values(), ids=RAISING)
def test_errors_of_numpy(function, args, error):
    step = compiled(function, to="jax")
    step.prepare(*args)
    with pytest.raises(error):
        step(0 * args[0], args[1] * 5)


def test_nan_without_pullbacks_is_left_to_numpy():
    step = compiled(lambda x: np.log(x), to="jax")
    step.prepare(X**2 + 1.0)
    with pytest.warns(RuntimeWarning, match="invalid value"):
        assert np.isnan(step(X)[1])


def test_in_a_program_of_an_engine():
    step = compiled(grad(lambda x: np.sum(as_primitive(steps, compiled=True)(x))), to="jax")
    for x in (X, X + 1):
        require_same(step(x), grad(steps)(x))


def test_results_are_not_the_memory_of_arguments():
    memory = np.ones(2**13 + 8)
    first = -memory.ctypes.data % 64 // 8  # memory that XLA reads where it stands
    x = memory[first : first + 2**13]
    step = compiled(lambda x: (x, 2.0 * x, x[1:]), to="jax")
    step.prepare(x)
    found = step(x)
    x[:] = 7.0
    assert [float(np.max(y)) for y in found] == [1.0, 2.0, 1.0]
    assert not step.reasons
