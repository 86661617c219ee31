"""Random programs of loops, compiled: the tape's results at other numbers and tables."""

import warnings

import numpy as np
import pytest

from chainrules_programs.compiling import compile as compiling
from chainrules_programs.recording import repetitions
from chainrules_tape import compiled, grad, jvp, value_and_grad
from chainrules_tape.core.trees import flatten
from compiled_programs import outcome
from looping_programs import LoopingProgram
from seeds_of_programs import groups

CHANGES = 4
COMPILED = {
    "value and gradients": lambda f: value_and_grad(f, argnums=(0, 1)),
    "gradient": grad,
    "value": lambda f: f,
    "derivative": lambda f: lambda x, p: jvp(f, (x, p), (x * 0.5, p + 1)),
    "product with the Hessian": lambda f: grad(lambda x, p: np.sum(grad(f)(x, p) * DIRECTION)),
}
DIRECTION = np.arange(1.0, 5.0)


def require_same(found, expected, tolerance):
    """Raise where two outcomes differ."""
    if isinstance(expected, type) or isinstance(found, type):
        assert found is expected
        return
    found, expected = flatten(found)[0], flatten(expected)[0]
    assert list(map(type, found)) == list(map(type, expected))
    for one, other in zip(found, expected, strict=True):
        scale = max(1.0, float(np.max(np.abs(other), initial=0.0, where=np.isfinite(other))))
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=0.01 * tolerance * scale)
    require_as_separate(found, expected)


def require_as_separate(found, expected):
    """Raise where arrays of a result share memory that those of the function do not share."""
    arrays = [k for k, x in enumerate(found) if isinstance(x, np.ndarray)]
    for number, k in enumerate(arrays):
        for other in arrays[:number]:
            if np.shares_memory(found[k], found[other]):
                assert np.shares_memory(expected[k], expected[other])


def run(seeds, to="numpy", **kind):
    """Compile programs and compare them with their functions; return how many were compiled."""
    count, tolerance = 0, 1e-9 if to == "numpy" else 1e-7
    for seed in seeds:
        program = LoopingProgram(seed, **kind)
        name = [*COMPILED][seed % len(COMPILED)] if program.is_real else "value"
        function = COMPILED[name](program.function)
        step = compiled(function, to=to)
        if seed % 2:
            step.prepare(*program.args)
        try:
            for number in range(CHANGES):
                expected = outcome(function, program.args)
                require_same(outcome(step, program.args), expected, tolerance)
                program.change(number)
        except AssertionError as error:
            error.add_note(f"seed {seed}, {name}\n{program.source}")
            raise
        count += step.count_of_programs() > 0
    return count


@pytest.fixture(autouse=True)
def without_warnings():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


@pytest.fixture
def inner_loops(loops, monkeypatch):
    """The loops that have others in them, which need not be long."""
    monkeypatch.setattr(repetitions, "INNER", 24)
    return lambda: [
        loop for loop in loops if any(isinstance(step, repetitions.Loop) for step in loop.body)
    ]


@pytest.mark.parametrize("block", groups(25))
def test_loops(block, loops):
    assert run(range(15 * block, 15 * (block + 1))) > 5
    assert len(loops) > 5

    loops.clear()
    assert run(range(30000 + 10 * block, 30000 + 10 * (block + 1)), is_uneven=True) > 3
    assert any(type(value.array) is repetitions.Uneven for loop in loops for value in loop.rows)


def test_an_array_that_two_values_are_after_a_loop(loops, monkeypatch):
    monkeypatch.setattr(compiling.settings, "faults_raise", True)
    table = np.random.default_rng(0).normal(size=(40, 4))

    def program(x):
        a, b = x, np.cos(x)
        for k in range(40):
            left = a * table[k]
            a = np.stack([a[2], b[0], a[0] * b[1], a[2]])
            right = b * table[k]
        return np.sum(np.tanh(a + left * right - b))

    step = compiled(grad(program))
    for k in range(CHANGES):
        x = np.array([0.1, 0.2, 0.3, 0.4]) * 1.1**k
        require_same(outcome(step, (x,)), outcome(grad(program), (x,)), 1e-12)
    assert step.count_of_programs() == 1
    assert loops


@pytest.mark.parametrize("block", groups(25))
def test_loops_in_loops(block, inner_loops):
    assert run(range(9000 + 6 * block, 9000 + 6 * (block + 1)), is_nested=True) > 0
    assert inner_loops()


@pytest.mark.parametrize("block", groups(13)[1:])
def test_loops_of_xla(block, inner_loops, monkeypatch):
    pytest.importorskip("jax", reason="jax is not installed (extra: jax)")
    monkeypatch.setattr("chainrules_programs.compiling.to_jax.SCANNED", 0)
    assert run(range(5000 + 8 * block, 5000 + 8 * (block + 1)), "jax") > 1
    assert run(range(12000 + 4 * block, 12000 + 4 * (block + 1)), "jax", is_nested=True) > 0
    assert inner_loops()
