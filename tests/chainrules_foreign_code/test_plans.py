"""A module is walked once; what has changed since is found at the next scope, and nothing is asked
of what it holds.
"""

import importlib
import math
import subprocess
import sys

import numpy as np
import pytest

import strangers
from chainrules_foreign_code import plans
from chainrules_tape import grad, seen_through

X = 0.7


@pytest.fixture
def walked(monkeypatch):
    """The names of the modules that are walked."""
    names = []
    original = plans.Plan

    def counted(module, survey, **options):
        names.append(module.__name__)
        return original(module, survey, **options)

    monkeypatch.setattr(plans, "Plan", counted)
    with seen_through("strangers"):
        pass
    names.clear()
    return names


def test_classes_in_classes_are_not_walked_again(walked, monkeypatch):
    inner = type("Inner", (), {"__module__": "strangers", "root": math.sqrt})
    outer = {"__module__": "strangers", "Inner": inner, "root": math.sqrt}
    monkeypatch.setattr(strangers, "Outer", type("Outer", (), outer), raising=False)
    for modules in (["strangers"], []):
        with seen_through("strangers"):
            assert grad(strangers.Outer.Inner.root)(4.0) == 0.25
        assert walked == modules
        walked.clear()


def test_a_second_scope_walks_nothing(walked):
    with seen_through("strangers"):
        assert grad(strangers.halves)(X) == pytest.approx(-math.sin(X))
    assert walked == []


