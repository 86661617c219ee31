"""Nothing that a function reads of its surroundings is stale after it has changed."""

import contextlib
import copy
import dataclasses
import functools
import math
import os
import pickle
import random
import shutil
import threading
import time
import types
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from chainrules_py import default_rules
from chainrules_py.makers import primitive
from chainrules_tape import NotCompiledWarning, compiled, grad, stop_gradient, value_and_grad

X = np.array([0.5, -1.0, 2.0])


def same(one, other):
    """Whether two results are the same: classes, types, and numbers to roundoff."""
    if isinstance(one, tuple | list):
        alike = type(one) is type(other) and len(one) == len(other)
        return alike and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    alike = type(one) is type(other) and np.shape(one) == np.shape(other)
    return alike and np.allclose(one, other, rtol=1e-12, atol=1e-12, equal_nan=True)


class Checked:
    """A compiled function beside the function, both called each time: the first two calls of a
    kind are recorded, the third is one of the program.
    """

    def __init__(self, function, **options):
        self.function, self.compiled = function, compiled(function, **options)

    def __call__(self, *args):
        other = self.function(*args)
        for _ in range(3):
            one = self.compiled(*args)
            assert same(one, other), (one, other)
        return one

    @property
    def programs(self):
        return self.compiled.count_of_programs()

    @property
    def reasons(self):
        return self.compiled.reasons


def module(source, **names):
    """The names of a module of the user's, from its source."""
    space = {"np": np, "__name__": "a_users_module", **names}
    exec(source, space)
    return space


def test_global_number():
    space = module("def f(x): return np.sum(np.sin(SCALE * x))", SCALE=2.0)
    checked = Checked(grad(space["f"]))
    checked(X)
    space["SCALE"] = 3.0
    checked(X)
    space["SCALE"] = 2.0
    checked(X)
    assert checked.programs == 2


@pytest.mark.parametrize("other", [-0.0, 0, False, np.float32(0.0), float("nan")])
def test_numbers_that_are_nearly_equal(other):
    space = module("def f(x): return np.sum(x / (1 + SCALE) * np.copysign(1.0, SCALE))", SCALE=0.0)
    checked = Checked(grad(space["f"]))
    checked(X)
    space["SCALE"] = other
    checked(X)


def test_global_array_is_an_input():
    data = np.array([1.0, 2.0, 3.0])
    space = module("def f(x): return np.sum(np.sin(x) * (DATA * 2)[::-1])", DATA=data)
    checked = Checked(value_and_grad(space["f"]))
    checked(X)
    data[1] = 7.0
    checked(X)
    space["DATA"] = np.array([4.0, 5.0, 6.0])
    checked(X)
    assert checked.programs == 1
    space["DATA"] = np.array([[4.0, 5.0, 6.0]] * 2)
    checked(X)
    space["DATA"] = 2.0 * data.astype(np.float32)
    checked(X)
    assert checked.programs == 3


def test_function_of_a_function():
    source = """
def inner(x): return x * WEIGHTS
def outer(x): return np.sum(inner(x) ** 2)
"""
    space = module(source, WEIGHTS=np.ones(3))
    checked = Checked(grad(space["outer"]))
    checked(X)
    space["WEIGHTS"][:] = 2.0
    checked(X)
    exec("def inner(x): return x + WEIGHTS", space)
    checked(X)
    space["inner"].__code__ = (lambda x: x - 1.0).__code__
    checked(X)


def test_free_variables():
    def make():
        weights, power = np.ones(3), 2

        def set_to(w, p):
            nonlocal weights, power
            weights, power = w, p

        return lambda x: np.sum(weights * x**power), set_to, lambda: weights

    f, set_to, get = make()
    checked = Checked(grad(f))
    checked(X)
    get()[:] = 5.0
    checked(X)
    set_to(np.arange(3.0), 2)
    checked(X)
    assert checked.programs == 1
    set_to(np.arange(3.0), 3)
    checked(X)
    set_to(1.5, 3)
    checked(X)


class Model:
    """A model with weights, a number and a counter."""

    factor = 2.0

    def __init__(self):
        self.weights, self.power, self.steps = np.ones(3), 2, 0

    def predict(self, x):
        return self.factor * self.weights * x**self.power

    def loss(self, x):
        return np.sum(self.predict(x))

    @property
    def size(self):
        return float(self.power)


def changes_of(model):
    """Changes of a model, and whether a program serves after each."""
    yield lambda: model.weights.__setitem__(0, 3.0)
    yield lambda: setattr(model, "weights", np.array([1.0, 4.0, 9.0]))
    yield lambda: setattr(model, "steps", model.steps + 1)
    yield lambda: setattr(model, "power", 3)
    yield lambda: setattr(model, "factor", 5.0)
    yield lambda: setattr(Model, "factor", 7.0)
    yield lambda: setattr(model, "predict", lambda x: x * x)
    yield lambda: delattr(model, "predict")
    yield lambda: setattr(Model, "predict", lambda self, x: self.factor * x)


