"""Programs after all passes compute the tape's numbers, and what they computed before bit for bit."""

import random
import traceback

import numpy as np
import pytest

from benchmarks.programs import OWN, PROGRAMS
from chainrules_programs.compiling.executable import executable
from chainrules_programs.compiling.passes import optimized
from chainrules_programs.compiling.source import FunctionText
from chainrules_programs.recording.errors import GuardFailedError, NotRecordedError
from chainrules_programs.recording.record import is_input, record
from chainrules_py.testing import Layout, rand_tangent
from chainrules_tape import grad, value_and_grad, vjp
from chainrules_tape.core.trees import flatten
from random_programs import Program
from recorded_calls import require_same
from replaying import replay
from seeds_of_programs import groups

IN_BLOCKS = "chain, size 1000000"  # whose sums have other last bits: see `test_blocked`
SLOW = {"LSTM, 1024 characters", "Kalman filter, 50 steps"}


def leaves_of(args):
    return [leaf for leaf in flatten((args, {}))[0] if is_input(leaf)]


def assert_same_bits(found, expected):
    found, expected = flatten(found)[0], flatten(expected)[0]
    assert len(found) == len(expected)
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_array_equal(x, y, strict=True)
        assert type(x) is type(y)


def of_benchmark(program):
    """The gradient of a program, and its parameters."""
    params, data = program.inputs()

    def objective(*params):
        return program.objective(np, params, data)

    return value_and_grad(objective, argnums=tuple(range(len(params)))), params


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long) if name in SLOW else name
        for name in dict.fromkeys([*OWN, *PROGRAMS])
        if name != IN_BLOCKS
    ],
)
def test_benchmark_programs(name):
    gradient, params = of_benchmark({**OWN, **PROGRAMS}[name])
    program, value = record(gradient, params)
    run = executable(optimized(program))
    others = [x * 1.01 for x in params]
    assert_same_bits(run(*params), value)
    assert_same_bits(run(*others), replay(program, others))
    tape = flatten(gradient(*others))[0]
    for x, y in zip(flatten(run(*others))[0], tape, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-12 * np.max(np.abs(y)))


def moved(x, rng):
    """Other numbers near those of an input."""
    if type(x) is np.ndarray:
        return x * (1 + 1e-3 * rng.standard_normal(x.shape))
    return type(x)(x * (1 + 1e-3 * rng.standard_normal()))


def check_random_program(rng):
    """A random program with its vjp at two points, in place of which nothing else is returned."""
    steps = [
        (rng.randrange(1000), rng.randrange(64), rng.randrange(65536))
        for _ in range(rng.randint(1, 15))
    ]
    program = Program(steps)
    numbers = np.random.default_rng(rng.randrange(1000))
    layout = Layout(program.values)
    y_bar = layout.restore(layout.tangent_vector(rand_tangent(numbers, layout.value)))

    def run_and_pull(x, y_bar):
        y, pullback = vjp(program, x)
        return y, pullback(y_bar)

    try:
        recorded, _ = record(run_and_pull, (program.inputs, y_bar))
    except NotRecordedError:
        return 0
    run = executable(optimized(recorded))
    checked = 0
    for x in (program.inputs, [moved(x, numbers) for x in program.inputs]):
        leaves = leaves_of((x, y_bar))
        try:
            expected = replay(recorded, leaves)
        except GuardFailedError:
            with pytest.raises((GuardFailedError, FloatingPointError)):
                run(*leaves)
            continue
        before = [np.copy(leaf) for leaf in leaves]
        found = run(*leaves)
        assert_same_bits(found, expected)
        require_same(found, run_and_pull(x, y_bar), are_classes_compared=False)
        checked += 1
        for part in flatten(found)[0]:
            if isinstance(part, np.ndarray):
                part.fill(7)
        assert all(map(np.array_equal, before, leaves))
        assert_same_bits(run(*leaves), expected)
    return checked


@pytest.mark.parametrize("chunk", groups(20))
@pytest.mark.filterwarnings("ignore")
def test_random_programs(chunk):
    rng = random.Random(chunk)
    with np.errstate(all="ignore"):
        checked = sum(check_random_program(rng) for _ in range(25))
    assert checked > 20


def test_zero_meets_infinity():
    def f(x):
        return np.sum(np.where(x > 0, np.sqrt(x), 0.0))

    run = executable(optimized(record(grad(f), (np.ones(3),))[0]))
    np.testing.assert_array_equal(run(np.full(3, 4.0)), np.full(3, 0.25))
    with pytest.raises(FloatingPointError), np.errstate(divide="ignore"):
        run(np.zeros(3))


def test_tracebacks_show_the_line():
    run = executable(optimized(record(lambda x: np.linalg.inv(x), (np.eye(2),))[0]))
    with pytest.raises(np.linalg.LinAlgError) as caught:
        run(np.zeros((2, 2)))
    text = "".join(traceback.format_exception(caught.value))
    assert "np_linalg_inv(x)" in text


def test_results_of_products_with_constants_are_not_copied():
    weights = np.arange(3.0)
    program, _ = record(lambda x: (np.dot(weights, x), np.asarray(weights)), (np.eye(3),))
    text = "\n".join(FunctionText(optimized(program)).lines)
    assert text.count(".copy()") == 1  # of the constant alone
    run = executable(optimized(program))
    run(np.eye(3))[1][0] = 7.0
    assert weights[0] == 0.0