CHANGES = {
    "a global": (vars(strangers), "converted"),
    "a new global": (vars(strangers), "quite_new"),
    "an entry of a dict": (strangers.TABLE, "sin"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_assigned_between_scopes(walked, name, monkeypatch):
    holder, key = CHANGES[name]
    monkeypatch.setitem(holder, key, math.tan)
    with seen_through("strangers"):
        assert grad(holder[key])(X) == pytest.approx(1 + math.tan(X) ** 2)
    assert walked == ["strangers"]
    assert holder[key] is math.tan


def test_a_variable_of_a_closure_between_scopes(walked):
    cell = strangers.decorated.__closure__[0]
    before = cell.cell_contents
    cell.cell_contents = lambda x: 2 * x
    try:
        with seen_through("strangers"):
            assert grad(strangers.decorated)(X) == 2.0
    finally:
        cell.cell_contents = before
    assert walked


def test_the_code_of_a_function_between_scopes(walked, monkeypatch):
    monkeypatch.setattr(strangers.converted, "__code__", (lambda x: 3 * float(x)).__code__)
    with seen_through("strangers"):
        assert grad(strangers.converted)(X) == 3.0
    assert walked == ["strangers"]


def test_a_shared_dict_that_the_first_module_drops(walked, monkeypatch):
    """It is walked for one of the modules that hold it; when that one lets go, another has to take
    it over.
    """
    shared = {"sin": math.sin}
    monkeypatch.setattr(strangers, "shared", shared, raising=False)
    monkeypatch.setattr(strangers.rotations, "shared", shared, raising=False)
    for holder in (strangers, strangers.rotations):
        with seen_through("strangers"):
            assert grad(shared["sin"])(X) == math.cos(X)
        assert shared == {"sin": math.sin}
        monkeypatch.delattr(holder, "shared")
        monkeypatch.setattr(holder, "shared", None, raising=False)
    with seen_through("strangers"):
        assert shared == {"sin": math.sin}


def test_scopes_of_other_packages_meanwhile():
    """Each set of packages has plans of its own, and a place that two of them name is filled once."""
    with seen_through("colorsys"):
        with seen_through("strangers"):
            with seen_through("statistics"):
                assert grad(strangers.halves)(X) == pytest.approx(-math.sin(X))
            assert grad(strangers.halves)(X) == pytest.approx(-math.sin(X))
        assert strangers.np is np
    one, other = seen_through("strangers"), seen_through("colorsys")
    one.__enter__(), other.__enter__(), one.__exit__()
    try:
        assert strangers.np is np
    finally:
        other.__exit__()


class Eager(dict):
    """A dict that does something whenever it is asked for an entry, as matplotlib's rcParams do."""

    def __getitem__(self, key):
        raise RuntimeError("asked")

    values = items = __iter__ = __len__ = __contains__ = get = keys = __getitem__


class Proxy:
    """An object that computes what it stands for when it is asked for anything, its class included."""

    @property
    def __class__(self):
        raise RuntimeError("asked")

    @property
    def __wrapped__(self):
        raise RuntimeError("asked")

    def __getattr__(self, name):
        raise RuntimeError("asked")


class WithoutName:
    __module__ = property(lambda self: "strangers")

    def sine(self, x):
        return math.sin(float(x))


def test_objects_that_must_not_be_asked(monkeypatch):
    table = Eager(sin=math.sin)
    monkeypatch.setattr(Eager, "__module__", "strangers")
    monkeypatch.setattr(Proxy, "__module__", "strangers")
    for name, held in {
        "table": table,
        "proxy": Proxy(),
        "nameless": WithoutName,
        "object": WithoutName(),
    }.items():
        monkeypatch.setattr(strangers, name, held, raising=False)
    with seen_through("strangers"):
        assert grad(dict.get(table, "sin"))(X) == math.cos(X)
        assert grad(strangers.halves)(X) == pytest.approx(-math.sin(X))
    assert dict.get(table, "sin") is math.sin


def test_a_class_whose_module_is_a_property(monkeypatch):
    variables = {"__name__": "strangers"}
    exec(
        "class C:\n    __module__ = property(lambda self: 1)\n    def f(self, x):\n        return"
        " float(x)\n",
        variables,
    )
    monkeypatch.setattr(strangers, "C", variables["C"], raising=False)
    before = strangers.C.f.__code__
    with seen_through("strangers"):
        assert grad(strangers.C().f)(X) == 1.0
    assert strangers.C.f.__code__ is before


def test_a_deep_structure(monkeypatch):
    chain = [math.sin]
    for _ in range(5000):
        chain = [chain]
    monkeypatch.setattr(strangers, "chain", chain, raising=False)
    with seen_through("strangers"):
        assert grad(strangers.halves)(X) == pytest.approx(-math.sin(X))


def test_modules_and_dicts_of_pythons_own(monkeypatch):
    monkeypatch.setattr(strangers, "loaded", sys.modules, raising=False)
    monkeypatch.setattr(strangers, "names", globals(), raising=False)
    with seen_through("strangers"):
        assert sys.modules["numpy"] is globals()["np"] is np


def test_reload_inside():
    before = strangers.rotations.turned.__code__.co_code
    with seen_through("strangers"):
        importlib.reload(strangers.rotations)
        assert grad(strangers.halves)(X) == pytest.approx(-math.sin(X))
    assert strangers.rotations.np is np
    assert strangers.rotations.cos is math.cos
    assert strangers.rotations.turned.__code__.co_code == before


def test_import_once_more_inside():
    old = sys.modules["strangers.rotations"]
    with seen_through("strangers"):
        del sys.modules["strangers.rotations"]
        try:
            new = importlib.import_module("strangers.rotations")
            assert new is not old
            for module in (old, new):
                assert grad(lambda x, module=module: module.turned(x)[0])(X) == pytest.approx(
                    -math.sin(X)
                )
        finally:
            sys.modules["strangers.rotations"] = strangers.rotations = old
    for module in (old, new):
        assert (module.np, module.cos) == (np, math.cos)


def test_a_module_that_takes_names_from_others_when_it_is_imported_inside(tmp_path, monkeypatch):
    folder = tmp_path / "visitors"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "import numpy as np\nfrom math import sin\nPAIR = (sin, 1)\n"
    )
    (folder / "late.py").write_text("from visitors import np, sin, PAIR\nwaves = [sin]\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import visitors

    with seen_through("visitors"):
        import visitors.late

        assert grad(visitors.late.sin)(X) == math.cos(X)
        assert grad(visitors.late.waves[0])(X) == math.cos(X)
    late = visitors.late
    assert (late.np, late.sin, late.waves, late.PAIR) == (np, math.sin, [math.sin], (math.sin, 1))
    assert late.PAIR is visitors.PAIR


@pytest.fixture
def circle(tmp_path, monkeypatch):
    """Two modules that import each other: the one that takes names of the other is done first."""
    folder = tmp_path / "circles"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "home.py").write_text(
        "def half(x):\n    return float(x) / 2\n"
        "def __third(x):\n    return float(x) / 3\n"
        "class Model:\n    def value(self, x):\n        return float(x) * 3\n"
        "from circles import guest\n"
    )
    (folder / "guest.py").write_text("from circles.home import Model, half\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("circles.home")
    for name in [name for name in sys.modules if name.partition(".")[0] == "circles"]:
        del sys.modules[name]


def test_modules_that_import_each_other(circle):
    with seen_through("circles"):
        assert grad(circle.half)(X) == 0.5
        assert grad(circle.Model().value)(X) == 3.0
        assert grad(vars(circle)["__third"])(X) == 1 / 3


def test_what_a_module_drops_that_another_one_has_from_it(circle, monkeypatch):
    with seen_through("circles"):
        pass
    monkeypatch.delattr(circle, "half")
    with seen_through("circles"):
        assert grad(circle.guest.half)(X) == 0.5


def test_code_without_a_name_of_its_module():
    variables = {"np": np}
    exec("def f(x):\n    return np.sin(x) if 0.0 < x else 0.0\n", variables)
    variables.pop("__name__", None)
    with seen_through("strangers"):
        assert grad(variables["f"])(X) == math.cos(X)
        assert grad(lambda x: variables["f"](x) if x == x else 0.0)(X) == math.cos(X)


SCIPY = """
import scipy
from chainrules_tape import grad, seen_through
with seen_through("scipy"):
    import scipy.stats
    print(grad(lambda x: scipy.stats.norm.logpdf(x))(0.3))
from chainrules_tape.scipy import stats
print(grad(lambda x: stats.norm.logpdf(x))(0.3))
"""
RC_PARAMS = """
import sys
import matplotlib
from chainrules_tape import seen_through
with seen_through("matplotlib"):
    print("matplotlib.pyplot" in sys.modules)
import matplotlib.pyplot
print(matplotlib.pyplot.plot.__name__)
"""


@pytest.mark.parametrize(
    ("package", "program", "printed"),
    [("scipy", SCIPY, ["-0.3", "-0.3"]), ("matplotlib", RC_PARAMS, ["False", "plot"])],
)
def test_packages_that_are_half_imported_when_the_scope_begins(package, program, printed):
    pytest.importorskip(package)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == printed, done.stderr