@pytest.mark.parametrize("read", ["method", "global", "closure", "argument", "list"])
def test_attributes(read, monkeypatch):
    monkeypatch.setattr(Model, "factor", 2.0)
    monkeypatch.setattr(Model, "predict", Model.predict)
    model = Model()
    space = module("def f(x): return np.sum(MODEL.predict(x) * MODEL.weights)", MODEL=model)
    items = [model]
    f = {
        "method": grad(model.loss),
        "global": grad(space["f"]),
        "closure": grad(lambda x: np.sum(model.predict(x)) * model.size),
        "argument": functools.partial(grad(lambda m, x: m.loss(x), 1), model),
        "list": grad(lambda x: items[0].loss(x)),
    }[read]
    checked = Checked(f)
    checked(X)
    for change in changes_of(model):
        change()
        checked(X)
    assert checked.programs > 1


def test_counter_that_nobody_reads_costs_no_program():
    model = Model()
    checked = Checked(grad(model.loss))
    for _ in range(12):
        model.steps += 1
        checked(X)
    assert checked.programs == 1


class Apparent:
    """An object that says to be of another class."""

    factor = 3.0
    __class__ = property(lambda self: Model)


class OtherApparent(Apparent):
    factor = 5.0


def test_class_that_an_object_does_not_say(monkeypatch):
    space = module("def f(x): return np.sum(x * THING.factor)", THING=Apparent())
    checked = Checked(grad(space["f"]))
    for _ in range(8):  # the check is a function then
        checked(X)
    assert checked.programs == 1
    monkeypatch.setattr(Apparent, "factor", 7.0)
    checked(X)
    object.__setattr__(space["THING"], "factor", 9.0)
    checked(X)
    space["THING"] = OtherApparent()
    checked(X)


def test_attribute_of_an_argument():
    model = Model()
    checked = Checked(grad(lambda x, model: model.loss(x)))
    checked(X, model)
    model.power = 3
    checked(X, model)
    model.weights = 3 * model.weights
    checked(X, model)
    checked(X, Model())


def test_containers():
    space = module(
        "def f(x): return np.sum(CONFIG['scale'] * x ** LIST[0] * PAIR[1]) + len(LIST)",
        CONFIG={"scale": 2.0, "deep": {"w": np.ones(3)}},
        LIST=[2, 3.0],
        PAIR=(1, np.ones(3)),
    )
    checked = Checked(value_and_grad(space["f"]))
    checked(X)
    space["CONFIG"]["scale"] = 3.0
    checked(X)
    space["LIST"][0] = 3
    checked(X)
    space["LIST"].append(1)
    checked(X)
    space["PAIR"][1][:] = 4.0
    checked(X)
    space["PAIR"] = (1, 5.0)
    checked(X)
    assert checked.programs == 5


def test_functions_in_containers():
    layers = [np.sin, lambda x: x * x]
    checked = Checked(grad(lambda x: np.sum(functools.reduce(lambda v, f: f(v), layers, x))))
    checked(X)
    layers[1] = lambda x: x**3
    checked(X)
    layers.append(np.cos)
    checked(X)


def test_getattr_reads_all():
    model, name = Model(), "power"
    checked = Checked(grad(lambda x: np.sum(x ** getattr(model, name))))
    checked(X)
    model.power = 3
    checked(X)


@dataclasses.dataclass
class Settings:
    """Settings of a model."""

    rate: float
    weights: np.ndarray


def test_dataclass():
    settings = Settings(0.5, np.ones(3))
    checked = Checked(grad(lambda x: np.sum(settings.rate * settings.weights * x * x)))
    checked(X)
    settings.rate = 0.25
    checked(X)
    settings.weights[:] = 3
    checked(X)
    settings.weights = np.arange(3.0)
    checked(X)
    assert checked.programs == 2


def test_users_module():
    helper = types.ModuleType("users_helper")
    exec(
        "import numpy as np\nGAIN = 2.0\nW = np.ones(3)\ndef g(x): return GAIN * W * x",
        vars(helper),
    )
    space = module("def f(x): return np.sum(helper.g(x) * helper.W)", helper=helper)
    checked = Checked(grad(space["f"]))
    checked(X)
    helper.GAIN = 3.0
    checked(X)
    helper.W[:] = 2
    checked(X)
    helper.W = np.arange(3.0)
    checked(X)
    exec("def g(x): return GAIN * x * x", vars(helper))
    checked(X)


