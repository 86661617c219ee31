"""What is alive after many rounds of each transform and adapter, with a new function each time.

Each function captures an object of its own. When the round is over nobody has it any more but
those whose caches keep it: a fixed number of such objects may stay, and memory may not grow.

That is not so of classes: what is found out about one is kept for good, and the
class with it (`docs/design/plans.md`).
"""

import gc
import tracemalloc
import warnings

import numpy as np
import pytest

from chainrules_py import frule, rrule
from chainrules_tape import (
    as_primitive,
    checkpoint,
    compiled,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    linearize,
    seen_through,
    show,
    sparsity,
    taylor,
    value_and_grad,
    vjp,
    vmap,
)

X = np.array([0.1, 0.2, 0.3])
ROWS = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
MOST_OBJECTS = 20  # that caches of a fixed size keep
BYTES = 400  # per round; what is kept of a function takes more than 1000


class Captured:
    """An object that a function captures; `alive` counts those that there are."""

    alive = 0

    def __init__(self):
        Captured.alive += 1

    def __del__(self):
        self.__class__.alive -= 1  # also when the interpreter ends


def capturing(function):
    """A new function with the code of another, that captures a new array and a new object."""
    captured, factors = Captured(), np.array([1.0, 2.0, 3.0])
    new = function(factors)
    new.captured = captured
    return new


def number():
    """A new function of an array, whose value is a number."""
    return capturing(lambda factors: lambda x: np.sum(np.sin(x * factors) * x))


def array():
    """A new function of an array, whose value is an array."""
    return capturing(lambda factors: lambda x: np.sin(x * factors) * x)


def of_numpys_alone():
    """A new function that takes NumPy's arrays only, and branches by what is in them."""
    return capturing(lambda factors: lambda x: np.sum(np.where(x[0] > 0, x, 2 * x) * factors))


def scipys():
    """A new function that is differentiated within a scope."""
    from scipy import special

    return capturing(lambda factors: lambda x: np.sum(special.expit(x) * factors))


def called_often(function):
    for _ in range(4):  # the first ones are recorded
        function(X)


calls_its_argument = compiled(lambda function, x: function(x))
calls_once = compiled(lambda function, x: function(x))


def as_an_argument():
    function = number()
    with warnings.catch_warnings(record=True):  # it says once that further ones are not compiled
        warnings.simplefilter("always")
        for _ in range(4):
            calls_its_argument(function, X)


def in_a_scope():
    with seen_through("scipy"):
        grad(scipys())(X)


ROUNDS = {
    "grad": lambda: grad(number())(X),
    "value_and_grad": lambda: value_and_grad(number())(X),
    "vjp": lambda: vjp(array(), X)[1](X),
    "jvp": lambda: jvp(array(), (X,), (X,)),
    "linearize": lambda: linearize(array(), X)[1](X),
    "jacobian": lambda: jacobian(array())(X),
    "hessian": lambda: hessian(number())(X),
    "hvp": lambda: hvp(number(), X, X),
    "vmap": lambda: vmap(number())(ROWS),
    "taylor": lambda: taylor(array(), X, order=3),
    "checkpoint": lambda: grad(lambda x: np.sum(checkpoint(array())(x)))(X),
    "sparse jacobian": lambda: jacobian(array(), sparse=True)(X),
    "sparsity": lambda: sparsity(array(), X),
    "show": lambda: str(show(array(), X)),
    "as_primitive": lambda: grad(lambda x: np.sum(as_primitive(array())(x)))(X),
    "as_primitive, compiled": lambda: called_often(as_primitive(number(), compiled=True)),
    "rrule of a program": lambda: rrule(as_primitive(of_numpys_alone()), X)[1](1.0),
    "compiled": lambda: called_often(compiled(number())),
    "compiled gradient": lambda: called_often(compiled(grad(number()))),
    "prepared": lambda: compiled(grad(number())).prepare(X),
    "an argument of a compiled function": as_an_argument,
    "an argument of one call": lambda: calls_once(number(), X),
}


SLOW_ROUNDS = {"seen_through": in_a_scope}


