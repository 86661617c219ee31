"""What is alive after many rounds of each transform and adapter, with a new function each time.

Each function captures an object of its own. When the round is over nobody has it any more, and
nothing of it may stay: no object, and no memory that grows. A compiled function alone, which is
called with functions, keeps a fixed number of them with its programs.

That is not so of classes: what is found out about one is kept for good, and the
class with it (`docs/design/plans.md`).
"""

import gc
import inspect
import tracemalloc
import types
import warnings
from collections.abc import Iterator
from functools import partial
from itertools import count
from weakref import WeakSet

import numpy as np
import pytest

import chainrules_tape
import chainrules_tape.autograd as of_autograd
from chainrules_py import default_rules, frule, implicit_function, rrule
from chainrules_tape import (
    as_operation,
    as_primitive,
    assert_derivatives,
    check_derivatives,
    checkpoint,
    compiled,
    draw,
    explain,
    fit,
    grad,
    hessian,
    higher_derivatives,
    hvp,
    jacobian,
    jacobian_operator,
    jvp,
    linearize,
    only_marked,
    program_of,
    seen_through,
    show,
    sparsity,
    taylor,
    value_and_grad,
    vjp,
    vmap,
)
from chainrules_tape.scipy.integrate import quad, solve_ivp
from chainrules_tape.scipy.optimize import brentq

# as users call: files are seen through by themselves
pytestmark = pytest.mark.filterwarnings("ignore::chainrules_tape.SeenThroughWarning")

X = np.array([0.1, 0.2, 0.3])
ROWS = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
MOST_OBJECTS = 20  # that the programs of compiled functions, and caches of other engines, keep
BYTES = 400  # per round; what is kept of a function takes more than 1000


ALIVE: WeakSet["Captured"] = WeakSet()


class Captured:
    """An object that a function captures."""

    def __init__(self):
        ALIVE.add(self)
        self.factors = np.array([1.0, 2.0, 3.0])

    def array(self, x):
        return np.sin(x * self.factors) * x

    def number(self, x):
        return np.sum(self.array(x))


class Called(Captured):
    """One that is called, whose value is a number or an array."""

    def __init__(self, value):
        super().__init__()
        self.called = getattr(Captured, value)

    def __call__(self, x):
        return self.called(self, x)


# a file of one's own; what it names `seen_array` needs it to be seen through
SOURCE = """
import math
import numpy as np

def array(x):
    return np.sin(x * captured.factors) * x

def number(x):
    return np.sum(array(x))

def sines(x):
    return np.array([math.sin(each) for each in x])

def seen_array(x):
    return sines(x * captured.factors) * x

def seen_number(x):
    return np.sum(seen_array(x))
"""


def file_of(value, filename="staying.py"):
    """The function of a file that was loaded anew."""
    module = types.ModuleType("staying")
    module.captured = Captured()
    exec(compile(SOURCE, filename, "exec"), vars(module))
    return getattr(module, value)


def capturing(function):
    """A new function with the code of another, that captures a new array and a new object."""
    captured, factors = Captured(), np.array([1.0, 2.0, 3.0])
    new = function(factors)
    new.captured = captured
    return new


def closure(value):
    if value == "array":
        return capturing(lambda factors: lambda x: np.sin(x * factors) * x)
    return capturing(lambda factors: lambda x: np.sum(np.sin(x * factors) * x))


def closure_over_an_object(value):
    captured = Captured()
    return lambda x: getattr(captured, value)(x)


def default(value):
    held = getattr(Captured(), value)
    return lambda x, f=held: f(x)


def function_that_holds_itself(value):
    captured = Captured()
    captured.held = lambda x: getattr(captured, value)(x)
    return captured.held


# functions that capture an object, whose values are numbers or arrays
KINDS = {
    "closure": closure,
    "closure over an object": closure_over_an_object,
    "itself": function_that_holds_itself,
    "default": default,
    "method": lambda value: getattr(Captured(), value),
    "object": Called,
    "partial": lambda value: partial(getattr(Captured, value), Captured()),
    "file": file_of,
    "text": lambda value: file_of(value, "<string>"),
    "seen file": lambda value: file_of(f"seen_{value}"),
    "seen text": lambda value: file_of(f"seen_{value}", "<string>"),
}


class Kind:
    """The kind of the functions that are made."""

    make = closure


@pytest.fixture(params=KINDS)
def kind(request) -> Iterator[str]:
    with only_marked(False):
        Kind.make = KINDS[request.param]
        yield request.param
        Kind.make = closure


def number():
    """A new function of an array, whose value is a number."""
    return Kind.make("number")


def array():
    """A new function of an array, whose value is an array."""
    return Kind.make("array")


def of_numpys_alone():
    """A new function that takes NumPy's arrays only, and branches by what is in them."""
    return capturing(lambda factors: lambda x: np.sum(np.where(x[0] > 0, x, 2 * x) * factors))


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


def of_inner(use):
    """A derivative of what is done in each call with one new function."""
    function = array()
    return grad(lambda x: np.sum(use(function)(x)))(X)


def of_implicit(f):
    """The derivative of a solution that a function says by its equation."""
    solution = implicit_function(lambda x: f(x) / 4.0, lambda y, x: f(x) - 4.0 * y)
    return grad(lambda x: np.sum(solution(x)))(X)


