"""Rules of each kind in each way in which JAX differentiates, held to what JAX makes of the function
written in its own operations.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import chainrules_jax
from chainrules_py import Array, RuleTable, default_rules, scalar_rule
from product.ways import of_jax_itself
from whole_programs import InWordsOf, X, program

RULES = RuleTable(parent=default_rules, name="functions that JAX has to be told of")


def kepler(m, ecc, xp=np):
    anomaly = m
    for _ in range(6):
        anomaly = anomaly - (anomaly - ecc * xp.sin(anomaly) - m) / (1 - ecc * xp.cos(anomaly))
    return anomaly


scalar_rule(
    kepler, "m, ecc", "1 / (1 - ecc*cos(out))", "sin(out) / (1 - ecc*cos(out))", table=RULES
)


def softplus(x):
    return np.log1p(np.exp(x))


# np.exp refuses JAX's tracers
scalar_rule(softplus, "x", lambda x: 1 / (1 + np.exp(-x)), table=RULES)


def log_det(a):
    return np.linalg.slogdet(a)[1]


@RULES.rrule.register(log_det)
def log_det_rrule(a: Array):
    inverse = np.linalg.inv(a)

    def log_det_pullback(y_bar):
        return (y_bar * np.swapaxes(inverse, -1, -2),)

    return log_det(a), log_det_pullback


def solve(a, b, *, scale=1.0):
    return np.linalg.solve(a, b) * scale


@RULES.frule.register(solve)
def solve_frule(dots, a: Array, b: Array, *, scale=1.0):
    a_dot, b_dot = dots
    y = np.linalg.solve(a, b)
    return scale * y, scale * np.linalg.solve(a, b_dot - a_dot @ y)


@RULES.rrule.register(solve)
def solve_rrule(a: Array, b: Array, *, scale=1.0):
    y = np.linalg.solve(a, b)

    def solve_pullback(y_bar):
        b_bar = np.linalg.solve(np.swapaxes(a, -1, -2), y_bar)
        return -scale * np.outer(b_bar, y), scale * b_bar

    return scale * y, solve_pullback


def traced_area(x):
    return x * x * 3.0


@RULES.rrule.register(traced_area)
def traced_area_rrule(x: Array, *, xp):
    def traced_area_pullback(y_bar):
        return (6.0 * x * y_bar,)

    return traced_area(x), traced_area_pullback


PROGRAM = "a program that writes and branches, without a rule"
MATRIX = np.array([[2.0, 0.3], [-0.4, 1.5]])
VECTOR = np.array([0.5, 1.5])
# The function, the same one in JAX's operations, its arguments, and whether NumPy computes value
# and derivative.
FUNCTIONS = {
    "traced": (np.tanh, jnp.tanh, (VECTOR,), "traced", "traced"),
    "traced, reverse only": (traced_area, traced_area, (VECTOR,), "traced", "traced"),
    "opaque function, traced rule": (
        kepler,
        lambda m, e: kepler(m, e, jnp),
        (VECTOR, np.array(0.2)),
        "opaque",
        "traced",
    ),
    "opaque elementwise": (softplus, jax.nn.softplus, (VECTOR,), "opaque", "opaque"),
    "opaque, reverse only": (
        log_det,
        lambda a: jnp.linalg.slogdet(a)[1],
        (MATRIX,),
        "opaque",
        "opaque",
    ),
    "opaque, both modes": (solve, jnp.linalg.solve, (MATRIX, VECTOR), "opaque", "opaque"),
    PROGRAM: (program, InWordsOf(jnp).program, (X,), "", ""),
}
KINDS = pytest.mark.parametrize("kind", FUNCTIONS)
WAYS = of_jax_itself()


def scalar(f):
    return lambda *xs: jnp.sum(jnp.sin(f(*xs)))


@pytest.mark.one_in(4)
@pytest.mark.usefixtures("double_precision")
@pytest.mark.parametrize("way", WAYS)
@KINDS
def test_as_jax_differentiates_its_own_operations(kind, way):
    primal, twin, arguments, *_ = FUNCTIONS[kind]

    def along(f):
        return lambda t: scalar(f)(*(x + t * jnp.cos(x) for x in map(jnp.asarray, arguments)))

    ours, expected = (
        WAYS[way](along(f), jnp.asarray(0.0))
        for f in (chainrules_jax.to_jax(primal, rules=RULES), twin)
    )
    jax.tree.map(
        functools.partial(np.testing.assert_allclose, rtol=1e-9, atol=1e-12), ours, expected
    )


@KINDS
def test_single_precision_stays(kind):
    primal, twin, arguments, *_ = FUNCTIONS[kind]
    xs = tuple(jnp.asarray(x, "float32") for x in arguments)
    f = chainrules_jax.to_jax(primal, rules=RULES)
    for x64 in (False, True):
        with jax.enable_x64(x64):
            y, gradient = jax.eval_shape(jax.value_and_grad(scalar(f)), *xs)
            assert (y.dtype, gradient.dtype, jax.eval_shape(f, *xs).dtype) == ("float32",) * 3
    np.testing.assert_allclose(
        jax.jit(jax.grad(scalar(f)))(*xs), jax.jit(jax.grad(scalar(twin)))(*xs), rtol=1e-5
    )


@pytest.mark.parametrize("kind", [*FUNCTIONS][:-1])
def test_explain_says_which_way_it_takes(kind):
    primal, _, arguments, value, derivative = FUNCTIONS[kind]
    # a table of its own, since which way is taken depends on what was tried before
    lines = (
        chainrules_jax.to_jax(primal, rules=RuleTable(parent=RULES))
        .explain(*arguments)
        .splitlines()
    )
    assert f"  value: {value}" in lines[1]
    assert [line for line in lines if line.startswith(("  forward", "  reverse"))] == [
        f"  {mode}: {derivative}" + (", NumPy in a callback" if derivative == "opaque" else "")
        for mode in ("forward", "reverse")
    ]
    assert (
        f"{primal.__code__.co_filename}:" in lines[-1]
        if hasattr(primal, "__code__")
        else "rulesets" in lines[-1]
    )
