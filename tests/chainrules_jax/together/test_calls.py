"""Calls of functions with rules in JAX programs: options, shapes that nobody knows, rules that
arrive late, errors.
"""

import textwrap
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend.core import Primitive

import chainrules_jax
import chainrules_jax.operations
from chainrules_py import (
    NO_TANGENT,
    Array,
    NotDifferentiableError,
    OptionError,
    RuleContractError,
    Tangent,
    frule,
    primitive,
    rrule,
    scalar_rule,
)
from chainrules_tape import LostGradientError, as_primitive
from processes import printed
from stand_ins import jax_calls as calls
from whole_programs import ROWS, program

JaxError = chainrules_jax.JaxError
to_jax, on_host, X = calls.to_jax, calls.on_host, calls.X


# --- What is refused ---


def weighted(x, *, weight):
    return x * weight


def total(x):
    return np.sum(on_host(x) ** 2)


def picky(x):
    if np.any(on_host(x) != 7):
        raise ValueError("picky: got another number; pass 7")
    return on_host(x)[:2]


def cycles(x):
    return [x * k for k in range(3 if np.max(x) > 1 else 1)]


def late(x):
    return np.sin(x[0]) if x[0] < 5 else np.sin(float(x[0]))


def with_rules(rules):
    """The table, with rules of functions above, of which one gives cotangents of a wrong shape."""

    @rules.rrule.register(weighted)
    def weighted_rrule(x: Array, *, weight):
        return weighted(x, weight=weight), lambda bar: (bar * weight,)

    @rules.rrule.register(total)
    def total_rrule(x: np.ndarray):
        return total(x), lambda bar: (2 * bar * x,)

    for function in (np.sum, on_host):

        @rules.rrule.register(function)
        def wide_rrule(x: Array, *, function=function):
            return function(x), lambda bar: (np.ones((1, 3)) * bar,)

    return rules


def summed(f, k=None):
    return lambda x: jnp.sum(f(x) if k is None else f(x)[k])


# What is called, on a vector, and what is said; some is known when the compiled code has run.
ERRORS = {
    "a derivative by an option": (
        lambda to, x: jax.grad(lambda w: to(weighted)(x, weight=w)[0])(3.0),
        *(OptionError, "weight"),
    ),
    "made-up numbers": (
        lambda to, x: jax.jit(to(picky))(x),
        *(JaxError, r"made-up numbers.*picky: got another number.*to_jax\(f, shapes=...\)"),
    ),
    "nothing of made-up numbers": (
        lambda to, x: jax.jit(to(lambda x: x[x > 1.0]))(x),
        *(JaxError, "an empty array for made-up numbers"),
    ),
    "another shape than that of made-up numbers": (
        lambda to, x: jax.jit(to(lambda x: x[x > 0.75]))(jnp.array([0.8, 0.4, 1.7, 0.9])),
        *(Exception, r"returned shape \(3,\).*shapes="),
    ),
    "a size that depends on values": (
        lambda to, x: jax.jit(to(np.unique))(jnp.array([1.0, 1.0, 2.0])),
        *(Exception, r"numpy.unique.*were declared; return what has the same shape"),
    ),
    "a fraction for a declared integer": (
        lambda to, x: jax.jit(
            to(lambda x: on_host(x) / 2, shapes=lambda x: jax.ShapeDtypeStruct((3,), jnp.int32))
        )(x),
        *(Exception, r"returned shape \(3,\) and dtype float.*int32 were declared"),
    ),
    "more results": (
        lambda to, x: jax.jit(jax.grad(summed(to(cycles), 0)))(2 + x),
        *(Exception, "returned 3 arrays and numbers, where 1 were declared"),
    ),
    "a plain number": (
        lambda to, x: jax.jit(jax.grad(to(late)))(10 * jnp.abs(x)),
        *(Exception, "keep the traced value and use NumPy's function"),
    ),
    "a cotangent of a wrong shape, traced": (
        lambda to, x: jax.grad(to(np.sum))(x),
        *(RuleContractError, r"shape \(1, 3\)"),
    ),
    "a cotangent of a wrong shape": (
        lambda to, x: jax.grad(summed(to(on_host)))(x),
        *(RuleContractError, r"shape \(1, 3\)"),
    ),
    "a second derivative of a rule for plain arrays": (
        lambda to, x: jax.hessian(to(total))(x),
        *(NotDifferentiableError, r"to_jax.*: its derivative.*write its rule on Array"),
    ),
    "JAX called by a callback": (
        lambda to, x: jax.jit(to(lambda x: jnp.sin(on_host(x))))(x),
        *(JaxError, "a callback that calls JAX can wait forever"),
    ),
}


