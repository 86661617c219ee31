"""Whole NumPy programs in JAX: containers, shapes, and what is refused. Each transformation is in
`test_transformations`.
"""

import subprocess
import sys
import textwrap

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend.core import Primitive

import chainrules_jax.operations
from chainrules_jax import own_errors, to_jax
from chainrules_py import ChainRulesError, NoRuleError
from chainrules_tape import LostGradientError, as_primitive
from whole_programs import (
    ROWS,
    InWordsOf,
    V,
    X,
    converted,
    parts,
    program,
    rotated,
    smooth,
    without_rule,
)

words = InWordsOf(jnp)
in_jax, scalar, loss = words.program, words.scalar, words.loss


@pytest.mark.parametrize("transform", [lambda f: f, jax.grad], ids=["value", "gradient"])
def test_all_examples_are_one_call(transform):
    calls = []

    def counted(x):
        calls.append(x.shape)
        return np.sum(smooth(x))

    compiled = jax.jit(jax.vmap(transform(to_jax(counted))))
    compiled(ROWS).block_until_ready()
    calls.clear()
    compiled(2 * ROWS).block_until_ready()
    assert calls == [(4,)]  # which is the shape of one example
    compiled = jax.jit(jax.vmap(jax.vmap(transform(to_jax(counted)))))
    compiled(np.stack([ROWS, ROWS])).block_until_ready()
    calls.clear()
    compiled(np.stack([ROWS, 2 * ROWS])).block_until_ready()
    assert calls == [(4,)]


WEIGHTS = {"w": (np.array([2.0, 3.0, 4.0]), np.ones(2)), "b": np.float64(0.5)}


