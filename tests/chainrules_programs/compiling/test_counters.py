"""Programs count and assign as their functions do; what is counted and read, too, is left to the tape."""

import functools
import sys
import threading
import types

import numpy as np
import pytest

from chainrules_tape import compiled, grad, jacobian, seen_through, value_and_grad, vmap
from compiled_programs import leaves

X = np.array([0.5, -1.0, 2.0])
SOURCE = """
import numpy as np

CALLS = 0

class Model:
    shared = 0

    def __init__(self, w):
        self.w, self.calls, self.deep, self.last = w, 0, 0, None

    def loss(self, x):
        self.calls += 1
        return np.sum(self.inner(x) * self.w)

    def inner(self, x):
        for _ in range(len(x)):
            self.deep = self.deep + 2
        return np.where(x > 0.0, np.sin(x), x * x)

    def branches(self, x):
        self.calls += 1
        if np.sum(x) > 1.0:
            self.calls += 10
            return np.sum(x * x)
        self.deep -= 1
        return np.sum(np.cos(x))

    def of_class(self, x):
        Model.shared += 1
        return np.sum(x ** 3)

    def read(self, x):
        self.calls += 1
        return np.sum(x) * self.calls

    def limited(self, x):
        self.calls += 1
        if self.calls > 4:
            raise RuntimeError("too many calls")
        return np.sum(x * x)

    def late(self, x):
        self.calls += 1
        if self.calls > 5 and x[0] > 0.5:
            x = x * self.branches(x)
        return np.sum(x * self.w) * self.calls

    def reset(self, x):
        self.calls = 0
        self.calls += 1
        return np.sum(x * x)

    def noting(self, x):
        self.last = 3.0
        return np.sum(x * x)

    def failing(self, x):
        self.calls += 1
        return np.sum(np.linalg.inv(np.outer(x, x) + np.eye(3)) @ x)

    def recursive(self, x, depth=2):
        self.calls += 1
        return np.sum(x) if depth == 0 else self.recursive(np.sin(x), depth - 1)

def of_globals(x):
    global CALLS
    CALLS += 1
    return np.sum(x * x)

def of_globals_and_read(x):
    global CALLS
    CALLS += 1
    return np.sum(x) * asked()

def asked():
    return CALLS

def of_function(x):
    of_function.calls += 1
    return np.sum(np.exp(x))

of_function.calls = 0

def of_closure():
    count = 0

    def f(x):
        nonlocal count
        count += 1
        return np.sum(x * x)

    return f, lambda: count

def shared_closure():
    count = 0

    def f(x):
        nonlocal count
        count += 1
        return np.sum(x) * scale()

    def scale():
        return count

    return f, scale
"""


class Twins:
    """The functions of two modules of one source: of one they are compiled, of the other not."""

    def __init__(self):
        self.modules = [types.ModuleType("a_users_module") for _ in range(2)]
        for each in self.modules:
            exec(SOURCE, vars(each))
        self.ours, self.plain = self.modules
        self.models = [each.Model(np.array([1.0, 2.0, 3.0])) for each in self.modules]

    def states(self):
        """What is counted in each of them."""
        return [
            (
                model.calls,
                model.deep,
                model.last,
                each.Model.shared,
                each.CALLS,
                each.of_function.calls,
            )
            for model, each in zip(self.models, self.modules, strict=True)
        ]

    def check(self, ours, plain, *args):
        """Call both, and compare what they return or raise, and what they have counted."""
        results = []
        for function in (ours, plain):
            try:
                results.append(function(*args))
            except Exception as error:
                results.append((type(error).__name__,))
        for one, other in zip(*results, strict=True):
            if isinstance(one, str):
                assert one == other
            else:
                np.testing.assert_allclose(one, other, rtol=1e-12)
        one, other = self.states()
        assert one == other


METHODS = ("loss", "branches", "of_class", "recursive", "failing")
POINTS = [X, 2 * X, -X, X, np.ones(4), np.ones(4), X + 0.1, -X, np.ones(4), X]
POINTS_OF_THREE = [x for x in POINTS if len(x) == 3]


@pytest.mark.parametrize("method", METHODS)
def test_counts_of_methods(method):
    twins = Twins()
    ours, plain = (value_and_grad(getattr(model, method)) for model in twins.models)
    step = compiled(ours)
    for x in 2 * POINTS_OF_THREE:
        twins.check(step, plain, x)
    assert step.count_of_programs() > 0
    assert not step.faults


