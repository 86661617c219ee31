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
from chainrules_py import ChainRulesError
from chainrules_tape import LostGradientError, as_primitive
from whole_programs import (
    ROWS,
    InWordsOf,
    X,
    program,
)

words = InWordsOf(jnp)
in_jax, scalar, loss = words.program, words.scalar, words.loss


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


# Errors


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