def test_defaults():
    def f(x, scale=2.0, *, shift=1.0):
        return np.sum(np.sin(scale * x + shift))

    checked = Checked(lambda x: grad(f)(x))
    checked(X)
    f.__defaults__ = (3.0,)
    checked(X)
    f.__kwdefaults__ = {"shift": 0.0}
    checked(X)
    f.__kwdefaults__["shift"] = 2.0
    checked(X)


def test_name_that_hides_a_builtin():
    space = module("def f(x): return np.sum(x * len([1, 2]))")
    checked = Checked(grad(space["f"]))
    checked(X)
    space["len"] = lambda _: 7.0
    checked(X)


def test_branches_by_values():
    def f(x):
        if x[0] > 0:
            return np.sum(x * x)
        return np.sum(np.sin(x))

    checked = Checked(grad(f))
    for x in (X, -X, X, -X, 2 * X):
        checked(x)
    assert checked.programs == 2


def test_shapes_that_depend_on_values():
    checked = Checked(grad(lambda x: np.sum(x[x > 0] ** 2)))
    for x in (X, -X, X + 1, X):
        checked(x)


def test_iteration_until_converged():
    def root(a):
        x = a
        while abs(x * x - a) > 1e-9:
            x = 0.5 * (x + a / x)
        return x

    checked = Checked(value_and_grad(root))
    for a in (2.0, 3.0, 50.0, 2.0, 1.0001):
        checked(a)


def test_signatures():
    checked = Checked(value_and_grad(lambda p, k: np.sum(p["w"] * p["w"][0] ** k) + p["b"]))
    checked({"w": X, "b": 1.0}, 2)
    checked({"w": X + 1, "b": 3.0}, 2)
    assert checked.programs == 1
    checked({"w": X + 1, "b": 3.0}, 3)
    checked({"w": X[:2], "b": 3.0}, 3)
    checked({"w": X.astype(np.float32), "b": 3.0}, 3)
    checked({"w": np.ones((3, 2))[:, 0], "b": 3.0}, 3)


def texts(x, read):
    return np.sum(x * x) * len(str(read["it"][0]))


def times(x, read):
    return np.sum(x * x) * (read["it"][1] - read["it"][0]).astype(float)


def fields(x, read):
    return np.sum(x * read["it"]["w"])


def objects(x, read):
    return np.sum(x * x) * read["it"][0]


ROWS = [("w", "f8"), ("n", "i4")]
NO_NUMBERS = {
    "strings": (texts, np.array(["a", "b"]), np.array(["", "b"])),
    "times": (times, np.array([0, 1], "M8[D]"), np.array([0, 4], "M8[D]")),
    "rows": (fields, np.array([(2.0, 1)], ROWS), np.array([(3.0, 1)], ROWS)),
    "objects": (objects, np.array([2.0], object), np.array([3.0], object)),
}


@pytest.mark.parametrize("transform", [lambda f: f, grad])
@pytest.mark.parametrize(("function", "one", "other"), NO_NUMBERS.values(), ids=NO_NUMBERS)
def test_arguments_that_are_arrays_of_no_numbers(function, one, other, transform):
    within, alone = (
        Checked(transform(f)) for f in (function, lambda x, it: function(x, {"it": it}))
    )
    for it in (one, other, one, other.copy()):
        within(X, {"it": it})
        alone(X, it)
    assert within.programs == alone.programs == (0 if one.dtype == object else 2)


class Rows(list):
    scale = 1.0


class Named(dict):
    scale = 1.0


@pytest.mark.parametrize("container", [Rows([X]), Named({0: X})])
def test_attributes_of_arguments_that_have_items(container):
    checked = Checked(lambda parts: np.sum(parts[0] * parts[0]) * parts.scale)
    checked(container)
    assert checked.programs == 1
    for scale in (2.0, 3.0, 3.0, 4.0):
        container.scale = scale
        checked(container)
        checked(copy.copy(container))


def test_random_numbers_run_on_the_tape():
    rng = np.random.default_rng(0)
    function = grad(lambda x: np.sum(x * x * rng.normal(size=3)))
    step = compiled(function)
    found = [step(X) for _ in range(3)]
    rng = np.random.default_rng(0)
    assert same(found, [function(X) for _ in range(3)])
    assert "Generator" in step.reasons[0]


@pytest.mark.parametrize(
    "source",
    [
        "np.random.normal(size=3)",
        "np.random.default_rng().normal(size=3)",
        "random.random()",
        "next(COUNTER)",
    ],
)
def test_what_differs_from_call_to_call_is_not_compiled(source):
    names = {"random": random, "COUNTER": iter(range(10**6))}
    space = module(f"def f(x): return np.sum(x * x * {source})", **names)
    step = compiled(grad(space["f"]))
    one, other, third = step(X), step(X), step(X)
    assert not np.array_equal(one, other)
    assert not np.array_equal(other, third)
    assert not step.programs()
    assert step.reasons


