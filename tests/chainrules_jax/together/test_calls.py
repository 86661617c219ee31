"""Calls of functions with rules in JAX programs: options, shapes that nobody knows, rules that
arrive late, errors.
"""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import chainrules_jax
from chainrules_py import (
    NO_TANGENT,
    Array,
    NotDifferentiableError,
    OptionError,
    RuleContractError,
    Tangent,
    frule,
    is_zero,
    primitive,
    rrule,
    scalar_rule,
)
from stand_ins import jax_calls as calls

JaxError = chainrules_jax.JaxError
to_jax, on_host, X = calls.to_jax, calls.on_host, calls.X


# --- Options and containers ---


def test_options_by_keyword_and_arrays_in_containers(rules):
    a, b = jnp.ones((2, 1)), jnp.zeros((2, 2))
    f = to_jax(np.concatenate)
    bars = jax.grad(lambda parts: jnp.sum(f(parts, axis=1)[:, 1:] ** 2 + f(parts, axis=1)[:, :2]))(
        [a, b]
    )
    np.testing.assert_array_equal(bars[0], jnp.ones((2, 1)))

    def weighted(x, *, weight):
        return x * weight

    @rules.rrule.register(weighted)
    def weighted_rrule(x: Array, *, weight):
        return weighted(x, weight=weight), lambda bar: (bar * weight,)

    assert float(jax.grad(lambda x: to_jax(weighted, rules)(x, weight=jnp.array(3.0)))(2.0)) == 3.0
    with pytest.raises(OptionError) as raised:
        jax.grad(lambda w: to_jax(weighted, rules)(jnp.array(2.0), weight=w))(3.0)
    assert raised.value.option == "weight"


def test_small_arrays_of_integers_are_constants_that_decide_about_sizes():
    x_bar = jax.jit(
        jax.grad(lambda x: jnp.sum(to_jax(np.compress)(np.array([True, False, True]), x)))
    )(X)
    np.testing.assert_array_equal(x_bar, [1, 0, 1])


# --- Shapes ---


def test_a_size_that_depends_on_values(rules):
    f = to_jax(np.unique)
    for _ in range(2):  # what the first one loads may be rules, which end what is known of calls
        np.testing.assert_array_equal(
            jax.grad(lambda x: jnp.sum(f(x)))(jnp.array([1.0, 1.0, 2.0]))[2], 1.0
        )
    with pytest.raises(
        Exception, match=r"numpy.unique.*were declared; return what has the same shape"
    ):
        jax.jit(f)(jnp.array([1.0, 2.0, 3.0])).block_until_ready()


def test_shapes_are_declared_where_made_up_numbers_do_not_do(rules):
    def picky(x):
        if np.any(on_host(x) != 7):
            raise ValueError("picky: got another number; pass 7")
        return on_host(x)[:2]

    x = jnp.full(3, 7.0)
    with pytest.raises(
        JaxError, match=r"made-up numbers.*picky: got another number.*to_jax\(f, shapes=...\)"
    ):
        jax.jit(to_jax(picky, rules))(x)
    f = to_jax(picky, rules, shapes=lambda x: jax.ShapeDtypeStruct((2,), x.dtype))
    np.testing.assert_array_equal(jax.jit(f)(x), [7, 7])


def test_a_fraction_is_not_cut_to_a_declared_integer(rules):
    f = to_jax(
        lambda x: on_host(x) / 2, rules, shapes=lambda x: jax.ShapeDtypeStruct((3,), jnp.int32)
    )
    with pytest.raises(
        Exception, match=r"returned shape \(3,\) and dtype float.*int32 were declared"
    ):
        jax.jit(f)(jnp.ones(3)).block_until_ready()


def test_a_program_that_returns_an_integer_for_some_numbers():
    def refracted(x):
        return 0 if x < 1 else x**2

    slope = jax.jit(jax.grad(lambda x: to_jax(refracted)(x)))
    assert float(slope(3.0)) == 6.0
    assert float(slope(0.5)) == 0.0
    moved = jax.jit(lambda x: jax.jvp(to_jax(refracted), (x,), (1.0,)))
    assert tuple(map(float, moved(3.0))) == (9.0, 6.0)
    assert tuple(map(float, moved(0.5))) == (0.0, 0.0)


def test_another_number_of_results_than_made_up_numbers_gave():
    def cycles(x):
        return [x * k for k in range(3 if np.max(x) > 1 else 1)]

    x = jnp.array([2.0, 3.0])
    for last in (0, -1):
        total = jax.jit(jax.grad(lambda x, last=last: jnp.sum(to_jax(cycles)(x)[last])))
        with pytest.raises(Exception, match="returned 3 arrays and numbers, where 1 were declared"):
            total(x).block_until_ready()


def test_a_cotangent_of_a_wrong_shape_is_refused_and_not_summed(rules):
    for total in (lambda x: np.sum(on_host(x)), lambda x: x.sum()):

        def wide_rrule(x: Array, *, total=total):
            return total(x), lambda bar: (bar * (x[None] * 0 + 1),)

        rules.rrule.register(total)(wide_rrule)
        with pytest.raises(RuleContractError, match=r"shape \(1, 3\)"):
            jax.grad(to_jax(total, rules))(jnp.asarray(X))


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


def test_what_nobody_perturbs_is_zero_to_the_rule(rules):
    def product(x, y):
        return x * y

    @rules.frule.register(product)
    def product_frule(dots, x: Array, y: Array):
        assert is_zero(dots[1])
        return x * y, dots[0] * y

    assert float(jax.jit(jax.grad(to_jax(product, rules)))(2.0, 3.0)) == 3.0


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


def test_the_second_derivative_of_a_rule_for_plain_arrays_is_refused(rules):
    def total(x):
        return np.sum(on_host(x) ** 2)

    @rules.rrule.register(total)
    def total_rrule(x: np.ndarray):
        return total(x), lambda bar: (2 * bar * x,)

    f = to_jax(total, rules)
    np.testing.assert_allclose(jax.grad(f)(X), 2 * X)
    with pytest.raises(
        NotDifferentiableError, match=r"to_jax.*: its derivative.*write its rule on Array"
    ):
        jax.hessian(f)(jnp.asarray(X))


def test_a_function_that_calls_jax_from_numpy_is_refused(rules):
    def mixed(x):
        return jnp.sin(on_host(x))

    with pytest.raises(JaxError, match="a callback that calls JAX can wait forever"):
        jax.jit(to_jax(mixed, rules))(X)


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
