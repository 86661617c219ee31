"""Calls of what NumPy computes where JAX evaluates a program: on what it was given, and on several
devices.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend.core import jaxpr_as_fun

from chainrules_jax import to_jax
from chainrules_py import scalar_rule
from stand_ins.jax_calls import on_four_devices

X = np.array([0.3, 0.7])


@pytest.fixture(autouse=True)
def double_precision():
    with jax.enable_x64(True):
        yield


def cubed(x):
    """The cube, by NumPy alone: JAX cannot trace it."""
    return np.asarray([float(entry) ** 3 for entry in np.ravel(x)]).reshape(np.shape(x))


scalar_rule(cubed, "x", "3*x**2")
cube = to_jax(cubed)


def program(x):
    """Eight times a cube: numbers of Python's are constants of it."""
    return cube(x) * cube(2.0)


def evaluated(function):
    """The program of a function, evaluated operation by operation."""
    return lambda x: jaxpr_as_fun(jax.make_jaxpr(function)(x))(x)[0]


EVALUATED = {
    "checkpoint": jax.checkpoint,
    "checkpoint that keeps": lambda f: jax.checkpoint(
        f, policy=jax.checkpoint_policies.everything_saveable
    ),
    "jaxpr": evaluated,
}
ARGUMENTS = {
    "a number of Python's": 0.5,
    "a number of NumPy's": np.float64(0.5),
    "an array of NumPy's": X,
    "an array of JAX's": jnp.asarray(X, "float32"),
}
DERIVED = {
    "value": (lambda f, x: f(x), lambda x: 8 * x**3),
    "second derivative": (
        lambda f, x: jax.grad(lambda x: jnp.sum(jax.grad(lambda x: jnp.sum(f(x)))(x)))(x),
        lambda x: 48 * x,
    ),
    "batch": (lambda f, x: jax.vmap(f)(np.stack([x, x]))[1], lambda x: 8 * x**3),
    "without compilation": (lambda f, x: jit_disabled(f, x), lambda x: 8 * x**3),
}


def jit_disabled(function, x):
    with jax.disable_jit():
        return jax.jit(function)(x)


@pytest.mark.parametrize("derivative", DERIVED)
@pytest.mark.parametrize("argument", ARGUMENTS)
@pytest.mark.parametrize("evaluation", EVALUATED)
def test_programs_are_evaluated_on_what_they_are_given(evaluation, argument, derivative):
    computed, wanted = DERIVED[derivative]
    x = ARGUMENTS[argument]
    found = computed(EVALUATED[evaluation](program), x)
    assert isinstance(found, jax.Array)
    np.testing.assert_allclose(
        found, wanted(np.asarray(x)), rtol=1e-12 if argument != "an array of JAX's" else 1e-6
    )


@pytest.mark.parametrize("x", [2, np.array([1, 2])], ids=["of Python's", "of NumPy's"])
def test_a_checkpoint_of_integers(x):
    np.testing.assert_array_equal(jax.checkpoint(program)(x), 8.0 * np.asarray(x) ** 3)


ON_DEVICES = """
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from chainrules_jax import to_jax
from chainrules_py import Array, rrule, scalar_rule

jax.config.update("jax_enable_x64", True)

def cubed(x):
    return np.asarray([float(entry) ** 3 for entry in np.ravel(x)]).reshape(np.shape(x))

def total(x):
    return np.float64(sum(float(entry) ** 3 for entry in np.ravel(x)))

@rrule.register(total)
def total_rrule(x: Array):
    return total(x), lambda y_bar: (3 * y_bar * x**2,)

scalar_rule(cubed, "x", "3*x**2")
x = np.arange(8.0).reshape(4, 2)
mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ("rows", "columns"))
layouts = [(), ("rows",), ("rows", "columns"), (("rows", "columns"),)]
for layout in layouts:
    on_devices = jax.device_put(x, NamedSharding(mesh, PartitionSpec(*layout)))
    for function in (to_jax(cubed), to_jax(total)):
        np.testing.assert_allclose(jnp.sum(function(on_devices)), np.sum(x**3))
        for gradient in (jax.grad, lambda f: jax.jit(jax.grad(f)), lambda f: jax.grad(jax.checkpoint(f))):
            slope = gradient(lambda x: jnp.sum(function(x)))(on_devices)
            np.testing.assert_allclose(slope, 3 * x**2)
    assert to_jax(cubed)(on_devices).sharding == on_devices.sharding
third = jax.device_put(x, jax.devices()[2])
print(len(jax.devices()), to_jax(total)(third).devices() == third.devices())
"""


def test_arrays_on_several_devices():
    assert on_four_devices(ON_DEVICES) == ["4", "True"]