@pytest.mark.parametrize(("call", "error", "words"), ERRORS.values(), ids=ERRORS)
def test_what_is_refused(call, error, words, rules):
    table = with_rules(rules)
    with pytest.raises(error, match=words):
        jax.block_until_ready(
            call(lambda f, **options: to_jax(f, table, **options), jnp.asarray(X))
        )


# --- Shapes ---


def test_shapes_that_are_declared_are_not_looked_for():
    def halved(x):
        if x[0] < 100:
            raise ValueError("too small")
        return x[: len(x) // 2] * 2.0

    declared = as_primitive(halved, result_shapes=lambda x: np.empty(len(x) // 2, x.dtype))
    big = np.arange(4.0) + 100
    for f in (
        to_jax(declared),
        to_jax(halved, shapes=lambda x: jax.ShapeDtypeStruct((2,), x.dtype)),
    ):
        np.testing.assert_array_equal(jax.jit(f)(big), 2 * big[:2])
        np.testing.assert_array_equal(jax.jit(jax.grad(summed(f)))(big), [2, 2, 0, 0])
    assert "known" in to_jax(declared).explain(big)


def test_a_program_that_returns_an_integer_for_some_numbers():
    def refracted(x):
        return 0 if x < 1 else x**2

    slope = jax.jit(jax.grad(lambda x: to_jax(refracted)(x)))
    assert float(slope(3.0)) == 6.0
    assert float(slope(0.5)) == 0.0
    moved = jax.jit(lambda x: jax.jvp(to_jax(refracted), (x,), (1.0,)))
    assert tuple(map(float, moved(3.0))) == (9.0, 6.0)
    assert tuple(map(float, moved(0.5))) == (0.0, 0.0)


# --- Calls ---


def test_vmap_calls_an_elementwise_function_once(rules):
    calls = []

    def counted(x, y):
        calls.append(np.shape(x))
        return on_host(x) * on_host(y)

    scalar_rule(
        counted, "x, y", lambda y: on_host(y) * 1.0, lambda x: on_host(x) * 1.0, table=rules
    )
    f = to_jax(counted, rules)
    xs, y = jnp.ones((5, 3)), jnp.ones((2, 3))
    jax.vmap(f, (0, None))(xs, y)
    calls.clear()
    assert jax.vmap(f, (0, None))(xs, y).shape == (5, 2, 3)
    assert calls == [(5, 1, 3)]
    assert jax.jit(jax.vmap(jax.grad(lambda x, y: jnp.sum(f(x, y))), (0, None)))(xs, y).shape == (
        5,
        3,
    )
    assert set(calls) == {(5, 1, 3)}


def test_a_primitive_on_jax_arrays_is_differentiated_by_its_rule():
    @primitive
    def tripled(x):
        return 3 * on_host(x)

    scalar_rule(tripled, "x", "30")  # not the derivative, so that it is the rule that answers
    assert float(jax.jit(jax.grad(lambda x: tripled(x) * 2))(1.0)) == 60.0


# --- Errors ---


def negative(rules):
    @primitive
    def root(x):
        if np.any(on_host(x) < 0):
            raise ValueError("root: got a negative number; pass its absolute value")
        return np.sqrt(on_host(x))

    scalar_rule(root, "x", lambda x: 0.5 / root(on_host(x)), table=rules)
    return to_jax(root, rules)


@pytest.mark.parametrize("first", [-1.0, 4.0])
def test_the_own_error_of_a_function_in_compiled_code(rules, first):
    f = jax.jit(negative(rules))
    for x in (first, -2.0):
        if x < 0:
            with pytest.raises(
                Exception, match="root: got a negative number; pass its absolute value"
            ):
                f(x).block_until_ready()
    with (
        pytest.raises(ValueError, match=r"^root: got a negative number") as raised,
        chainrules_jax.own_errors(),
    ):
        f(-2.0).block_until_ready()
    assert type(raised.value) is ValueError


def test_the_error_of_a_whole_program_in_compiled_code():
    f = jax.jit(jax.grad(to_jax(late)))
    assert f(X)[1] == 0
    with pytest.raises(LostGradientError), chainrules_jax.own_errors():
        f(10 * np.abs(X)).block_until_ready()


def test_threads_get_their_own_errors(rules):
    both = Barrier(2)

    def failing(name):
        @primitive
        def failing_function(x):
            raise ValueError(f"{name} fails")

        scalar_rule(failing_function, "x", "1.0", table=rules)
        f = jax.jit(
            to_jax(failing_function, rules, shapes=lambda x: jax.ShapeDtypeStruct((), "float32"))
        )
        with chainrules_jax.own_errors():
            both.wait(20)
            try:
                f(1.0).block_until_ready()
            finally:
                both.wait(20)  # both have failed before either is told

    with ThreadPoolExecutor(2) as threads:
        first, second = (threads.submit(failing, name) for name in ("first", "second"))
        assert (str(first.exception(60)), str(second.exception(60))) == (
            "first fails",
            "second fails",
        )


def test_outside_compiled_code_errors_are_raised_as_they_are(rules):
    with pytest.raises(ValueError, match=r"^root: got a negative number"):
        negative(rules)(-1.0)


def test_errors_that_nobody_waited_for_are_raised_at_the_end(rules):
    f = jax.jit(negative(rules))
    with (
        pytest.raises(ValueError, match=r"^root"),
        chainrules_jax.own_errors(),
        suppress(jax.errors.JaxRuntimeError),
    ):
        f(-1.0).block_until_ready()


@primitive
def doubled_and_ranked(x):
    """Twice the entries, and the integers that sort them; NumPy's alone."""
    x = np.asarray(x, dtype=float)
    return 2 * x, np.argsort(x)


@rrule.register(doubled_and_ranked)
def doubled_and_ranked_rrule(x: Array):
    return doubled_and_ranked(x), lambda y_bar: (2 * y_bar[0],)


@frule.register(doubled_and_ranked)
def doubled_and_ranked_frule(dots, x: Array):
    return doubled_and_ranked(x), Tangent[tuple](2 * dots[0], NO_TANGENT)


def test_an_integer_output_of_an_opaque_call_has_no_tangent():
    x, x_dot = jnp.array([0.3, 0.1]), jnp.array([1.0, -3.0])
    f = to_jax(doubled_and_ranked)
    (_, order), (y_dot, order_dot) = jax.jit(lambda x: jax.jvp(f, (x,), (x_dot,)))(x)
    assert order.tolist() == [1, 0]
    assert np.allclose(y_dot, 2 * x_dot)
    assert order_dot.dtype == jax.dtypes.float0
    assert np.allclose(jax.jit(jax.grad(lambda x: jnp.sum(f(x)[0] ** 2)))(x), 8 * x)


# --- Whole programs ---


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
        x = ROWS if transform not in (jax.grad, jax.hessian) else ROWS[0]
        jax.block_until_ready(jax.jit(transform(lambda x: jnp.sum(jnp.sin(f(x)))))(jnp.asarray(x)))
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
    assert "(8, 200000)" in printed(textwrap.dedent(LARGE))