@pytest.mark.parametrize("name", ["of_globals", "of_function"])
def test_counts_of_functions(name):
    twins = Twins()
    ours, plain = (value_and_grad(getattr(each, name)) for each in twins.modules)
    step = compiled(ours)
    for x in POINTS:
        twins.check(step, plain, x)
    assert step.count_of_programs() == 2


def test_counts_of_closures():
    twins = Twins()
    (ours, count), (plain, other) = (each.of_closure() for each in twins.modules)
    step = compiled(value_and_grad(ours))
    for x in POINTS:
        twins.check(step, value_and_grad(plain), x)
        assert count() == other()
    assert step.count_of_programs() == 2


@pytest.mark.parametrize("method", ["read", "limited", "late", "reset", "noting"])
def test_counts_that_decide(method):
    twins = Twins()
    ours, plain = (value_and_grad(getattr(model, method)) for model in twins.models)
    step = compiled(ours)
    for x in POINTS_OF_THREE:
        twins.check(step, plain, x)
        for model in twins.models:  # somebody else writes there
            model.last = None
            model.calls += 1


def test_counts_that_another_function_reads():
    twins = Twins()
    step = compiled(value_and_grad(twins.ours.of_globals_and_read))
    for x in POINTS:
        twins.check(step, value_and_grad(twins.plain.of_globals_and_read), x)
    assert any("reads it elsewhere" in reason for reason in step.reasons)
    (ours, _), (plain, _) = (each.shared_closure() for each in twins.modules)
    step = compiled(value_and_grad(ours))
    for x in POINTS:
        twins.check(step, value_and_grad(plain), x)
    assert step.count_of_programs() == 0


@pytest.mark.parametrize("transform", ["plain", "vmap", "jacobian", "twice"])
def test_transforms(transform):
    make = {
        "plain": lambda f: lambda x: (f(x),),
        "vmap": lambda f: lambda x: vmap(grad(f))(np.stack([x, 2 * x])),
        "jacobian": lambda f: lambda x: jacobian(grad(f))(x),
        "twice": lambda f: lambda x: (f(x) + f(2 * x), grad(f)(x)),
    }[transform]
    twins = Twins()
    ours, plain = (make(model.loss) for model in twins.models)
    step = compiled(ours)
    for x in POINTS_OF_THREE:
        twins.check(step, plain, x)
    assert step.count_of_programs() > 0


def test_others_write_where_it_counts():
    twins = Twins()
    ours, plain = (grad(model.loss) for model in twins.models)
    step = compiled(ours)
    for value in (0, 7, -3, 10**30, 2.5, None, True, np.int64(3), 5):
        for _ in range(3):
            for model in twins.models:
                model.calls = value
            twins.check(step, plain, X)
            assert type(twins.models[0].calls) is type(twins.models[1].calls)
    for model in twins.models:
        del model.calls
    with pytest.raises(AttributeError):
        step(X)


def test_class_with_a_count_and_objects_without():
    space = {"__name__": "a_users_module"}
    exec(
        "import numpy as np\n"
        "class Counting:\n"
        "    n = 5\n"
        "    def f(self, x):\n"
        "        self.n += 1\n"
        "        return np.sum(x * x)\n",
        space,
    )
    one = space["Counting"]()
    step = compiled(grad(one.f))
    for count in range(1, 8):
        step(X)
        assert one.n == 5 + count
        assert space["Counting"].n == 5
    assert step.count_of_programs() == 1
    del one.n  # the number of the class is the object's now
    step(X)
    assert one.n == 6


OWN = """
import numpy as np

class Own:
    def __init__(self):
        self.__dict__["n"] = 0
        self.__dict__["noted"] = 0

    def __setattr__(self, name, value):
        self.__dict__["noted"] += 1
        self.__dict__[name] = value

    def f(self, x):
        self.n += 1
        return np.sum(x * x)

class Property:
    def __init__(self):
        self._n = 0

    @property
    def n(self):
        return self._n

    @n.setter
    def n(self, value):
        self._n = 2 * value

    def f(self, x):
        self.n += 1
        return np.sum(x * x)

class Slots:
    __slots__ = ("n",)

    def __init__(self):
        self.n = 0

    def f(self, x):
        self.n += 1
        return np.sum(x * x)
"""


@pytest.mark.parametrize("name", ["Own", "Property", "Slots"])
def test_attributes_that_are_not_plain(name):
    space = {"__name__": "a_users_module"}
    exec(OWN, space)
    one, other = space[name](), space[name]()
    step = compiled(grad(one.f))
    for _ in range(6):
        np.testing.assert_allclose(step(X), grad(other.f)(X))
        assert (one.n, getattr(one, "noted", 0)) == (other.n, getattr(other, "noted", 0))


