"""`seen_through(f)`: programs as people have them in one file, and functions of every kind."""

import functools
import math
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import integrate, interpolate, stats
from scipy.sparse.linalg import spsolve

from chainrules_py import rrule
from chainrules_py.engines import FlatCall, TracedValue
from chainrules_py.errors import NotDifferentiableError, OptionError
from chainrules_tape import (
    InputError,
    as_primitive,
    compiled,
    grad,
    jvp,
    only_marked,
    seen_through,
    value_and_grad,
    vmap,
)
from own_modules import module_of
from slopes import quotients

TEXT = Path(__file__).with_name("own_files.txt").read_text()
FILES = dict(part.split("\n", 1) for part in TEXT.split("\n=== ")[1:])
AS_A_PROGRAM = """
import numpy
import chainrules_tape
found = chainrules_tape.grad(chainrules_tape.seen_through(f))(x)
print(*numpy.ravel(found).tolist())
"""
STEP = 1e-4


def imported(name, folder):
    return module_of(FILES[name], folder, f"own_{abs(hash(name))}")


def as_it_is(function):
    return function


@pytest.mark.filterwarnings("ignore::chainrules_tape.SeenThroughWarning")
@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnhandledThreadExceptionWarning"
)  # of a first run
@pytest.mark.parametrize("mark", [seen_through, as_it_is])
@pytest.mark.parametrize("name", FILES)
def test_a_file_as_it_stands(name, mark, tmp_path):
    before = set(sys.modules)
    module = imported(name, tmp_path)
    held = dict(vars(module))
    try:
        f, x = mark(module.f), module.x
        expected = quotients(module.f, x, STEP)
        along = np.ones_like(x)
        with only_marked(mark is seen_through):
            value, found = value_and_grad(f)(x)
            slope = jvp(f, (x,), (along,))[1]
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
        assert value == pytest.approx(module.f(x), rel=1e-12)
        np.testing.assert_allclose(slope, np.sum(expected), rtol=1e-5)
        left = {name for name, value in vars(module).items() if value is not held[name]}
        assert left <= {"calls"}  # nothing is left in it but what it counts itself
    finally:
        for new in set(sys.modules) - before:
            if new.startswith("own_"):
                del sys.modules[new]


