"""Each transformation of JAX on rules of each kind, held to what JAX makes of the function written
in its own operations.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import chainrules_jax
from chainrules_py import Array, RuleTable, default_rules, scalar_rule
from whole_programs import X, program, program_in

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
    "traced, zero wins over infinity": (np.sqrt, jnp.sqrt, (VECTOR,), "traced", "traced"),
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
    PROGRAM: (program, program_in(jnp), (X,), "", ""),
}
THOROUGHLY = "opaque, both modes"
KINDS = pytest.mark.parametrize("kind", FUNCTIONS)


def scalar(f):
    return lambda *xs: jnp.sum(jnp.sin(f(*xs)))


def batch(xs):
    return tuple(jnp.stack([x, 1.1 * x, 1.3 * x]) for x in xs)


def scanned(f):
    def program(*xs):
        def body(carry, _):
            return tuple(0.9 * c for c in carry), jnp.sum(f(*carry))

        return jnp.sum(jax.lax.scan(body, xs, None, length=3)[1] ** 2)

    return program


def looped(f):
    def step(_, carry):
        xs, total = carry
        return tuple(0.9 * x for x in xs), total + scalar(f)(*xs)

    return lambda *xs: jax.lax.fori_loop(0, 3, step, (xs, jnp.zeros((), xs[0].dtype)))[1]


TRANSFORMATIONS = {
    "value": lambda f, xs: f(*xs),
    "grad": lambda f, xs: jax.grad(scalar(f))(*xs),
    "grad of jit": lambda f, xs: jax.grad(jax.jit(scalar(f)))(*xs),
    "jvp": lambda f, xs: jax.jvp(f, xs, tuple(jnp.cos(x) for x in xs)),
    "linearize": lambda f, xs: jax.linearize(f, *xs)[1](*xs),
    "vmap": lambda f, xs: jax.vmap(f)(*batch(xs)),
    "vmap of vmap of grad": lambda f, xs: jax.vmap(jax.vmap(jax.grad(scalar(f))))(
        *batch(batch(xs))
    ),
    "grad of vmap": lambda f, xs: jax.grad(scalar(jax.vmap(f)))(*batch(xs)),
    "vmap over one": lambda f, xs: jax.vmap(jax.grad(scalar(f)), (0,) + (None,) * (len(xs) - 1))(
        batch(xs)[0], *xs[1:]
    ),
    "grad of vmap over one": lambda f, xs: jax.grad(
        lambda *ys: scalar(jax.vmap(f, (0,) + (None,) * (len(xs) - 1)))(batch(ys)[0], *ys[1:]),
        len(xs) - 1,
    )(*xs),
    "jacobians": lambda f, xs: (jax.jacrev(f)(*xs), jax.jacfwd(f)(*xs)),
    "scan": lambda f, xs: (jax.grad(scanned(f))(*xs), jax.jvp(scanned(f), xs, xs)[1]),
    "checkpoint": lambda f, xs: jax.grad(jax.checkpoint(scalar(f)))(*xs),
    "cond": lambda f, xs: jax.grad(
        lambda *ys: jax.lax.cond(ys[0].sum() > 0, scalar(f), lambda *zs: 0.0, *ys)
    )(*xs),
    "hessian": lambda f, xs: jax.hessian(scalar(f))(*xs),
    "reverse over reverse": lambda f, xs: jax.jacrev(jax.grad(scalar(f)))(*xs),
    "forward over forward": lambda f, xs: jax.jvp(lambda *ys: jax.jvp(f, ys, xs)[1], xs, xs)[1],
    "vmap of hessian": lambda f, xs: jax.vmap(jax.hessian(scalar(f)))(*batch(xs)),
    "third order": lambda f, xs: jax.jvp(
        lambda *ys: jax.jvp(jax.grad(scalar(f)), ys, xs)[1], xs, xs
    )[1],
    "cotangents": lambda f, xs: jax.vmap(jax.vjp(f, *xs)[1])(jnp.stack([f(*xs), 2 * f(*xs)])),
    "vmap of cond": lambda f, xs: jax.vmap(
        lambda *ys: jax.lax.cond(ys[0].sum() > 4.5, scalar(f), lambda *zs: 0.0, *ys)
    )(*batch(xs)),
    "loop": lambda f, xs: jax.jvp(looped(f), xs, xs),
    "second order through scan and checkpoint": lambda f, xs: jax.jvp(
        jax.grad(scanned(jax.checkpoint(f))), xs, xs
    )[1],
}


def agrees(kind, transformation, compiled=jax.jit):
    """Hold a transformation of our function to that of the same function in JAX's operations."""
    primal, twin, arguments, *_ = FUNCTIONS[kind]
    with jax.enable_x64(True):
        xs = tuple(map(jnp.asarray, arguments))
        ours, expected = (
            compile(lambda xs, f=f: TRANSFORMATIONS[transformation](f, xs))(xs)
            for compile, f in (
                (compiled, chainrules_jax.to_jax(primal, rules=RULES)),
                (jax.jit, twin),
            )
        )
        jax.tree.map(
            lambda y, e: np.testing.assert_allclose(y, e, rtol=1e-9, atol=1e-12), ours, expected
        )


# Each transformation on one rule and some on each; all on all take two minutes.
OFTEN = {(kind, name) for kind in (THOROUGHLY, PROGRAM) for name in TRANSFORMATIONS}
OFTEN |= {
    (kind, name)
    for kind in FUNCTIONS
    for name in ("vmap of vmap of grad", "reverse over reverse", "jacobians")
}
OFTEN |= {
    ("opaque, reverse only", "forward over forward"),
    ("opaque function, traced rule", "second order through scan and checkpoint"),
}
REST = {(kind, name) for kind in FUNCTIONS for name in TRANSFORMATIONS} - OFTEN


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("kind", "transformation"), sorted(OFTEN))
def test_as_jax_differentiates_its_own_operations(kind, transformation):
    agrees(kind, transformation)


@pytest.mark.slow
def test_every_transformation_of_every_kind():
    for kind, transformation in sorted(REST):
        agrees(kind, transformation)


@KINDS
def test_outside_compiled_code(kind):
    agrees(kind, "grad", compiled=lambda f: f)


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
    lines = chainrules_jax.to_jax(primal, rules=RULES).explain(*arguments).splitlines()
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