SETTERS = """
import numpy as np
SCALE = 2.0

class Property:
    @property
    def v(self):
        return self._v

    @v.setter
    def v(self, value):
        self._v = value * SCALE

def f(x):
    made = Property()
    made.v = 3.0
    return np.sum(x * made.v)
"""


def test_setters_are_followed():
    space = {"__name__": "a_users_module"}
    exec(SETTERS, space)
    step = compiled(grad(space["f"]))
    for scale in (2.0, 2.0, 2.0, 5.0, 2.0):
        space["SCALE"] = scale
        np.testing.assert_allclose(step(X), 3.0 * scale * np.ones(3))


def test_two_objects_that_share_a_part():
    twins = Twins()
    for each, model in zip(twins.modules, twins.models, strict=True):
        each.holders = [types.SimpleNamespace(model=model) for _ in range(2)]
        exec("def both(x): return sum(h.model.loss(x) for h in holders)", vars(each))
    step = compiled(grad(twins.ours.both))
    for x in POINTS_OF_THREE:
        twins.check(step, grad(twins.plain.both), x)


def test_a_count_that_an_argument_has():
    twins = Twins()
    ours, plain = (grad(lambda x, model: model.loss(x)) for _ in range(2))
    step = compiled(ours)
    for _ in range(6):
        twins.check(lambda x: step(x, twins.models[0]), lambda x: plain(x, twins.models[1]), X)
    assert step.count_of_programs() == 1


def test_a_call_that_is_handed_over_counts_once():
    twins = Twins()
    for each in twins.modules:
        exec(
            "def f(x):\n    MODEL.calls += 1\n    y = 1.0 / x\n    return np.sum(np.where(x > 0, y, 0.0))",
            vars(each),
        )
    twins.ours.MODEL, twins.plain.MODEL = twins.models
    step = compiled(value_and_grad(twins.ours.f))
    with np.errstate(all="ignore"):
        for x in (X, 2 * X, X, np.array([0.0, 1.0, 2.0]), np.array([np.inf, 1.0, np.nan]), X):
            twins.check(step, value_and_grad(twins.plain.f), x)
    assert step.count_of_programs() == 1


def test_errors_in_the_middle():
    twins = Twins()
    for each in twins.modules:
        exec(
            "def f(x, y):\n    MODEL.calls += 1\n    z = np.linalg.solve(x, y)\n"
            "    MODEL.calls += 1\n    return np.sum(z)",
            vars(each),
        )
    twins.ours.MODEL, twins.plain.MODEL = twins.models
    step = compiled(grad(twins.ours.f))
    good, singular = np.eye(3) + 0.1, np.zeros((3, 3))
    for a in (good, good, good, singular, good):
        twins.check(step, grad(twins.plain.f), a, X)
    assert step.count_of_programs() == 1


def test_what_is_tried_counts_nothing():
    twins = Twins()
    step = compiled(grad(twins.models[0].loss))
    step.prepare(X)
    step.source(X)
    assert twins.states()[0] == twins.states()[1]
    assert step.count_of_programs() == 1
    for _ in range(3):
        twins.check(step, grad(twins.models[1].loss), X)


def test_reentrant_calls():
    twins = Twins()
    for each, wrap in zip(twins.modules, (compiled, lambda f: f), strict=True):
        exec("def f(x): return MODEL.loss(x) + np.sum(inner(x))", vars(each))
        each.inner = wrap(grad(lambda x, each=each: each.MODEL.branches(x)))
    twins.ours.MODEL, twins.plain.MODEL = twins.models
    step = compiled(twins.ours.f)
    for x in POINTS_OF_THREE:
        twins.check(lambda x: (step(x),), lambda x: (twins.plain.f(x),), x)


def test_one_thread_after_the_other():
    twins = Twins()
    step = compiled(grad(twins.models[0].loss))
    for _ in range(4):
        thread = threading.Thread(target=step, args=(X,))
        thread.start()
        thread.join()
        grad(twins.models[1].loss)(X)
    assert twins.states()[0] == twins.states()[1]


def test_in_a_scope(monkeypatch):
    twins = Twins()
    monkeypatch.setitem(sys.modules, "a_users_module", twins.ours)
    with seen_through("a_users_module"):
        step = compiled(grad(twins.models[0].loss))
        for x in POINTS_OF_THREE:
            twins.check(step, grad(twins.models[1].loss), x)
    assert step.count_of_programs() > 0