@pytest.mark.parametrize("to", ["numpy", "jax", "math"])
@pytest.mark.parametrize("source", ["time.perf_counter()", "CLOCK()", "HELD['clock']()"])
def test_clocks_are_asked_at_each_call(source, to):
    if to == "jax":
        pytest.importorskip("jax", reason="jax is not installed (extra: jax)")
    names = {"time": time, "CLOCK": time.monotonic_ns, "HELD": {"clock": time.time_ns}}
    space = module(f"def f(x): return np.sum(x * x) * ({source} - {source}) + {source}", **names)
    step = compiled(space["f"], to=to)
    told = []
    for _ in range(5):
        told.append(step(X))
        time.sleep(0.001)  # some clocks are that coarse
    assert told == sorted(set(told))
    assert step.count_of_programs() == 1, step.reasons


def test_numbers_that_a_clock_decides():
    """Each call gets another answer."""
    space = module("def f(x): return x * math.floor(time.time() * 1e6)", time=time, math=math)
    step = compiled(space["f"])
    told = []
    for _ in range(5):
        told.append(step(1.0))
        time.sleep(0.001)
    assert told == sorted(set(told))


LINES = """import numpy as np
COUNT = 0
def f(x):
    y = np.sin(x)
    return np.sum(y * rng.normal())
def g(x):
    files = os.listdir(".")
    return np.sum(x) * len(files)
class Model:
    def loss(self, x):
        y = x
        return y * os.getenv("SHELL", "").count("a")
model = Model()
def h(x):
    return np.sum(model.loss(x))
def k(x):
    global COUNT
    COUNT += 1
    return COUNT * np.sum(x)
"""


@pytest.mark.parametrize(
    ("name", "line", "where"),
    [("f", 5, "f"), ("g", 7, "g"), ("h", 12, "Model.loss"), ("k", 19, "k")],
)
def test_reasons_have_the_line(name, line, where):
    """In warnings, too."""
    space = {"__name__": "a_users_module", "rng": np.random.default_rng(0), "os": os}
    exec(compile(LINES, "users.py", "exec"), space)
    step = compiled(grad(space[name]))
    with pytest.warns(NotCompiledWarning, match=rf"\(users.py:{line}, in {where}\)"):
        [step(X) for _ in range(4)]


class Account:
    """Two arrays that belong together."""

    def __init__(self, lock):
        self.lock = lock
        self.a, self.b = np.ones(3), np.ones(3)

    def loss(self, x):
        with self.lock:
            return np.sum(x * self.a) + np.sum(x * self.b)


@pytest.mark.parametrize("lock", [threading.Lock, threading.RLock])
def test_locks_are_taken(lock):
    account = Account(lock())
    step = compiled(grad(account.loss))
    for _ in range(3):
        assert same(step(X), 2 * np.ones(3))
    assert step.count_of_programs() == 1, step.reasons
    found = []
    with account.lock:
        thread = threading.Thread(target=lambda: found.append(step(X)))
        thread.start()
        thread.join(0.1)
        account.a = np.full(3, 4.0)
        assert not found
        account.b = np.full(3, 5.0)
    thread.join()
    assert same(found[0], np.full(3, 9.0))
    assert account.lock.acquire(blocking=False)
    account.lock.release()


def test_a_lock_that_the_caller_has():
    """Of a function that reaches it, and does not take it."""
    account = Account(threading.Lock())

    def function(x):
        return np.sum(x * account.a) if account.lock is not None else None

    step = compiled(grad(function))
    for _ in range(4):
        with account.lock:
            assert same(step(X), account.a)
        account.a = account.a + 1.0
        assert same(step(X), account.a)


def test_seeded_generator_inside_is_compiled():
    def f(x):
        return np.sum(x * np.random.default_rng(3).normal(size=3))

    checked = Checked(grad(f))
    checked(X)
    checked(X)
    assert checked.programs == 1


def test_prints_go_on(capsys):
    def f(x):
        print("called")
        return np.sum(x * x)

    step = compiled(grad(f))
    for _ in range(3):
        step(X)
    assert capsys.readouterr().out == "called\n" * 3
    assert step.count_of_programs() == 1


def test_print_that_is_not_reached_is_no_reason():
    def f(x, verbose=False):
        if verbose:
            print("called")
        return np.sum(x * x)

    checked = Checked(grad(f))
    checked(X)
    assert checked.programs == 1