@pytest.mark.long
@pytest.mark.parametrize("name", FILES)
def test_a_file_in_a_process_of_its_own(name, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(FILES[name] + AS_A_PROGRAM)
    ran = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    module = {"__name__": "plain"}
    exec(compile(FILES[name], "plain", "exec"), module)
    expected = np.ravel(quotients(module["f"], module["x"], STEP))
    np.testing.assert_allclose(list(map(float, ran.stdout.split())), expected, rtol=1e-5, atol=1e-6)


@seen_through
def wave(x):
    return math.sin(x)


class Rod:
    def __init__(self, stiffness):
        self.stiffness = stiffness

    @seen_through
    def energy(self, x):
        return 0.5 * float(self.stiffness) * math.pow(x, 2)

    force = grad(energy)
    count = seen_through(staticmethod(lambda x: math.exp(2.0 * x)))

    def __call__(self, x):
        return math.exp(self.stiffness * x)


def made_here():
    import math as own_math

    def helper(z):
        return float(z) * own_math.cos(z)

    class Local:
        def at(self, x):
            return own_math.sin(x) + helper(x)

    return lambda x: Local().at(x) + integrate.quad(lambda t: own_math.exp(t * x), 0.0, 1.0)[0]


def slope_of_here(x):
    of_integral = (math.exp(x) * (x - 1.0) + 1.0) / x**2
    return 2.0 * math.cos(x) - x * math.sin(x) + of_integral


def test_kinds_of_functions():
    assert grad(wave)(0.5) == math.cos(0.5)
    assert grad(Rod(3.0).energy)(0.5) == Rod(3.0).force(0.5) == pytest.approx(1.5)
    assert grad(Rod(3.0).count)(0.5) == pytest.approx(2.0 * math.exp(1.0))
    assert grad(seen_through(Rod(3.0)))(0.5) == pytest.approx(3.0 * math.exp(1.5))
    assert grad(lambda k: Rod(k).energy(0.5))(3.0) == pytest.approx(0.125)
    scaled = functools.partial(lambda a, x, by: by(a * x), 2.0, by=math.tanh)
    assert grad(seen_through(scaled))(0.3) == pytest.approx(2.0 / math.cosh(0.6) ** 2)
    assert grad(seen_through(made_here()))(0.5) == pytest.approx(slope_of_here(0.5))


@pytest.mark.parametrize("name", [__name__, "a notebook"])
def test_functions_that_no_module_holds(name):
    space = {"__name__": name, "math": math, "seen_through": seen_through}
    exec("@seen_through\ndef first(x):\n    return later(x)\n", space)
    exec("def later(x):\n    return math.sinh(float(x))\n", space)
    assert grad(space["first"])(0.5) == pytest.approx(math.cosh(0.5))
    exec("def later(x):\n    return 3.0 * math.tan(x)\n", space)
    assert grad(space["first"])(0.5) == pytest.approx(3.0 / math.cos(0.5) ** 2)
    assert space["math"] is math


def tilted(x):
    return math.sin(x)


def test_compiled_and_other_ways_round():
    for slope in (
        compiled(grad(wave)),
        compiled(seen_through(grad(tilted))),
        seen_through(compiled(grad(tilted))),
    ):
        for x in (0.1, 0.2, 0.3, 0.4):
            assert slope(x) == math.cos(x)
    program = as_primitive(wave)
    assert grad(program)(0.5) == math.cos(0.5)
    assert seen_through(vmap(tilted))(np.ones(2)).tolist() == [math.sin(1.0)] * 2
    assert pickle.loads(pickle.dumps(seen_through(grad(tilted))))(0.5) == math.cos(0.5)


def test_nothing_changes_elsewhere():
    def inner(x):  # without assertions, to which pytest gives names
        is_itself = np is sys.modules["numpy"] and math is sys.modules["math"]
        return math.sin(x) if is_itself else math.nan

    names = inner.__code__.co_varnames, inner.__code__.co_freevars
    assert grad(seen_through(inner))(0.5) == math.cos(0.5)
    assert np is sys.modules["numpy"]
    assert math is sys.modules["math"]
    assert (inner.__code__.co_varnames, inner.__code__.co_freevars) == names
    assert wave(0.5) == math.sin(0.5)


def test_an_error_leaves_nothing_behind():
    @seen_through
    def broken(x):
        raise KeyError(math.floor(x))

    with pytest.raises(KeyError):
        grad(broken)(0.5)
    assert math is sys.modules["math"]


def test_names_and_pickles():
    assert seen_through(slope_of_here) is slope_of_here
    assert repr(grad(wave)) == f"grad({__name__}.wave)"
    assert grad(wave).__name__ == wave.__name__ == "wave"
    for function in (wave, grad(wave), grad(seen_through(slope_of_here))):
        again = pickle.loads(pickle.dumps(function))
        assert again(0.5) == function(0.5)
        assert repr(again) == repr(function)


def test_what_is_no_function_of_a_module():
    for given in (np.sin, Rod, stats.norm.__class__):
        with pytest.raises(InputError, match="written in Python, or names of packages"):
            seen_through(given)
    for given in ((wave, "strangers"), ("strangers", math), (3,)):
        with pytest.raises(InputError, match=r"pass one function, seen_through\(f\), or names"):
            seen_through(*given)


def test_objects_that_were_made_before():
    prior = stats.norm(0.5, 2.0)
    prior.random_state = 3
    expected = stats.norm(0.5, 2.0).rvs(random_state=3)

    @seen_through
    def density(x):
        return prior.logpdf(x) + prior.rvs()

    value, slope = value_and_grad(density)(1.0)
    assert value == pytest.approx(stats.norm.logpdf(1.0, 0.5, 2.0) + expected)
    assert slope == pytest.approx(-0.125)
    assert type(prior.dist) is type(stats.norm)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: rrule(np.sum, x * np.arange(3.0))[0],
        lambda x: rrule(np.stack, [x, x * x])[1](np.ones(2))[0][1] * x,
        lambda x: rrule(math.sin, x)[1](1.0)[0],
        lambda x: FlatCall.of(np.stack, ([x, 2.0],), {})[0].primal is np.stack and x,
    ],
    ids=["sum", "stack", "math", "flat call"],
)
def test_functions_that_are_handed_to_rules_keep_their_names(f):
    """As an engine hands them on that a user has written in the file."""
    assert grad(seen_through(f))(0.7) == pytest.approx(quotients(f, 0.7))


class Own(TracedValue):
    value, level = 1.0, -1

    def __array__(self, dtype=None, copy=None):
        raise TypeError

    @classmethod
    def compute(cls, primal, args, options):
        return 3.0


def test_values_of_an_engine_in_the_file_are_no_arrays():
    assert grad(seen_through(lambda x: np.size(Own()) * x))(0.7) == 3.0


def test_what_scipy_and_numpy_would_lose_is_refused_or_right():
    at, grid = np.array([[0.5], [1.5]]), np.arange(8.0)

    def on_grid(x):
        spline = interpolate.RegularGridInterpolator((grid,), x, method="cubic", solver=spsolve)
        return np.sum(spline(at))

    assert grad(seen_through(on_grid))(grid**2) @ grid**2 == pytest.approx(2.5)
    with pytest.raises(OptionError, match="CubicSpline"):
        grad(
            seen_through(lambda x: interpolate.make_interp_spline(grid, x, bc_type="periodic")(1.0))
        )(np.cos(2 * np.pi * grid / 7))
    fields = [("a", float), ("b", float)]
    for f in (
        lambda x: np.array([(1.0, x)], dtype=fields)["b"][0],
        lambda x: np.full(2, x, dtype=fields)["b"][0],
    ):
        with pytest.raises(NotDifferentiableError, match="an array of numbers for each field"):
            grad(seen_through(f))(2.0)