def test_arrays_are_written_once_where_a_call_does_more():
    space = {"__name__": "a_users_module", "np": np, "A": np.zeros(2)}
    exec("def f(x):\n    A[0] += 1.0\n    print(end='')\n    return np.sum(x * x)", space)
    step = compiled(space["f"])
    for count in range(1, 5):
        step(X)
        assert space["A"][0] == count


def test_partial_functions_and_large_counts():
    twins = Twins()
    ours, plain = (grad(functools.partial(model.recursive, depth=5)) for model in twins.models)
    step = compiled(ours)
    for _ in range(5):
        twins.check(step, plain, X)
    assert twins.models[0].calls == 30


ASSIGNING = """
import numpy as np

MODE, CURRENT, SHAPE, LAST, FLAG = "none", None, (), None, False

class Settings:
    def __init__(self, rate):
        self.rate, self.table, self.names = rate, np.arange(3.0), {"a": [1, None]}
        self.above, self.made_by = self, self.use

    def use(self):
        global CURRENT
        CURRENT = self
        return self

def by_branches(x):
    global MODE, SHAPE
    MODE = "up" if x[0] > 0.0 else "down"
    SHAPE = x.shape
    return np.sum(x * x)

def by_one_branch(x):
    global MODE
    if x[0] > 0.0:
        MODE = "up"
    return np.sum(np.sin(x))

def of_objects(x):
    settings = Settings(2.0).use()
    return np.sum(x * settings.rate)

def of_values(x):
    global LAST
    LAST = np.sum(x)
    return LAST * 2.0

def for_a_while(x):
    set_mode("inside")
    y = x * (2.0 if MODE == "inside" else 3.0)
    set_mode("none")
    return np.sum(y * y)

def set_mode(mode):
    global MODE
    MODE = mode

class Switch:
    def on(self):
        global FLAG
        FLAG = True

SWITCH = Switch()

def by_a_method(x):
    SWITCH.on()
    return np.sum(x * (2.0 if FLAG else 3.0))

def helper(x):
    return np.sum(x * x)

class Holder:
    pass

def of_functions(x):
    global LAST
    LAST = Holder()
    LAST.by = [helper]
    return helper(x)

def deletes(x):
    global MADE
    MADE = 1
    del MADE
    return np.sum(x)

def raises(x):
    global MODE
    MODE = "before"
    if x[0] > 1.5:
        raise ValueError("too large")
    return np.sum(x * x)

def of_closure():
    mode = None

    def f(x):
        nonlocal mode
        mode = "set"
        return np.sum(x * x)

    return f, lambda: mode
"""
COMPILE = ("by_branches", "by_one_branch", "of_objects", "raises", "deletes", "for_a_while")
STAY = ("of_values", "by_a_method", "of_functions")


def state_of(module):
    current = module.CURRENT
    held = None if current is None else (current.rate, list(current.table), repr(current.names))
    return module.MODE, module.SHAPE, module.FLAG, held, hasattr(module, "MADE")


def change(module, k):
    """What others do between two calls."""
    if k in (3, 8):
        module.MODE, module.SHAPE, module.FLAG = "other", None, False
    if k in (5, 10) and module.CURRENT is not None:
        module.CURRENT.rate = 7.0
        module.CURRENT.names["a"][1] = 3
        module.CURRENT.table[0] = 8.0


@pytest.mark.parametrize("name", COMPILE + STAY)
@pytest.mark.parametrize("way", [lambda f: f, grad, value_and_grad])
def test_what_is_assigned(name, way):
    modules = [types.ModuleType("a_users_module") for _ in range(2)]
    for each in modules:
        exec(ASSIGNING, vars(each))
    step = compiled(way(getattr(modules[0], name)))
    plain = way(getattr(modules[1], name))
    for k, x in enumerate([X, X, -X, 2 * X, X, -X, X, -X, X, X[:2], X[:2], X[:2], X, 2 * X]):
        results = []
        for module, function in zip(modules, (step, plain), strict=True):
            change(module, k)
            try:
                results.append(np.hstack(list(leaves(function(x)))))
            except ValueError as error:
                results.append(str(error))
        np.testing.assert_array_equal(*results)
        assert state_of(modules[0]) == state_of(modules[1])
    assert step.faults == {}
    assert bool(step.count_of_programs()) is (name in COMPILE), step.reasons
    if name == "of_functions":
        assert modules[0].LAST.by == [modules[0].helper]


def test_what_is_assigned_to_an_outer_variable():
    space = {}
    exec(ASSIGNING, space)
    f, mode = space["of_closure"]()
    step = compiled(grad(f))
    for k in range(5):
        np.testing.assert_array_equal(step(k * X), 2 * k * X)
        assert mode() == "set"
    assert step.count_of_programs() > 0