def test_changes_of_the_surroundings_happen():
    space = module(
        """
def f(x):
    global CALLS
    CALLS += 1
    return np.sum(x * x)

def g(x):
    LIST.append(1)
    return np.sum(x * x)

def h(x):
    OBJECT.calls += 1
    return np.sum(x * x * OBJECT.weights)

def k(x):
    CACHE["last"] = float(np.shape(x)[0])
    return np.sum(x * x)
""",
        CALLS=0,
        LIST=[],
        OBJECT=types.SimpleNamespace(calls=0, weights=np.ones(3)),
        CACHE={},
    )
    for name in "fghk":
        step = compiled(grad(space[name]))
        for _ in range(3):
            assert same(step(X), grad(space[name])(X))
    assert space["CALLS"] == 6
    assert len(space["LIST"]) == 6
    assert space["OBJECT"].calls == 6


def counting_on_itself(x):
    counting_on_itself.calls = getattr(counting_on_itself, "calls", 0) + 1
    return np.sum(x) * counting_on_itself.calls


def test_a_function_that_counts_its_calls():
    step = compiled(counting_on_itself)
    assert [step(np.ones(1)) for _ in range(4)] == [1.0, 2.0, 3.0, 4.0]
    assert counting_on_itself.calls == 4


def test_writes_into_arguments():
    def f(x):
        x[0] = x[1] * x[2]
        return np.sum(x * x)

    step = compiled(f)
    one, other = X.copy(), X.copy()
    for _ in range(3):
        assert same(step(one), f(other))
        assert same(one, other)


def test_writes_into_a_captured_array():
    buffer = np.zeros(3)

    def f(x):
        buffer[1:] += x[1:]
        return np.sum(buffer * x)

    step = compiled(f)
    step(X)
    assert same(buffer, np.array([0.0, -1.0, 2.0]))
    step(X)
    assert same(buffer, np.array([0.0, -2.0, 4.0]))


def test_results_share_no_memory():
    data = np.ones(3)
    step = compiled(lambda x: (x, data, x[::-1]))
    for _ in range(2):
        a, b, c = step(X)
        assert not any(np.shares_memory(part, whole) for part in (a, b, c) for whole in (X, data))


def test_rules_that_change():
    @primitive
    def cube(x):
        return x**3

    @default_rules.rrule.register(cube)
    def cube_rrule(x):
        return cube(x), lambda y_bar: (y_bar * 3 * x * x,)

    checked = Checked(grad(lambda x: np.sum(cube(x))))
    checked(X)
    checked(X)
    assert checked.programs == 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")

        @default_rules.rrule.register(cube)
        def other_rrule(x):
            return cube(x), lambda y_bar: (y_bar * FACTORS[0] * x,)

    checked(X)
    FACTORS[0] = 11.0
    checked(X)
    FACTORS[0] = 10.0


FACTORS = [10.0]


def test_frozen_names_are_not_checked():
    rng = np.random.default_rng(0)
    step = compiled(
        grad(lambda x: np.sum(x * x) + 0 * rng.bit_generator.state["state"]["inc"] % 2),
        frozen="rng",
    )
    step(X)
    assert "rng" not in " ".join(step.guards())


def test_many_programs_are_told_once():
    checked = Checked(grad(lambda x: np.sum(x * x)))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for size in range(1, 14):
            checked(np.ones(size))
    assert [each.category for each in told] == [NotCompiledWarning]
    assert checked.programs == 8


def test_zero_times_infinity():
    def f(x):
        return np.sum(np.where(x > 0, np.sqrt(np.abs(x)), 0.0))

    checked = Checked(grad(f))
    with np.errstate(all="ignore"):
        checked(X)
        checked(np.array([0.0, 1.0, 0.0]))
        checked(X)


def test_errors_are_the_functions_own():
    def f(x):
        return np.sum(np.linalg.inv(x))

    step = compiled(grad(f))
    step(np.eye(2))
    with pytest.raises(np.linalg.LinAlgError) as caught:
        step(np.zeros((2, 2)))
    assert any(
        entry.path.name == "test_surroundings.py" and entry.name == "f"
        for entry in caught.traceback
    )


