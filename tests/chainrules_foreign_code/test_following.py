"""Programs as they stand: what nobody has marked or named is seen through where a refusal asks for it."""

import linecache
import math
import os
import pickle
import re
import subprocess
import sys
import traceback
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from contextvars import copy_context
from functools import partial

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, LSQUnivariateSpline

import chainrules_tape.autograd as of_autograd
from chainrules_foreign_code.following import told
from chainrules_py import ZERO, debug_mode, implicit_function
from chainrules_tape import (
    EscapedValueError,
    LostGradientError,
    SeenThroughWarning,
    as_primitive,
    check_derivatives,
    checkpoint,
    compiled,
    draw,
    explain,
    grad,
    hessian,
    higher_derivatives,
    hvp,
    jacobian,
    jacobian_operator,
    jvp,
    linearize,
    only_marked,
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
from own_modules import module_of
from slopes import quotients

pytestmark = pytest.mark.filterwarnings("ignore::chainrules_tape.SeenThroughWarning")


PLAIN = """
import math
import numpy as np

def number(x):
    buffer = np.empty(2)
    buffer[0], buffer[1] = math.sin(x), float(x) ** 2
    return math.log(buffer.sum())

def entries(x):
    return np.array([math.sin(x[0]) * x[1], math.exp(x[1])])

def total(x):
    return float(entries(x).sum())

def decay(t, y, k):
    slope = np.zeros(1)
    slope[0] = -k * y[0]
    return slope

def of_two(x, y=2.0):
    return math.sin(x) * float(y), {"beside": 3}

class Wave:
    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        return math.sin(self.k * x)

    def at(self, x):
        return math.cos(self.k * x)

    slope = property(lambda self: 2.0)
"""
IN_BUFFERS = PLAIN.replace(
    "    return np.array([math.sin(x[0]) * x[1], math.exp(x[1])])",
    "    found = np.zeros(2)\n    found[0] = np.sin(x[0]) * x[1]\n    found[1:] = np.exp(x[1:])\n"
    "    return found",
)


@pytest.fixture(autouse=True)
def by_itself():
    with only_marked(False):
        yield


@pytest.fixture(params=[PLAIN, IN_BUFFERS], ids=["plain", "in buffers"])
def own(request, tmp_path):
    return module_of(request.param, tmp_path)


def decayed(decay, k):
    return solve_ivp(decay, (0, 1), [1.0], args=(k,), rtol=1e-11, atol=1e-13).y[0, -1]


def in_autograd(own):
    autograd = pytest.importorskip("autograd")
    from chainrules_autograd import to_autograd

    return autograd.grad(to_autograd(own.total))(AT)


def recorded(own):
    values = own.total, own.entries
    programs = list(map(compiled, values))
    for x in (AT, 2.0 * AT, AT):
        found = [program(x) for program in programs]
    assert [len(program.programs()) for program in programs] == [1, 1]
    assert list(map(type, found)) == [float, np.ndarray]
    return np.hstack(found), np.hstack([value(AT) for value in values])


AT = np.array([0.3, 0.7])
S, C, E = math.sin(0.3), math.cos(0.3), math.exp(0.7)
MATRIX = np.array([[0.7 * C, S], [0.0, E]])
SECOND = np.array([[-0.7 * S, C], [C, E]])

# each entry point, of functions of a file that nobody has seen before, and what it finds
ENTRIES = {
    "grad": lambda own: (grad(own.total)(AT), MATRIX.sum(0)),
    "value_and_grad": lambda own: (value_and_grad(own.total)(AT)[1], MATRIX.sum(0)),
    "jacobian": lambda own: (jacobian(own.entries)(AT), MATRIX),
    "reverse": lambda own: (jacobian(own.entries, mode="reverse")(AT), MATRIX),
    "sparse jacobian": lambda own: (jacobian(own.entries, sparse=True)(AT).toarray(), MATRIX),
    "hessian": lambda own: (hessian(own.total)(AT), SECOND),
    "sparse hessian": lambda own: (hessian(own.total, sparse=True)(AT).toarray(), SECOND),
    "sparsity": lambda own: (sparsity(own.entries, AT).pattern.toarray(), MATRIX != 0.0),
    "jvp": lambda own: (jvp(own.entries, (AT,), (np.ones(2),))[1], MATRIX.sum(1)),
    "vjp": lambda own: (vjp(own.entries, AT)[1](np.ones(2))[0], MATRIX.sum(0)),
    "linearize": lambda own: (linearize(own.entries, AT)[1](np.ones(2)), MATRIX.sum(1)),
    "hvp": lambda own: (hvp(own.total, AT, np.ones(2)), SECOND.sum(1)),
    "vmap": lambda own: (vmap(own.entries)(np.array([AT, AT]))[1], [S * 0.7, E]),
    "taylor": lambda own: (taylor(own.entries, AT, 1)[1], MATRIX.sum(1)),
    "higher_derivatives": lambda own: (higher_derivatives(own.total, AT, 2)[2], SECOND.sum()),
    "operator": lambda own: (jacobian_operator(own.entries, AT) @ np.ones(2), MATRIX.sum(1)),
    "adjoint": lambda own: (jacobian_operator(own.entries, AT).T @ np.ones(2), MATRIX.sum(0)),
    "checkpoint": lambda own: (grad(checkpoint(own.total))(AT), MATRIX.sum(0)),
    "inner checkpoint": lambda own: (grad(lambda x: checkpoint(own.total)(x))(AT), MATRIX.sum(0)),
    "autograd": lambda own: (of_autograd.grad(own.total)(AT), MATRIX.sum(0)),
    "elementwise": lambda own: (
        of_autograd.elementwise_grad(own.total)(AT),
        MATRIX.sum(0),
    ),
    "nested": lambda own: (grad(lambda x: np.sum(grad(own.total)(x)))(AT), SECOND.sum(0)),
    "grad of grad": lambda own: (jacobian(grad(own.total))(AT), SECOND),
    "has_aux": lambda own: (grad(own.of_two, has_aux=True)(0.3)[0], 2.0 * C),
    "by name": lambda own: (grad(own.of_two, "y", has_aux=True)(0.3, y=2.0)[0], S),
    "callable": lambda own: (grad(own.Wave(2.0))(0.3), 2.0 * math.cos(0.6)),
    "method": lambda own: (grad(own.Wave(2.0).at)(0.3), -2.0 * math.sin(0.6)),
    "partial": lambda own: (grad(partial(own.Wave.at, own.Wave(2.0)))(0.3), -2.0 * math.sin(0.6)),
    "multigrad_dict": lambda own: (of_autograd.multigrad_dict(own.total)(AT)["x"], MATRIX.sum(0)),
    "make_hvp": lambda own: (of_autograd.make_hvp(own.total)(AT)[0](np.ones(2)), SECOND.sum(1)),
    "hessian_vector_product": lambda own: (
        of_autograd.hessian_vector_product(own.total)(AT, np.ones(2)),
        SECOND.sum(1),
    ),
    "vector_jacobian_product": lambda own: (
        of_autograd.vector_jacobian_product(own.entries)(AT, np.ones(2)),
        MATRIX.sum(0),
    ),
    "implicit_function": lambda own: (
        grad(implicit_function(lambda x: own.total(x) / 4.0, lambda y, x: own.total(x) - 4.0 * y))(
            AT
        ),
        MATRIX.sum(0) / 4.0,
    ),
    "a solver": lambda own: (
        grad(lambda x: brentq(lambda y: own.number(y) - own.number(x), 0.1, 2.0))(0.7),
        1.0,
    ),
    "an integral": lambda own: (grad(lambda x: quad(own.number, 0.5, x)[0])(0.7), own.number(0.7)),
    "an equation": lambda own: (
        np.round(grad(lambda k: decayed(own.decay, k))(0.7), 8),
        np.round(-math.exp(-0.7), 8),
    ),
    "to_autograd": lambda own: (in_autograd(own), MATRIX.sum(0)),
    "as_primitive": lambda own: (grad(as_primitive(own.total))(AT), MATRIX.sum(0)),
    "compiled primitive": lambda own: (
        [grad(as_primitive(own.total, compiled=True))(AT) for _ in range(3)][2],
        MATRIX.sum(0),
    ),
    "compiled": lambda own: ([compiled(grad(own.total))(AT) for _ in range(3)][2], MATRIX.sum(0)),
    "compiled itself": recorded,
    "grad of compiled": lambda own: (grad(compiled(own.total))(AT), MATRIX.sum(0)),
    "pickled": lambda own: (pickle.loads(pickle.dumps(grad(own.total)))(AT), MATRIX.sum(0)),
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_entry_point(entry, own):
    found, expected = ENTRIES[entry](own)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_what_is_shown_and_explained(tmp_path):
    wave = module_of("import math\n\ndef wave(x):\n    return x * math.sin(x)\n", tmp_path).wave
    assert "wave(float)" in str(explain(wave, 0.7))
    assert "sin(v1)" in str(draw(lambda x: wave(2.0 * x), 0.7)).replace("#95;", "_")
    said = f"seen through: the file {os.path.basename(wave.__code__.co_filename)}"
    assert "  by a rule: numpy.sin, numpy.multiply" in str(explain(wave, 0.7))
    assert said in str(show(wave, 0.7))
    assert said in str(explain(wave, 0.7))


def test_which_calls_went_by_what(tmp_path):
    source = (
        "import math\nimport numpy as np\nimport statistics\n\ndef helper(x):\n"
        "    y = np.zeros(2)\n    y[0] = x\n    return math.sin(y[0])\n\n"
        "def f(x):\n    scale = len([1, 2]) * statistics.NormalDist(0.0, 1.0).pdf(x)\n"
        "    return helper(x) * np.cov(np.array([x, 2.0 * x])) * scale\n"
    )
    said = str(explain(module_of(source, tmp_path, "ways").f, 0.7))
    lines = [line.strip() for line in re.sub(r":\d+\)", ")", said).splitlines()]
    by = dict(line.split(": ") for line in lines if ": " in line)
    assert {"numpy.sin", "numpy.exp", "numpy.array"} <= set(by["by a rule"].split(", "))
    assert by["by a body"] == "numpy.cov"
    sources = by["by their own source"].split(", ")
    assert {"helper (ways.py)", "NormalDist.pdf (statistics.py)"} <= set(sources)
    assert by["by plain values alone"] == "len"
    assert "no rule" in str(explain(lambda x: 1 // 0, 0.7))


def test_a_file_that_is_read_again(tmp_path):
    for _ in range(2):
        wave = module_of("import math\n\ndef f(x):\n    return math.sin(x)\n", tmp_path, "again").f
        assert grad(wave)(0.0) == 1.0


DECORATOR = """
import numpy as np

class Row(np.ndarray):
    def __new__(cls, entries):
        return np.ndarray.__new__(cls, len(entries))

def of_arrays(function):
    def wrapper(*args):
        assert isinstance(Row([1.0]), Row)
        return function(*map(np.asarray, args))
    return wrapper
"""


@pytest.mark.parametrize("is_named", [False, True])
def test_what_a_decorator_of_another_file_has_made(is_named, tmp_path):
    decorating = f"decorated_{is_named}.decorating"
    module_of(DECORATOR, tmp_path, decorating)
    source = f"import sys\n@sys.modules[{decorating!r}].of_arrays\ndef f(x): return (x * x).sum()"
    f = module_of(source, tmp_path, f"decorated_{is_named}.holding").f
    with only_marked(is_named), seen_through(decorating) if is_named else nullcontext():
        assert np.all(grad(lambda x: f(x * 1.0))(AT) == 2.0 * AT)


def test_an_array_that_another_file_has_made(tmp_path):
    source = "def add(y, x):\n    y[0] += x\n    return y"
    module_of(f"import numpy as np\n{source}", tmp_path, "writing_alone")
    source = "from writing_alone import add\ndef f(x):\n    return np.sum(add(np.zeros(2), x) ** 2)"
    making = module_of(f"import numpy as np\n{source}", tmp_path, "making_alone")
    seen_through(making.add)
    assert grad(making.f)(3.0) == 6.0


def test_a_compiled_function_that_writes_into_its_argument(tmp_path):
    source = "import math\n\ndef f(x):\n    x[0] = 3.0 * x[1]\n    return math.sin(x[0])\n"
    program, x = compiled(module_of(source, tmp_path).f), AT.copy()
    assert [program(x) for _ in range(3)] == [math.sin(x[0])] * 3
    assert x[0] == 3.0 * x[1]


@pytest.mark.parametrize("run", range(5))
def test_threads_that_begin_at_once(run, tmp_path):
    f = module_of("import math\n\ndef f(x):\n    return math.sin(x)\n", tmp_path, f"own_{run}").f
    slopes = [partial(copy_context().run, grad(f), 0.0) for _ in range(8)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda slope: slope(), slopes)) == [1.0] * 8


ASKING = """
import numpy as np

def kind(x):
    return 2.0 if type(x) is float and not np.iterable(x) and not hasattr(x, "shape") else 5.0

def reaching(x):
    return kind(x) * x

class Asking:
    def __call__(self, x):
        return x**2 if type(x) == float else 0.0 * x

    @staticmethod
    def beside(x):
        return x**2 if type(x) == float else 0.0 * x

asking = Asking()

class Holding:
    def __init__(self, x):
        self.x = x

    @property
    def squared(self):
        return self.x**2 if type(self.x) == float else 0.0 * self.x

def of_class(x):
    return Asking.beside(x)

def of_iterator(x):
    try:
        return (iter(x), 0.0 * x)[1]
    except TypeError:
        return x**2

def of_property(x):
    return Holding(x).squared

def made():
    class Local:
        def squared(self, x):
            return x**2 if type(x) == float else 0.0 * x

    return lambda x: Local().squared(x)

of_closure = made()

def halving(a, low=0.0, high=2.0):
    while high - low > 1e-10:
        middle = 0.5 * (low + high)
        if middle * middle < a:
            low = middle
        else:
            high = middle
    return low
"""


@pytest.mark.parametrize("slope", [lambda f: grad(f)(0.7), lambda f: jvp(f, (0.7,), (1.0,))[1]])
def test_questions_that_are_asked_before_anything_is_refused(slope, tmp_path):
    names = "of_class", "of_iterator", "of_property", "of_closure"
    alone = [getattr(module_of(ASKING, tmp_path), name) for name in names]
    own = module_of(ASKING, tmp_path)
    for f in (*alone, own.reaching, own.asking, lambda x: own.asking(x)):
        assert slope(f) == pytest.approx(quotients(f, 0.7), rel=1e-6)
    with pytest.raises(LostGradientError, match="halving"):
        slope(own.halving)


NAMING = """
def called(x):
    return x**2

def between(x):
    return called(x)

def f(x):
    return between(x)

def asking(x):
    return x**3 if type(x) is float else 0.0 * x
"""


@pytest.mark.parametrize(
    "slope",
    [
        grad,
        lambda f: lambda x: grad(f)(x),
        lambda f: grad(partial(f)),
        lambda f: lambda x: jvp(f, (x,), (1.0,))[1],
    ],
)
def test_a_global_that_is_another_function_later_is_looked_at(slope, tmp_path):
    own = module_of(NAMING, tmp_path)
    derivative = slope(own.f)
    assert [derivative(2.0) for _ in range(2)] == [4.0, 4.0]
    second = grad(grad(own.f))
    assert second(2.0) == 2.0
    own.called = own.asking
    assert [derivative(2.0) for _ in range(2)] == [12.0, 12.0]
    assert second(2.0) == 12.0


def test_a_helper_that_becomes_one_that_was_looked_at(tmp_path):
    own = module_of(NAMING + "def holding(held):\n    return lambda x: held(x)\n", tmp_path)
    f = own.holding(own.called)
    assert [grad(f)(2.0) for _ in range(4)] == [grad(own.between)(2.0)] * 4 == [4.0] * 4
    f.__closure__[0].cell_contents = own.between
    assert grad(f)(2.0) == 4.0


# how a function calls a helper, and how that becomes another one
LEADING = {
    "closure": ("captured(x)", "captured = asking"),
    "empty": ("empty(x) if empty else called(x)", "empty = asking"),
    "entry": ("entries[0](x)", "entries[0] = asking"),
    "new entry": ("entries[-1](x)", "entries.append(asking)"),
    "attribute": ("model.held(x)", "model.held = asking"),
    "new attribute": ("model.method(x)", "model.method = asking"),
    "class": ("model.method(x)", "Model.method = lambda self, x: asking(x)"),
    "property": ("Model(x).squared", "Model.squared = property(lambda self: asking(self.held))"),
    "object": ("model.method(x)", "model = Other()"),
    "module": ("module.called(x)", "module.called = asking"),
    "code": ("called(x)", "called.__code__ = asking.__code__"),
    "vectorized": ("vectorized(x)[()]", "vectorized.pyfunc = asking"),
}
LED = """
import types
import numpy as np

class Model:
    squared = property(lambda self: called(self.held))

    def __init__(self, held):
        self.held = held

    def method(self, x):
        return called(x)

class Other:
    def method(self, x):
        return asking(x)

def made():
    captured, empty, entries, model = called, None, [called], Model(called)
    module, vectorized = types.ModuleType("own"), np.vectorize(called)
    module.called = called

    def change():
        nonlocal captured, empty, model
        {}
    return (lambda x: {}), change

f, change = made()
"""


@pytest.mark.parametrize("way", [grad, lambda f: lambda x: grad(f)(x), lambda f: compiled(grad(f))])
@pytest.mark.parametrize("name", LEADING)
def test_what_leads_to_another_function_later_is_looked_at(name, way, tmp_path):
    call, change = LEADING[name]
    source = NAMING.replace("type(x) is float", "type(x) in (float, np.float64)")
    own = module_of(source + LED.format(change, call), tmp_path)
    derivative = way(own.f)
    assert [derivative(2.0) for _ in range(3)] == [4.0] * 3
    own.change()
    assert [derivative(2.0) for _ in range(3)] == [12.0] * 3


HOLDING = """
from functools import partial

class Holder:
    def __init__(self, f):
        self.f = f

    def __call__(self, x):
        return self.f(x)

    def method(self, x):
        return self.f(x)

def call(f, x):
    return f(x)

def closure(f):
    return lambda x: f(x)

def default(f):
    return lambda x, g=f: g(x)

def option(f):
    return lambda x, *, g=f: g(x)

def container(f):
    held = {"f": [f]}
    return lambda x: held["f"][0](x)

def holder(f):
    held = Holder(f)
    return lambda x: held.method(x)

def method(f):
    return Holder(f).method

def wrapped(f):
    return partial(call, f)

def executed(f):
    space = {"f": f}
    exec("def g(x):\\n    return f(x)" + "  # asks" * (f is asking), space)
    return space["g"]

def derived(f):
    class Derived(Holder):
        pass
    return lambda x: Derived(f)(x)

def cube(x):
    return x**3

def asking(x):
    return x**2 if type(x) is float else x**3
"""


@pytest.mark.parametrize(
    "way",
    [grad, lambda f: lambda x: jvp(f, (x,), (1.0,))[1], lambda f: compiled(grad(f))],
    ids=["grad", "jvp", "compiled"],
)
@pytest.mark.parametrize("holder", [*re.findall(r"def (\w+)\(f\)", HOLDING), "Holder"])
def test_functions_of_one_code_that_hold_different_functions(holder, way, tmp_path):
    own = module_of(HOLDING, tmp_path)
    make = getattr(own, holder)
    with only_marked():
        assert way(make(own.asking))(2.0) == 12.0  # nothing is looked at
    assert way(make(own.cube))(2.0) == 12.0
    assert way(make(own.asking))(2.0) == 4.0


@pytest.mark.parametrize(
    "slope",
    [
        lambda call, f: grad(call, "x")(f, x=2.0),
        lambda call, f: compiled(grad(call, 1))(f, 2.0),
        lambda call, f: compiled(call)(f, 2.0),
        lambda call, f: jacobian(call, 1)(f, 2.0),
        lambda call, f: vjp(call, f, 2.0)[1](1.0)[1],
        lambda call, f: jvp(call, (f, 2.0), (ZERO, 1.0))[1],
    ],
)
def test_functions_among_the_arguments_are_looked_at(slope, tmp_path):
    own = module_of(HOLDING, tmp_path)
    assert slope(own.call, own.Holder(own.asking)) == 4.0


def test_the_methods_of_a_single_argument_are_looked_at(tmp_path):
    model = (
        "from dataclasses import dataclass\n@dataclass\nclass Model:\n    w: float\n"
        "    def cube(self):\n        return self.w ** 3 if type(self.w) is float else 0.0 * self.w\n"
    )
    point = module_of(model, tmp_path).Model(2.0)
    assert grad(lambda m: m.cube())(point).w == 12.0


def test_a_compiled_function_that_asks_what_its_argument_is(tmp_path):
    program = compiled(module_of(HOLDING, tmp_path).asking)
    assert [program(2.0) for _ in range(3)] == [4.0] * 3


def test_check_derivatives(own):
    assert check_derivatives(own.total, AT)


def test_debug_mode_says_it_though_it_was_said(own):
    told[own.__file__] = "said"
    with debug_mode(), pytest.warns(SeenThroughWarning, match="was seen through"):
        found = grad(own.number)(0.7)
    assert found == pytest.approx(quotients(own.number, 0.7), rel=1e-6)


def test_functions_of_two_files(tmp_path):
    inner = "import math\nn = m = 0\n\ndef inner(x):\n    return math.sin(x) * float(x)\n"
    one = module_of(inner, tmp_path, "own_one")
    text = (
        "import own_one\n\ndef outer(x):\n    own_one.n += 1\n    return counted(x)\n"
        "\ndef counted(x):\n    own_one.m += 1\n    return own_one.inner(float(x)) ** 2\n"
    )
    outer = module_of(text, tmp_path, "own_two").outer
    for count in (1, 2):
        found = grad(outer)(0.7)
        assert one.n == one.m == count  # though the first one has run twice
        assert found == pytest.approx(quotients(lambda x: (math.sin(x) * x) ** 2, 0.7), rel=1e-6)


def test_a_notebook():
    space = {"__name__": "__main__"}
    exec("import math\ndef f(x):\n    return later(x)", space)
    exec("def later(x):\n    return math.sin(x)", space)
    assert grad(space["f"])(0.7) == math.cos(0.7)


@pytest.mark.parametrize("file", ["<ipython-input-1-a>", "<string>"])
def test_code_whose_variables_have_no_name(file):
    text = "import math\ndef f(x):\n    return math.sin(x) * float(x)\n"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    for _ in range(2):  # a cell that is run again
        space = {}
        exec(compile(text, file, "exec"), space)
        assert grad(space["f"])(0.7) == pytest.approx(0.7 * math.cos(0.7) + math.sin(0.7))
        assert grad(lambda x, f=space["f"]: 2.0 * f(x))(0.0) == 0.0


def test_an_installed_package(tmp_path, monkeypatch):
    folder = tmp_path / "site-packages" / "package_of_strangers"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("from package_of_strangers.waves import wave, careful\n")
    (folder / "waves.py").write_text(
        "import math\nimport warnings\nimport numpy as np\n\n"
        "def wave(x):\n    return math.sin(x)\n\n"
        "def stale(x):\n    warnings.warn('stale', UserWarning, stacklevel=2)\n"
        "    return math.cos(x)\n\n"
        "def careful(x):\n    try:\n        return float(x) ** 2\n"
        "    except TypeError:\n        raise ValueError('no number') from None\n\n"
        "def careless(x):\n    try:\n        return float(x) ** 3\n"
        "    except TypeError:\n        return 0.0 * x\n\n"
        "def filled(x):\n    y = np.zeros((2, 2))\n    y[0] = x\n    y[:, 1] += x\n"
        "    return (y @ y).sum()\n"
    )
    monkeypatch.syspath_prepend(folder.parent)
    from package_of_strangers import waves

    assert grad(lambda x: waves.wave(x) * x)(0.7) == pytest.approx(
        0.7 * math.cos(0.7) + math.sin(0.7)
    )
    assert grad(waves.wave)(0.7) == math.cos(0.7)
    assert waves.math is math
    with pytest.warns(UserWarning, match="stale") as found:
        assert grad(lambda x: waves.stale(x))(0.7) == -math.sin(0.7)
    assert {each.filename for each in found} == {__file__}
    assert grad(lambda x: waves.careful(x))(0.7) == pytest.approx(1.4)
    assert grad(waves.careless)(0.5) == pytest.approx(0.75)  # of the lines of plain numbers
    expected = quotients(lambda t: waves.filled(np.array([t, 2.0])), 0.5)
    assert grad(waves.filled)(np.array([0.5, 2.0]))[0] == pytest.approx(expected)
    slope = vjp(lambda x: checkpoint(waves.wave)(x), 0.7)[1]
    assert slope(1.0) == (math.cos(0.7),)


IMPORTS = """
import array
import itertools
import math
import random
import types
from collections import ChainMap, deque
from queue import Queue

import numpy as np
from scipy import stats

"""

# what a function may change beside what it returns: each is in `state`, and changed by `change`
STATEFUL = {
    "a generator": ("state = np.random.default_rng(3)", "state.uniform()"),
    "an old generator": ("state = np.random.RandomState(3)", "state.rand()"),
    "bits": ("state = np.random.PCG64(3)", "np.random.Generator(state).uniform()"),
    "NumPy's generator": ("state = np.random\nstate.seed(3)", "state.uniform()"),
    "Python's generator": ("state = random\nstate.seed(3)", "state.random()"),
    "a generator of Python's": ("state = random.Random(3)", "state.random()"),
    "a distribution's": ("state = stats.norm()\nstate.random_state = 3", "state.rvs()"),
    "an array": ("state = np.zeros((2, 2))", "np.add(state[0], 1.0, out=state[0]).sum()"),
    "a list": ("state = [3.0, 2.0, 1.0, 5.0]", "state.pop()"),
    "a queue": ("state = deque([3.0, 2.0, 1.0, 5.0])", "state.popleft()"),
    "a queue of threads": (
        "state = Queue()\nfor k in range(4):\n    state.put(k + 2.0)",
        "state.get()",
    ),
    "a dict": ("state = {}", "state.setdefault('n', []).append(1) or len(state['n'])"),
    "a set": ("state = set()", "state.add(len(state)) or len(state)"),
    "bytes": ("state = bytearray(b'a')", "state.append(3) or len(state)"),
    "numbers": ("state = array.array('d')", "state.append(3.0) or len(state)"),
    "an object": (
        "class Own:\n    n = 0\n    def up(self):\n        self.n += 1\n        return self.n\nstate = Own()",
        "state.up()",
    ),
    "slots": (
        (
            "class Own:\n    __slots__ = ('n',)\n    def up(self):\n        self.n += 1\n"
            "        return self.n\nstate = Own()\nstate.n = 0"
        ),
        "state.up()",
    ),
    "private slots": (
        (
            "class Own:\n    __slots__ = ('__n',)\n    def __init__(self):\n        self.__n = 0\n"
            "    def up(self):\n        self.__n += 1\n        return self.__n\nstate = Own()"
        ),
        "state.up()",
    ),
    "a class": (
        "class state:\n    n = 0\n    @classmethod\n    def up(cls):\n        cls.n += 1\n        return cls.n",
        "state.up()",
    ),
    "a namespace": (
        "state = types.SimpleNamespace(n=0)\ndef up():\n    state.n += 1\n    return state.n",
        "up()",
    ),
    "a global": (
        "state = 0\ndef up():\n    global state\n    state += 1\n    return state",
        "up()",
    ),
    "a global of a property": (
        (
            "n = 0\nclass Own:\n    @property\n    def up(self):\n        global n\n        n += 1\n"
            "        return n\nstate = Own()"
        ),
        "state.up",
    ),
    "a global of a static method": (
        (
            "n = 0\nclass state:\n    @staticmethod\n    def up():\n        global n\n        n += 1\n"
            "        return n"
        ),
        "state.up()",
    ),
    "a closure": (
        (
            "def made():\n    n = 0\n    def inner():\n        nonlocal n\n        n += 1\n        return n\n"
            "    return inner\nstate = made()"
        ),
        "state()",
    ),
    "a default": ("def state(n=[0]):\n    n[0] += 1\n    return n[0]", "state()"),
    "a default by name": ("def state(*, n=[0]):\n    n[0] += 1\n    return n[0]", "state()"),
    "a chain": ("state = ChainMap({'n': 0})", "state.update(n=state['n'] + 1) or state['n']"),
    "traced values": ("state = []", "state.append(x) or len(state)"),
}
# what cannot be put back
UNTOLD = {
    "an iterator": ("state = iter([2.0, 3.0, 5.0])", "next(state)"),
    "a count": ("state = itertools.count(1)", "next(state)"),
    "seeds": (
        "state = np.random.SeedSequence(3)",
        "np.random.default_rng(state.spawn(1)[0]).uniform()",
    ),
}


def stateful(given, change, folder):
    source = f"{IMPORTS}{given}\n\ndef f(x):\n    return ({change}) * math.sin(x)\n"
    return module_of(source, folder).f


def along_one(f):
    return lambda x: jvp(f, (x,), (1.0,))


@pytest.mark.parametrize("way", [value_and_grad, partial(value_and_grad, argnums=(0,)), along_one])
@pytest.mark.parametrize("name", STATEFUL)
def test_the_first_call_finds_what_the_function_alone_finds(name, way, tmp_path):
    f = stateful(*STATEFUL[name], tmp_path)
    expected = [f(0.7) for _ in range(3)]
    f = stateful(*STATEFUL[name], tmp_path)
    assert [way(f)(0.7)[0] for _ in range(3)] == expected


@pytest.mark.parametrize("way", [value_and_grad, along_one])
@pytest.mark.parametrize("name", UNTOLD)
def test_what_cannot_be_told_is_refused(name, way, tmp_path):
    f = stateful(*UNTOLD[name], tmp_path)
    with pytest.raises(LostGradientError, match=r"float\(x\)"):
        way(f)(0.7)


def test_state_of_a_function_within_derivatives(tmp_path):
    f = stateful("state = np.random.default_rng(3)", "state.uniform()", tmp_path)
    drawn = np.random.default_rng(3).uniform()
    assert grad(grad(f))(0.7) == pytest.approx(-drawn * math.sin(0.7))


FILLED = """
import functools
import math
import numpy as np
from scipy import stats
from scipy.interpolate import CubicSpline, RectBivariateSpline, UnivariateSpline

held = {}
grid = np.linspace(0.0, 2.0, 6)
surface = RectBivariateSpline(grid, grid, np.outer(grid, grid**2))
along = surface.partial_derivative(1, 0)
laws = stats.multivariate_normal([0.1, 0.2]), stats.multivariate_t([0.3, 0.1]), stats.dirichlet([1.5, 2.0])

def f(x):
    if not held:
        held["spline"] = CubicSpline(np.linspace(0.0, 2.0, 6), np.linspace(0.0, 2.0, 6) ** 3)
        held["line"] = UnivariateSpline(grid, grid**3, s=0.01)
        held["table"] = np.zeros(3), [np.ones(2)]
        held["each"] = np.vectorize(lambda t: math.sin(t))
        held["interp"] = functools.partial(np.interp, xp=np.linspace(0, 1, 3), fp=np.array([0.0, 1.0, 4.0]))
    table = held["table"][0].copy()
    table[0] = held["spline"](x) * held["each"](x)
    table[2] = sum(law.logpdf(np.array([x, 1.0 - x])) for law in laws)
    table[1] = surface.ev(x, 0.3) * along(0.2, x)[0, 0] + held["line"].integral(0.1, x)
    return float(table.sum()) + held["interp"](x) + held["line"].derivative()(x)
"""


def test_what_a_function_fills_is_plain(tmp_path):
    module = module_of(FILLED, tmp_path)
    f, held = module.f, module.held
    slopes = [grad(f)(0.7) for _ in range(2)]
    assert slopes == pytest.approx([quotients(f, 0.7)] * 2, rel=1e-6)
    table, (ones,) = held["table"]
    found = (
        *map(
            type,
            (
                held["spline"],
                held["line"],
                table,
                ones,
                held["each"],
                held["interp"].keywords["fp"],
            ),
        ),
    )
    splines = CubicSpline, LSQUnivariateSpline  # as SciPy calls a polynomial
    assert found == (*splines, np.ndarray, np.ndarray, np.vectorize, np.ndarray)


def test_traced_values_that_are_kept_are_refused_later(tmp_path):
    source = (
        "import math\nheld = {}\n\ndef f(x):\n    if 'y' not in held:\n"
        "        held['y'] = math.sin(x)\n    return held['y']\n"
    )
    f = module_of(source, tmp_path).f
    assert grad(f)(0.7) == math.cos(0.7)
    for way in (grad(f), lambda x: jvp(f, (x,), (1.0,))):
        with pytest.raises(EscapedValueError, match="outlived"):
            way(0.7)


@pytest.mark.parametrize("way", [grad, lambda f: lambda x: jvp(f, (x,), (1.0,))])
def test_code_of_a_text_is_tried_once(way, tmp_path):
    f = module_of("import math\n\ndef f(x):\n    return eval('math.sin(x)')\n", tmp_path).f
    with pytest.raises(LostGradientError, match=r"float\(x\)"):
        way(f)(0.7)


def test_lines_that_ran_because_of_a_refusal(tmp_path):
    source = (
        "import math\nfailed = []\n\ndef f(x):\n    try:\n        y = math.sqrt(x)\n"
        "    except TypeError:\n        failed.append(1)\n        y = x\n    return y + len(failed) * x\n"
    )
    for k, way in enumerate((value_and_grad, along_one)):
        assert way(module_of(source, tmp_path, f"caught_{k}").f)(0.25) == (0.5, 1.0)


def test_errors_of_the_users_own_are_not_run_again(tmp_path):
    source = "import math\nruns = []\n\ndef f(x):\n    runs.append(1)\n    raise KeyError('own')\n"
    module = module_of(source, tmp_path)
    with pytest.raises(KeyError, match="own"):
        grad(module.f)(0.7)
    assert module.runs == [1]


def test_said_once(tmp_path):
    source = (
        "import math\n\ndef f(x):\n    return math.sin(x)\n\ndef g(x):\n    return math.cos(x)\n"
    )
    module = module_of(source, tmp_path, "said_once")
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        grad(module.f)(0.7), grad(module.f)(0.7), jvp(module.g, (0.7,), (1.0,)), grad(module.g)(0.7)
    (warning,) = found
    assert warning.category is SeenThroughWarning
    assert (warning.filename, warning.lineno) == (module.__file__, 4)
    for words in ("said_once.py", "@seen_through above f", "run twice", "only_marked"):
        assert words in str(warning.message)


def test_who_wants_errors(own, tmp_path):
    with only_marked(), pytest.raises(LostGradientError):
        grad(own.number)(0.7)
    with only_marked(), pytest.raises(LostGradientError):
        jvp(own.number, (0.7,), (1.0,))
    with warnings.catch_warnings():
        warnings.simplefilter("error", SeenThroughWarning)
        with pytest.raises(LostGradientError):
            grad(own.number)(0.7)
    program = tmp_path / "program.py"
    program.write_text(PLAIN + "from chainrules_tape import grad\ngrad(number)(0.7)\n")
    environment = {**os.environ, "CHAINRULES_ONLY_MARKED": "1"}
    run = partial(subprocess.run, [sys.executable, program], capture_output=True, text=True)
    assert "LostGradientError" in run(env=environment, check=False).stderr
    environment["CHAINRULES_ONLY_MARKED"] = "0"
    assert "SeenThroughWarning" in run(env=environment, check=True).stderr


def test_errors_of_later_calls_show_no_frame_of_ours(tmp_path):
    own = module_of(NAMING, tmp_path)
    slope = grad(own.f)
    assert slope(2.0) == 4.0
    with pytest.raises(TypeError) as caught:
        slope("text")
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert {frame.filename for frame in frames} == {__file__, own.__file__}


CACHING = """
import math
from functools import lru_cache
import numpy as np

@lru_cache
def kept(n):
    found = np.zeros(n)
    for k in range(n):
        found[k] = k + 1.0
    return found, {"ones": np.ones(n), "copy": found.copy()}

entries = {}

def entry(n, memo={}):
    if n not in entries:
        entries[n] = memo[n] = np.zeros(n)
        entries[n][:] = 2.0
    return entries[n] + memo[n]

class Model:
    def attribute(self, n):
        if not hasattr(self, "found"):
            self.found = np.array([3.0] * n)
        return self.found

model = Model()

def f(x):
    beside = kept(len(x))[0] + entry(len(x)) + model.attribute(len(x))
    return math.exp(float(x[0])) * np.sum(beside * x)
"""


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("derivative", [grad, hessian, lambda f: compiled(grad(f))])
def test_what_a_function_keeps_for_later_calls_is_plain(derivative, again, tmp_path):
    own = module_of(CACHING, tmp_path)
    if again:  # the file is seen before anything is kept
        grad(own.f)(np.ones(1))
        own.kept.cache_clear()
        own.entries.clear()
        own.entry.__defaults__[0].clear()
        del own.model.found
    derivative(own.f)(AT)
    found, named = own.kept(2)
    kept = [found, *named.values()]
    if not again:  # dicts and attributes that are filled in a later call are not looked at
        kept += [own.model.found, own.entries[2], own.entry.__defaults__[0][2]]
    assert {type(each) for each in kept} == {np.ndarray}


ONE_BY_ONE = """
import math
import numpy as np
from scipy import interpolate, linalg, signal, special, stats
from scipy.spatial.distance import cdist
from scipy.spatial.transform import Rotation, Slerp

V = np.array([1.0, 2.0, 3.0])
PROGRAMS = {
    "gstd": lambda x: stats.gstd(x),
    "rotation": lambda x: np.sum(Rotation.from_rotvec(x).apply(V)),
    "rotations": lambda x: np.sum((Rotation.from_euler("xyz", x) * Rotation.identity()).as_matrix()),
    "between": lambda x: np.sum(Slerp([0, 1], Rotation.from_rotvec([x, V]))(0.3).as_rotvec()),
    "cdist": lambda x: np.sum(cdist(x[None], V[None], "minkowski", p=3)),
    "linear": lambda x: interpolate.LinearNDInterpolator(np.eye(3)[:, :2] * 4, V)(x[0], x[1])[()],
    "spline": lambda x: interpolate.CubicSpline(V, x)(1.5)[()],
    "math": lambda x: math.sin(float(x[0])) * x[1],
    "normal": lambda x: stats.norm(x[0], 2.0).logpdf(x[1]),
    "zmap": lambda x: np.sum(stats.zmap(x, V) ** 2),
    "solve": lambda x: np.sum(linalg.solve_toeplitz(x, V)),
    "detrend": lambda x: np.sum(signal.detrend(x) ** 2),
    "special": lambda x: special.gammaln(x).sum(),
}
"""


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.long) for k in (1, 2))])
def test_the_outcome_of_a_program_is_its_own_whatever_ran_before(seed, tmp_path):
    programs = module_of(ONE_BY_ONE, tmp_path).PROGRAMS
    x = np.array([0.7, 0.4, 0.9])
    for name in np.random.default_rng(seed).permutation([*programs]):
        f = programs[name]
        plain, slopes = f(x), quotients(f, x)
        value, found = value_and_grad(f)(x)
        np.testing.assert_allclose(value, plain, rtol=1e-13, err_msg=name)
        np.testing.assert_allclose(found, slopes, rtol=1e-5, atol=1e-7, err_msg=name)
