"""What somebody else changes while a scope lasts, or has changed before, stays theirs, and nothing
of ours stays behind.
"""

import builtins
import math
import sys
import types

import numpy as np
import pytest

import strangers
from chainrules_foreign_code.stand_in_modules import stand_in_module
from chainrules_py import NoRuleError
from chainrules_tape import grad, seen_through

X = 0.7


def own(x):
    return 2 * x


def test_patched_inside_and_undone_inside():
    patch = pytest.MonkeyPatch()
    with seen_through("strangers"):
        patch.setattr(strangers, "np", math)
        patch.undo()
        assert strangers.np is stand_in_module("numpy")
    assert strangers.np is np


PATCHED = {
    "a module": (strangers, "np"),
    "a function": (strangers, "array"),
    "a partial": (strangers, "raised"),
    "a class": (strangers.Model, "average"),
    "a static method": (strangers.Model, "root"),
    "a dict": (strangers.TABLE, "sin"),
}


@pytest.mark.parametrize("when", ["inside, undone outside", "before, undone inside", "around"])
@pytest.mark.parametrize(("holder", "name"), PATCHED.values(), ids=PATCHED)
def test_an_entry_that_somebody_patches(holder, name, when):
    entries = holder if isinstance(holder, dict) else vars(holder)
    before, patch, scope = entries[name], pytest.MonkeyPatch(), seen_through("strangers")
    is_dict = isinstance(holder, dict)

    def change(value):
        (patch.setitem if is_dict else patch.setattr)(holder, name, value)

    if when.startswith("inside"):
        with scope:
            change(own)
        assert entries[name] is own
        patch.undo()
    elif when.startswith("before"):
        change(np.median)
        with scope:
            patch.undo()
    else:
        change(np.median)
        with scope:
            assert entries[name] is not before
        assert entries[name] is np.median
        patch.undo()
    with seen_through("strangers"):
        pass
    assert entries[name] is before
    assert type(strangers) is types.ModuleType or when.startswith("before")


def test_an_entry_that_stays_patched_through_another_scope():
    patch = pytest.MonkeyPatch()
    with seen_through("strangers"):
        patch.setattr(strangers, "np", math)
    with seen_through("strangers"):
        # that of `math`, which is seen through as well
        assert grad(strangers.np.sin)(X) == math.cos(X)
    assert strangers.np is math
    patch.undo()
    assert strangers.np is np


def test_a_module_that_assigns_one_of_ours_itself():
    code = "def choose():\n    global chosen\n    chosen = numpy.cos\n"
    exec(code, vars(strangers))
    strangers.chosen = np.linalg.norm
    try:
        with seen_through("strangers"):
            strangers.choose()
            assert grad(strangers.chosen)(X) == -math.sin(X)
        assert strangers.chosen is np.cos
    finally:
        del strangers.chosen, strangers.choose


def test_a_list_that_grew_meanwhile():
    strangers.CHOICES = choices = [math.sin, math.cos]
    try:
        with seen_through("strangers"):
            choices.insert(0, own)
            assert choices[1] is not math.sin
        assert choices == [own, math.sin, math.cos]
    finally:
        del strangers.CHOICES


def test_what_is_deleted_inside_stays_deleted():
    strangers.CHOICES = {"sin": math.sin}
    strangers.passing = math.cos
    try:
        with seen_through("strangers"):
            del strangers.CHOICES["sin"], strangers.passing
        assert strangers.CHOICES == {}
        assert not hasattr(strangers, "passing")
    finally:
        del strangers.CHOICES


def test_the_builtins_stay_where_a_module_holds_their_dict(monkeypatch):
    """As `sympy.abc` does, which looks through a namespace that `exec` has filled."""
    monkeypatch.setattr(strangers, "held", vars(builtins), raising=False)
    before = dict(vars(builtins))
    with seen_through("strangers"):
        assert {name for name, found in before.items() if vars(builtins)[name] is not found} <= {
            "__import__"
        }


class Compiled:
    """What numba makes of a function, as far as it is looked at here; `py_func` may be one of its
    class.
    """

    __module__ = "numba.core"

    def __init__(self, function):
        self.py_func = function
        self._compiler = types.SimpleNamespace(py_func=function)

    def __call__(self, x):
        return self.py_func(x)


def test_a_compiled_function_that_two_modules_hold():
    """It compiles with the globals of its own module as they are outside, and is itself again
    afterwards.
    """
    owner, other = types.ModuleType("strangers.compiled"), types.ModuleType("strangers.users")
    exec(
        "import math\nfactor = 3.0\ndef tripled(x):\n    return factor * math.sin(x)\n", vars(owner)
    )
    function = owner.tripled
    owner.tripled = other.tripled = compiled = Compiled(function)
    state = dict(vars(compiled)), vars(compiled._compiler).copy()
    for modules in ((owner, other), (other, owner)):
        sys.modules |= {module.__name__: module for module in modules}
        try:
            with seen_through("strangers"):
                assert grad(other.tripled)(X) == pytest.approx(3.0 * math.cos(X))
                assert compiled.py_func.__globals__["math"] is math
                assert compiled.py_func.__globals__["factor"] == 3.0
                assert compiled._compiler.py_func is compiled.py_func
            assert owner.tripled is other.tripled is compiled
            assert (vars(compiled), vars(compiled._compiler)) == state
        finally:
            for module in modules:
                del sys.modules[module.__name__]


def test_a_function_of_numba_that_writes_its_result_into_an_argument(monkeypatch):
    """It stays compiled, so that a traced value is refused, and plain ones are computed."""
    numba = pytest.importorskip("numba")
    module = types.ModuleType("strangers.compiled")
    exec("def total(x, result):\n    result[0] = x.sum()\n", vars(module))
    module.total = numba.guvectorize(["void(float64[:], float64[:])"], "(n)->()")(module.total)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    with seen_through("strangers"):
        assert module.total(np.ones((2, 3))).tolist() == [3.0, 3.0]
        with pytest.raises(NoRuleError, match="total"):
            grad(lambda x: module.total(x))(np.ones(3))