def test_error_at_the_first_call():
    def f(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        compiled(grad(f))(X)


def test_warnings_are_the_functions_own():
    step = compiled(lambda x: np.sum(np.log(x)))
    for _ in range(2):
        step(X + 2)
    for _ in range(2):
        with pytest.warns(RuntimeWarning, match="divide by zero") as told:
            step(np.array([0.0, 1.0, 2.0]))
        assert told[0].filename == __file__
    with np.errstate(divide="ignore"):
        assert step(np.array([0.0, 1.0, 2.0])) == -np.inf


def test_error_states_that_the_function_sets():
    def f(x):
        with np.errstate(divide="raise"):
            return np.sum(1 / x)

    step = compiled(f)
    for _ in range(3):
        step(X)
    assert step.count_of_programs() == 1
    with pytest.raises(FloatingPointError), np.errstate(all="ignore"):
        step(np.array([0.0, 1.0, 2.0]))


def test_threads():
    weights = np.ones(3)

    def f(x):
        return np.sum(weights * x * x) if x[0] > 0 else np.sum(np.sin(x))

    function = value_and_grad(f)
    step = compiled(function)
    points = [k * X for k in (1.0, -1.0, 2.0, -3.0)] * 50
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(step, points))
    assert same(found, list(map(function, points)))


def test_a_function_that_calls_itself():
    @compiled
    def power(x, n):
        return x if n == 0 else x * power(x, n - 1)

    for _ in range(3):
        assert same(power(X, 3), X**4)


def test_inside_of_other_derivatives():
    square = compiled(lambda x: np.sum(x * x * x))
    square.prepare(X)
    assert same(grad(square)(X), 3 * X**2)
    assert same(grad(lambda x: np.sum(grad(square)(x)))(X), 6 * X)


def test_compiled_in_compiled():
    weights = np.ones(3)
    inner = compiled(lambda x: np.sum(weights * x * x))
    checked = Checked(value_and_grad(lambda x: np.sin(inner(x))))
    checked(X)
    weights[:] = 2.0
    checked(X)
    assert checked.programs == 1


def test_methods():
    class Layer:
        def __init__(self, weights):
            self.weights = weights

        @compiled
        def value(self, x):
            return np.sum(self.weights * x)

    one, other = Layer(np.ones(3)), Layer(np.arange(3.0))
    for _ in range(3):
        assert same(one.value(X), np.sum(X))
        assert same(other.value(X), np.sum(np.arange(3.0) * X))


def test_pickled_without_programs():
    step = compiled(grad(np.linalg.norm))
    step.prepare(X)
    assert same(pickle.loads(pickle.dumps(step))(X), grad(np.linalg.norm)(X))


@pytest.mark.parametrize("x", [np.ma.masked_array(X, [0, 1, 0]), X.view(np.recarray), [0.5, -1.0]])
def test_arguments_that_are_no_plain_arrays(x):
    function = lambda x: np.sum(np.asanyarray(x))  # noqa: E731
    step = compiled(function)
    for _ in range(3):
        assert type(step(x)) is type(function(x))
        assert step(x) == function(x)


def test_methods_in_c_that_draw_numbers():
    draw = np.random.default_rng(0).normal
    step = compiled(lambda x: np.sum(x * draw(size=3)))
    assert len({float(step(X)) for _ in range(4)}) == 4
    assert step.count_of_programs() == 0


def module_with_a_cache():
    return module(
        "@functools.lru_cache\ndef factor(n): return n * SCALE\n"
        "def f(x): return np.sum(factor(3) * x)",
        SCALE=2.0,
        functools=functools,
    )


def test_cached_functions():
    space = module_with_a_cache()
    checked = Checked(grad(space["f"]))
    checked(X)
    space["SCALE"] = 5.0
    space["factor"].cache_clear()
    checked(X)


def test_caches_that_are_cleared_after_a_call():
    space = module_with_a_cache()
    checked = Checked(grad(space["f"]))
    checked(X)
    assert checked.programs == 1
    space["SCALE"] = 5.0
    checked(X)  # the cache holds what was computed with the other one
    space["factor"].cache_clear()
    checked(X)
    assert checked(X)[0] == 15.0


def test_caches_that_are_asked():
    space = module(
        "@functools.cache\ndef factor(n): return 2.0 * n\n"
        "def f(x): return np.sum(factor(3) * x) * factor.cache_info().currsize",
        functools=functools,
    )
    checked = Checked(space["f"])
    checked(X)
    space["factor"](4)
    checked(X)
    assert "cache_info" in checked.reasons[0]


def test_caches_of_methods_are_left_to_the_tape():
    space = module(
        "class C:\n    s = 2.0\n    @functools.cache\n    def g(self): return self.s\n"
        "c = C()\ndef f(x): return np.sum(c.g() * x)",
        functools=functools,
    )
    checked = Checked(space["f"])
    checked(X)
    space["C"].s = 5.0
    checked(X)
    space["C"].g.cache_clear()
    checked(X)
    assert "has a cache" in checked.reasons[0]


def definite(x):
    try:
        np.linalg.cholesky(np.diag(x))
    except np.linalg.LinAlgError:
        return np.sum(x)
    return np.sum(x * x)


def inside(x):
    try:
        np.array([1.0, 2.0])[np.argmax(x)]
    except IndexError:
        return np.sum(x)
    return np.sum(x * x)