PYTREES = {
    "value": lambda f: jax.jit(lambda x, w, s: f(x, w, scale=s))(X, WEIGHTS, 2.0),
    "gradient by each": lambda f: jax.jit(jax.grad(loss(f), (0, 1, 2)))(X, WEIGHTS, 2.0),
    "hessian by each": lambda f: jax.jit(jax.hessian(loss(f), (0, 1, 2)))(X, WEIGHTS, 2.0),
    "jvp": lambda f: jax.jvp(lambda x, w: f(x, w), (X, WEIGHTS), (V, WEIGHTS)),
    "examples of some": lambda f: jax.vmap(jax.grad(loss(f), (1, 2)), (0, None, None))(
        ROWS, WEIGHTS, 2.0
    ),
    "jacobian of a container": lambda f: jax.jacrev(f)(X, WEIGHTS),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("called", PYTREES.values(), ids=PYTREES)
def test_pytrees_and_options(called):
    with jax.enable_x64(True):
        found, expected = called(to_jax(parts)), called(words.parts)
        assert jax.tree.structure(found) == jax.tree.structure(expected)
        for y, wanted in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
            np.testing.assert_allclose(y, wanted, rtol=1e-12, atol=1e-12)


def test_complex_numbers():
    with jax.enable_x64(True):
        z = jnp.asarray(X[:3] + 1j * V[:3])
        for f in (jax.grad, lambda f: jax.jit(jax.grad(f))):
            np.testing.assert_allclose(f(to_jax(rotated))(z), f(words.rotated)(z), rtol=1e-12)
        found, expected = (
            jax.jvp(f, (z,), (z * 1j + 1,)) for f in (to_jax(rotated), words.rotated)
        )
        np.testing.assert_allclose(found, expected, rtol=1e-12)


# Shapes


def picky(x):
    if x[0] < 100:
        raise ValueError("too small")
    return x[: len(x) // 2] * 2.0


def test_shapes_that_are_declared_are_not_looked_for():
    big = X + 100
    with pytest.raises(ChainRulesError, match="made-up numbers"):
        jax.jit(to_jax(picky))(big)
    declared = as_primitive(picky, result_shapes=lambda x: np.empty(len(x) // 2, x.dtype))
    with jax.enable_x64(True):
        np.testing.assert_array_equal(jax.jit(to_jax(declared))(big), 2 * big[:2])
        found = jax.jit(jax.grad(lambda x: to_jax(declared)(x).sum()))(big)
        np.testing.assert_array_equal(found, [2, 2, 0, 0])
    assert "known" in to_jax(declared).explain(big)


def test_it_says_that_there_is_no_rule():
    text = to_jax(program).explain(X)
    assert "no rule: the whole program, by the tape" in text
    assert "made-up numbers" in text
    assert "seen through: math" in to_jax(as_primitive(program, seen_through=["math"])).explain(X)


def test_compiled():
    with jax.enable_x64(True):
        called = to_jax(as_primitive(smooth, compiled=True))
        for transform in (jax.grad, jax.jacfwd, jax.hessian, lambda f: jax.vmap(jax.grad(f))):
            x = ROWS if transform not in (jax.grad, jax.jacfwd, jax.hessian) else X
            for _ in range(3):  # which are recorded first, and then compiled
                found, wanted = (jax.jit(transform(scalar(f)))(x) for f in (called, to_jax(smooth)))
                np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
        assert "run as straight code" in called.explain(X)


# Errors


@pytest.mark.parametrize("refused", [without_rule, converted])
@pytest.mark.parametrize("compiled", [jax.jit, lambda f: f], ids=["jit", "eager"])
@pytest.mark.parametrize("mode", [jax.grad, jax.jacfwd, jax.hessian])
def test_what_the_tape_refuses_is_raised_where_jax_traces(refused, compiled, mode):
    with pytest.raises((LostGradientError, NoRuleError)) as raised:
        compiled(mode(to_jax(refused)))(X)
    assert not any("pure_callback" in str(entry.path) for entry in raised.traceback)
    assert jax.jit(to_jax(refused))(X).shape == ()  # which has a value all the same


def test_what_only_real_numbers_show_has_our_sentence():
    def late(x):
        return np.sin(x[0]) if x[0] < 5 else np.sin(float(x[0]))

    f = jax.jit(jax.grad(to_jax(late)))
    assert f(X)[1] == 0
    with pytest.raises(Exception, match=r"keep the traced value and use NumPy's function"):
        f(10 * X).block_until_ready()
    with pytest.raises(LostGradientError), own_errors():
        f(10 * X).block_until_ready()


def test_a_shape_that_depends_on_numbers_is_refused():
    def selected(x):
        return x[x > 0.5]

    def none_of_made_up(x):
        return x[x > 1.0]

    with pytest.raises(Exception, match=r"returned shape \(3,\).*shapes="):
        jax.jit(to_jax(selected))(X).block_until_ready()
    with pytest.raises(ChainRulesError, match="an empty array for made-up numbers"):
        jax.jit(to_jax(none_of_made_up))(X)


def test_a_callback_calls_nothing_of_jax(monkeypatch):
    """A callback that calls JAX waits for itself, now and then: so none does."""
    inside, seen = [], []
    evaluate, bind = chainrules_jax.operations.Operation.evaluate, Primitive.bind

    def watched(self, *arrays):
        arrays = list(map(np.asarray, arrays))
        inside.append(self)
        try:
            return evaluate(self, *arrays)
        finally:
            inside.pop()

    def bound(self, *args, **params):
        if inside:
            seen.append(self)
        return bind(self, *args, **params)

    monkeypatch.setattr(chainrules_jax.operations.Operation, "evaluate", watched)
    monkeypatch.setattr(Primitive, "bind", bound)
    f = to_jax(lambda x: program(x) * 1.5)
    for transform in (jax.grad, jax.hessian, lambda g: jax.vmap(jax.grad(g))):
        x = ROWS if transform not in (jax.grad, jax.hessian) else X
        jax.block_until_ready(jax.jit(transform(scalar(f)))(jnp.asarray(x)))
    assert seen == []


LARGE = """
    import jax, numpy as np
    from chainrules_jax import to_jax

    def program(x):
        y = x.copy()
        y[0] = 1.0
        return np.sum(np.sin(y) * x)

    f = jax.jit(jax.vmap(jax.value_and_grad(to_jax(program))))
    x = jax.numpy.ones((8, 200_000))
    for k in range(20):
        value, slope = f(x + k)
    print(float(value[0]), slope.shape)
"""


@pytest.mark.long
def test_large_arrays_do_not_wait_for_each_other():
    """JAX's deadlocks depend on sizes and on how many calls are under way."""
    command = [sys.executable, "-c", textwrap.dedent(LARGE)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert "(8, 200000)" in done.stdout


def test_a_program_that_calls_jax_is_refused_before_it_can_wait():
    with pytest.raises(ChainRulesError, match="calls JAX can wait forever"):
        jax.jit(to_jax(lambda x: jnp.sin(np.asarray(x)) * 2))(X)