def of_seen(f):
    """A function whose file is seen through; text has none."""
    if f.__module__ is not None:
        hessian(seen_through(f))(X)


def in_autograds_words(f):
    for derivative in (of_autograd.grad, of_autograd.hessian, of_autograd.elementwise_grad):
        derivative(f)(X)
    of_autograd.make_hvp(f)(X)[0](X)


def solved(f):
    """What functions of functions find: a root, an integral, the solution of an equation."""
    grad(lambda k: brentq(lambda y: y - k * f(X) / 9.0, -5.0, 5.0))(0.5)
    grad(lambda k: quad(lambda t: f(t * X), 0.0, k)[0])(0.5)
    grad(lambda k: solve_ivp(lambda t, y: -k * y * f(X), (0, 1), [1.0]).y[0, -1])(0.5)


ROUNDS = {
    "grad": lambda: grad(number())(X),
    "value_and_grad": lambda: value_and_grad(number())(X),
    "vjp": lambda: vjp(array(), X)[1](X),
    "jvp": lambda: jvp(array(), (X,), (X,)),
    "linearize": lambda: linearize(array(), X)[1](X),
    "jacobian": lambda: jacobian(array())(X),
    "jacobian, reverse": lambda: jacobian(array(), mode="reverse")(X),
    "hessian": lambda: hessian(number())(X),
    "hvp": lambda: hvp(number(), X, X),
    "vmap": lambda: vmap(number())(ROWS),
    "taylor": lambda: taylor(array(), X, order=3),
    "higher_derivatives": lambda: higher_derivatives(number(), X, 2),
    "checkpoint": lambda: of_inner(checkpoint),
    "sparse jacobian": lambda: jacobian(array(), sparse=True)(X),
    "sparse hessian": lambda: hessian(number(), sparse=True)(X),
    "sparsity": lambda: sparsity(array(), X),
    "jacobian_operator": lambda: jacobian_operator(array(), X) @ X,
    "show": lambda: str(show(array(), X)),
    "draw": lambda: str(draw(array(), X)),
    "explain": lambda: str(explain(array(), X)),
    "check_derivatives": lambda: check_derivatives(number(), X),
    "assert_derivatives": lambda: assert_derivatives(number(), X),
    "fit": lambda: fit(number(), X),
    "implicit_function": lambda: of_implicit(array()),
    "seen_through": lambda: of_seen(number()),
    "solvers": lambda: solved(number()),
    "autograd's names": lambda: in_autograds_words(number()),
    "as_primitive": lambda: of_inner(as_primitive),
    "as_primitive, compiled": lambda: called_often(as_primitive(number(), compiled=True)),
    "program_of": lambda: program_of(number(), default_rules),
    "as_operation": lambda: as_operation(number(), (X,), {}, default_rules),
    "rrule of a program": lambda: rrule(as_primitive(of_numpys_alone()), X)[1](1.0),
    "compiled": lambda: called_often(compiled(number())),
    "compiled gradient": lambda: called_often(compiled(grad(number()))),
    "prepared": lambda: compiled(grad(number())).prepare(X),
}
OF_COMPILED = {
    "an argument of a compiled function": as_an_argument,
    "an argument of one call": lambda: calls_once(number(), X),
}


def to_autograds():
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
    *(to_autograds, of_torch, of_jax, from_autograds, from_torchs),
    pytest.param(from_jaxs, marks=pytest.mark.long),  # it compiles each of 200 functions
)


def require_nothing_stays(run, rounds, most=0):
    """Run something again and again: no more objects stay than caches of a fixed size keep."""
    before = len(ALIVE)
    for _ in range(rounds):
        run()
    for _ in range(2):  # what ends with a first part
        gc.collect()
    assert len(ALIVE) - before <= most


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


def test_each_function_of_a_function_has_a_round():
    named = {name for run in ROUNDS.values() for name in run.__code__.co_names}
    named.add("primitive")  # by rules of its own, which are forgotten from time to time
    for name in dir(chainrules_tape):
        found = getattr(chainrules_tape, name)
        if name.islower() and inspect.isfunction(found):
            first = next(iter(inspect.signature(found).parameters), None)
            assert first not in ("function", "primal") or name in named, name


@pytest.mark.parametrize("name", ROUNDS)
def test_no_object_stays_that_a_function_captured(name, kind):
    require_nothing_stays(ROUNDS[name], 3)


@pytest.mark.parametrize("name", OF_COMPILED)
def test_programs_of_functions_of_functions_keep_few_of_these(name):
    require_nothing_stays(OF_COMPILED[name], 50, MOST_OBJECTS)


@pytest.mark.parametrize("engine", ENGINES)
def test_no_object_stays_of_functions_that_other_engines_were_given(engine):
    for run in engine():
        require_nothing_stays(run, 25, MOST_OBJECTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", ROUNDS)
def test_memory_does_not_grow_with_each_function(name, kind):
    require_nothing_stays(ROUNDS[name], 200)
    require_nothing_grows(ROUNDS[name], 200)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::chainrules_tape.NotCompiledWarning")
def test_memory_does_not_grow_with_each_shape_of_a_compiled_function():
    lengths, slopes = count(300), compiled(grad(lambda x: np.sum(np.sin(x) * x)))
    require_nothing_grows(lambda: slopes(np.ones(next(lengths))), 600)  # caches keep 512