def positive(x):
    try:
        with np.errstate(all="raise"):
            np.log(x)
    except FloatingPointError:
        return np.sum(x)
    return np.sum(x * x)


def loud(x):
    with warnings.catch_warnings(record=True) as log:
        warnings.simplefilter("always")
        np.log(x)
    return np.sum(x) * (1 + len(log))


def counted(x):
    calls = []
    with np.errstate(all="call", call=lambda *call: calls.append(call)):
        np.exp(1e3 * x)
    return np.sum(x) * (1 + len(calls))


def whole(x):
    try:
        return np.sum(x) * int(stop_gradient(np.sum(np.sqrt(x))))
    except ValueError:
        return np.sum(x)


@pytest.mark.parametrize("function", [definite, inside, positive, loud, counted, whole])
@pytest.mark.parametrize("to", ["numpy", "jax", "c"])
@pytest.mark.parametrize("derivative", [lambda f: f, value_and_grad], ids=["plain", "gradient"])
def test_calls_that_are_made_for_their_errors_alone(function, to, derivative):
    if to == "jax":
        pytest.importorskip("jax")
    if to == "c" and shutil.which("cc") is None:
        pytest.skip("no C compiler")
    good, bad = np.array([0.5, 0.6, 0.4]), np.array([0.5, -1.0, 2.0])
    checked = Checked(derivative(function), to=to)
    with np.errstate(invalid="ignore"):
        for x in (good, good, bad, good, bad, 0.5 * good, 2.0 * bad):
            checked(x)


def finite(x):
    try:
        with np.errstate(all="raise"):
            return x * x
    except FloatingPointError:
        return -x


def first_and_finite(x, out):
    out[0] = x[0]
    try:
        with np.errstate(all="raise"):
            return np.sum(x * x)
    except FloatingPointError:
        return np.sum(-x)


def test_errors_of_numbers_and_of_programs_that_write_are_questions():
    step = Checked(finite, to="math")
    for x in map(np.float64, (1.5, 2.5, 1e200, 3.5)):
        step(x)
    program = compiled(first_and_finite)
    for x in (X, 2.0 * X, 1e200 * X, X):
        out, expected = np.zeros(2), np.zeros(2)
        assert program(x, out) == first_and_finite(x, expected)
        np.testing.assert_array_equal(out, expected)


def test_the_form_of_what_is_left_without_zeros():
    checked = Checked(lambda x: np.sum(np.trim_zeros(x)) * len(np.trim_zeros(x)))
    for x in (X, np.array([0.0, 1.0, 2.0]), 2.0 * X, np.array([1.0, 0.0, 0.0])):
        checked(x)


RAISING = {
    "quotient": ("1 / a", "np.errstate(divide='raise')", "FloatingPointError"),
    "quotient of numbers": ("1 / a[0]", "np.errstate(divide='raise')", "FloatingPointError"),
    "logarithm": ("np.log(a)", "np.errstate(divide='raise')", "FloatingPointError"),
    "into an array": (
        "np.divide(1, a, out=np.zeros_like(a))",
        "np.errstate(divide='raise')",
        "FloatingPointError",
    ),
    "at a place": (
        "np.divide.at(a * 1.0, 0, a[0])",
        "np.errstate(all='raise')",
        "FloatingPointError",
    ),
    "in place": ("a.copy().__itruediv__(a)", "np.errstate(all='raise')", "FloatingPointError"),
    "warning": ("1 / a", "warnings_as_errors()", "RuntimeWarning"),
}


@contextlib.contextmanager
def warnings_as_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("points", [(0.0, 1.0), (1.0, 0.0)], ids=["bad first", "good first"])
@pytest.mark.parametrize("case", RAISING)
def test_errors_of_the_error_state_are_questions(case, points):
    call, state, error = RAISING[case]
    source = f"""
def f(a):
    with {state}:
        try:
            {call}
        except {error}:
            return np.sum(a) * 2
    return np.sum(a * a)
"""
    function = module(source, warnings_as_errors=warnings_as_errors)["f"]
    step = compiled(function)
    for first in points:
        for _ in range(3):
            assert step(np.array([first, 3.0])) == (10.0 if first else 6.0)


SETTING = """
class Part:
    scale = 2.0
    def __init__(self, **given):
        for name, value in given.items():
            setattr(self, name, value)
    def value(self):
        return np.sum(self.x * self.x) * self.scale

class Held:
    rate, last = 1.5, None
    def sets(self, x, name, value):
        setattr(self, name, value)
        return np.sum(np.sin(x)) * self.rate

held = Held()

def made_anew(x): return Part(x=x, other=3).value() * held.rate
def same_again(x): return held.sets(x, "ra" + "te", 1.5)
def constant(x): return held.sets(x, "las" + "t", 7.0)
def of_the_run(x): return held.sets(x, "las" + "t", np.sum(x))
def of_class(x):
    setattr(Part, "sca" + "le", 3.0)
    return Part(x=x).value()
def counts(x):
    setattr(held, "rate", held.rate + 1.0)
    return np.sum(x) * held.rate
"""