def of_autograd():
    autograd = pytest.importorskip("autograd")
    from chainrules_autograd import to_autograd

    yield lambda: autograd.grad(to_autograd(number()))(X)
    yield lambda: autograd.jacobian(to_autograd(array()))(X)


def in_its_own(xp):
    """A new function of the arrays of another engine, whose value is a number."""
    return capturing(lambda factors: lambda x: xp.sum(xp.sin(x * xp.asarray(factors)) * x))


def functions_of(engine, make):
    """What is done with functions that an engine differentiates, each made for one call."""
    yield lambda: engine(make())(X)
    yield lambda: rrule(engine(make()), X)[1](1.0)
    yield lambda: frule((X,), engine(make()), X)
    yield lambda: grad(engine(make()))(X)
    yield lambda: hvp(engine(make()), X, X)
    yield lambda: vmap(grad(engine(make())))(ROWS)
    yield lambda: str(show(engine(make()), X))
    yield lambda: called_often(compiled(grad(engine(make()))))


def from_autograds():
    numpy = pytest.importorskip("autograd.numpy")
    from chainrules_autograd import from_autograd

    yield from functions_of(from_autograd, lambda: in_its_own(numpy))


def from_torchs():
    torch = pytest.importorskip("torch")
    from chainrules_torch import from_torch

    yield from functions_of(from_torch, lambda: in_its_own(torch))


def from_jaxs():
    jax = pytest.importorskip("jax")
    from chainrules_jax import from_jax

    yield from functions_of(from_jax, lambda: in_its_own(jax.numpy))


def of_torch():
    torch = pytest.importorskip("torch")
    from chainrules_torch import to_torch

    x = torch.tensor(X, requires_grad=True)
    rows = torch.tensor(ROWS)
    yield lambda: to_torch(number())(x.detach())
    yield lambda: to_torch(number())(x).backward()
    yield lambda: torch.func.grad(to_torch(number()))(x.detach())
    yield lambda: torch.func.vmap(to_torch(number()))(rows)
    yield lambda: torch.autograd.functional.hvp(to_torch(number()), x.detach(), x.detach())


def of_jax():
    jax = pytest.importorskip("jax")
    from chainrules_jax import to_jax

    x, rows = jax.numpy.asarray(X), jax.numpy.asarray(ROWS)
    yield lambda: to_jax(number())(x)
    yield lambda: jax.grad(to_jax(number()))(x)
    yield lambda: jax.jvp(to_jax(number()), (x,), (x,))
    yield lambda: jax.vmap(to_jax(number()))(rows)
    yield lambda: jax.jit(jax.grad(to_jax(number())))(x)


ENGINES = (
    *(of_autograd, of_torch, of_jax, from_autograds, from_torchs),
    pytest.param(from_jaxs, marks=pytest.mark.long),  # it compiles each of 200 functions
)


def require_nothing_stays(run, rounds):
    """Run something again and again: no more objects stay than caches of a fixed size keep."""
    Captured.alive = 0
    for _ in range(rounds):
        run()
    gc.collect()
    assert Captured.alive <= MOST_OBJECTS


def require_nothing_grows(run, rounds):
    """Run something again and again: it takes no more memory than before."""
    for _ in range(rounds):  # rules are made, caches fill up
        run()
    tracemalloc.start()
    try:
        sizes = []
        for _ in range(2):
            for _ in range(rounds):
                run()
            gc.collect()
            sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert sizes[1] - sizes[0] <= BYTES * rounds


@pytest.mark.parametrize("name", ROUNDS)
def test_no_object_stays_that_a_transformed_function_captured(name):
    require_nothing_stays(ROUNDS[name], 50)


@pytest.mark.parametrize("engine", ENGINES)
def test_no_object_stays_of_functions_that_other_engines_were_given(engine):
    for run in engine():
        require_nothing_stays(run, 25)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*ROUNDS, *SLOW_ROUNDS])
def test_memory_does_not_grow_with_each_transformed_function(name):
    run = (ROUNDS | SLOW_ROUNDS)[name]
    require_nothing_stays(run, 200)
    require_nothing_grows(run, 200)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_memory_does_not_grow_with_functions_that_other_engines_were_given(engine):
    for run in engine():
        require_nothing_stays(run, 200)
        require_nothing_grows(run, 200)