@pytest.mark.parametrize("transform", [lambda f: f, grad])
@pytest.mark.parametrize(
    "name", ["made_anew", "same_again", "constant", "of_the_run", "of_class", "counts"]
)
def test_attributes_that_are_set_by_any_name(name, transform):
    """Beside a twin that is not compiled: the same results, and the same attributes afterwards."""
    ours, plain = module(SETTING), module(SETTING)
    step, expected = compiled(transform(ours[name])), transform(plain[name])
    for k in range(8):
        if k > 3:
            for space in (ours, plain):
                space["held"].rate = 0.5 * k
                space["held"].last = None if k % 2 else 7.0
                space["Part"].scale = 2.0 + k % 2
        np.testing.assert_allclose(step(X * (1 + k)), expected(X * (1 + k)), rtol=1e-13)
        one, other = ours["held"], plain["held"]
        assert str((one.rate, one.last, ours["Part"].scale)) == str(
            (other.rate, other.last, plain["Part"].scale)
        )
    if name == "made_anew":
        assert step.count_of_programs() > 0


KEEPING = """
import collections

class Keeping:
    ordered = collections.OrderedDict(a=1.0)

    def __init__(self):
        self.seen, self.named, self.last = [], {}, None
        self.deep, self.few = {"a": [1.0]}, collections.deque([0.0], maxlen=2)
        self.w = np.ones(3)

    def lists(self, x):
        self.seen.append(np.sum(x))
        return np.sum(x * x * self.w)

    def names(self, x):
        self.named["sum"] = np.sum(x) * 2.0
        return np.sum(x * x)

    def within(self, x):
        self.deep["a"].append(x[0])
        self.few.append(x[1])
        return np.sum(x * x)

    def orders(self, x):
        count = len([*self.ordered.items()])
        self.ordered["x"] = np.sum(x)
        return np.sum(x * x) * count

    def assigns(self, x):
        self.last = (np.sum(x), [x[0]])
        return np.sum(x * self.w)

    def fills(self, x):
        if self.last is None:
            self.last = [3.0, np.sum(x)][:1]
        return np.sum(x * x) * self.last[0]

class Slots:
    __slots__ = ("first", "last")

    def assigns(self, x):
        self.last = np.sum(x)
        return np.sum(x * x)

    def read(self):
        return self.last

kept, slots = Keeping(), Slots()
"""


@pytest.mark.parametrize("transform", [lambda f: f, grad])
@pytest.mark.parametrize("name", ["lists", "names", "within", "orders", "assigns", "fills"])
def test_what_objects_keep_of_a_run_is_what_the_function_puts_there(name, transform):
    ours, plain = module(KEEPING)["kept"], module(KEEPING)["kept"]
    step, expected = compiled(transform(getattr(ours, name))), transform(getattr(plain, name))
    for k in range(6):
        np.testing.assert_allclose(step(X + k), expected(X + k), rtol=1e-14)
        assert repr(vars(ours)) == repr(vars(plain))


@pytest.mark.parametrize("transform", [lambda f: f, grad])
def test_what_slots_keep(transform):
    ours, plain = module(KEEPING)["slots"], module(KEEPING)["slots"]
    step, expected = compiled(transform(ours.assigns)), transform(plain.assigns)
    for k in range(6):
        np.testing.assert_allclose(step(X + k), expected(X + k), rtol=1e-14)
        assert repr(ours.read()) == repr(plain.read())


def appends(x, log):
    log.append(np.sum(x))
    return np.sum(x * x)


def exchanges(x, log):
    log[0] = 2.0 * x
    return np.sum(x * log[0])


def only_reads(x, log):
    return np.sum(x * x) * log[0] * len(log)


@pytest.mark.parametrize("transform", [lambda f: f, grad])
@pytest.mark.parametrize("f", [appends, exchanges, only_reads])
def test_lists_among_the_arguments_that_are_changed(f, transform):
    step, expected = compiled(transform(f)), transform(f)
    ours, plain = [1.0], [1.0]
    for k in range(6):
        found, other = step(X + k, ours), expected(X + k, plain)
        np.testing.assert_allclose(found, other, rtol=1e-14)
        assert repr(ours) == repr(plain)
    assert bool(step.count_of_programs()) is (f is only_reads)
