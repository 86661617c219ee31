"""Saved modules run without the project, check themselves, and refuse what was not recorded."""

import builtins
import linecache
import subprocess
import sys

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import compiled, grad, value_and_grad
from chainrules_tape.refusals.errors import InputError

WITHOUT_PACKAGES = """
import sys
class Refused:
    def find_spec(self, name, *_):
        if name.startswith("chainrules"):
            raise ImportError(name)
sys.meta_path.insert(0, Refused())
"""


def loss(params, x):
    hidden = np.tanh(x @ params["w"] + params["b"])
    if hidden[0, 0] > 5:
        return np.sum(x)
    return np.mean(hidden**2)


@pytest.fixture
def text():
    params = {"b": np.linspace(0.1, 0.3, 3), "w": np.linspace(-1, 1, 120).reshape(40, 3)}
    return compiled(value_and_grad(loss)).source(params, np.linspace(0, 1, 80).reshape(2, 40))


def run(text, tmp_path, more=""):
    file = tmp_path / "loss_gradient.py"
    file.write_text(WITHOUT_PACKAGES + text + more)
    return subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=False)


def test_it_checks_itself(text, tmp_path):
    done = run(text, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "value_and_grad gives what was recorded." in done.stdout


def test_it_finds_another_result(text, tmp_path):
    done = run(text.replace("np.tanh", "np.sin"), tmp_path)
    assert "AssertionError" in done.stderr


def test_it_is_the_same_each_time():
    """Loops within loops, whose names are free for others after them."""

    def factored(a):
        a = tnp.array(a)
        for i in range(len(a)):
            for j in range(i):
                a[i, j] = (a[i, j] - a[i, :j] @ a[:j, j]) / a[j, j]
            for j in range(i, len(a)):
                a[i, j] -= a[i, :i] @ a[:i, j]
        return np.sum(a**2)

    matrix = np.random.default_rng(0).normal(size=(14, 14)) + 14 * np.eye(14)
    assert len({compiled(grad(factored)).source(matrix) for _ in range(4)}) == 1


def test_it_reads_like_a_module(text):
    opening = '"""value_and_grad, as straight NumPy code.\n\nThe program of value_and_grad(loss).'
    assert text.startswith(opening)
    assert "def value_and_grad(params, x):" in text
    assert "    params_w = checked(params['w'], \"params['w']\", (40, 3), np.float64)" in text
    assert '# hidden = np.tanh(x @ params["w"] + params["b"])' in text
    assert "# test_modules.py:" in text
    imported = [line for line in text.splitlines() if line.startswith(("import", "from"))]
    assert imported == ["import base64", "import zlib", "import numpy as np"]


def saved(function, *args, **options):
    """The names of the saved module of a call, and the function in it."""
    scope = {"__name__": "saved"}
    exec(compiled(function).source(*args, **options), scope)
    scope["main"]()
    is_of_program = "Compute what was recorded, for other numbers of the same shapes and types."
    (made,) = [x for x in scope.values() if getattr(x, "__doc__", "") == is_of_program]
    return scope, made


def defined(source, file="<a user's>"):
    """The function `f` of a user's module."""
    space = {"__name__": "a_users_module", "np": np}
    exec(compile(source, file, "exec"), space)
    return space["f"]


MARK = "import builtins; builtins.a_mark = 1"
TEXTS = [
    f'x""";{MARK};"""',
    f"x\n{MARK}\n",
    f"x\r{MARK}\r",
    f"x'''{MARK}",
    f"x):\n    {MARK}\ndef g(y",
    "x\\",
    'x"',
    "a b",
    "class",
    "None",
    "é",
    "\u202e",
    *("np", "main", "checked", "same", "parts", "example", "arguments", "zlib", "c1", "print"),
]


@pytest.fixture
def no_mark(monkeypatch):
    monkeypatch.delattr("builtins.a_mark", raising=False)
    yield
    assert not hasattr(builtins, "a_mark")


@pytest.mark.parametrize("text", TEXTS)
def test_texts_of_users_are_no_code(text, no_mark):
    x = np.array([0.5, 1.5])
    f = defined("def f(x): return np.sum(x * x)")
    f.__name__ = f.__qualname__ = text
    for function in (f, grad(f)):
        _, made = saved(function, x)
        np.testing.assert_allclose(made(x), function(x))
    g = defined("def f(x, **options): return np.sum(x) * sum(options.values())")
    saved(g, x, **{text: 2.0})
    h = defined("def f(d): return sum(np.sum(v * v) for v in d.values())")
    _, made = saved(grad(h), {text: x})
    np.testing.assert_allclose(made({text: x})[text], 2 * x)
    k = defined("def f(x):\n    y = np.sin(x)\n    return np.sum(y)", file=text)
    linecache.cache[text] = 1, None, [f"x\r{text}\r", f"y\r{text}\n", text], text
    saved(grad(k), x)
    k.__code__ = k.__code__.replace(co_varnames=("x", text))
    saved(k, x)


@pytest.mark.parametrize("name", ["np", "checked", "range", "len", "float", "zlib", "decoded"])
def test_parameters_hide_nothing(name):
    x = np.linspace(0.1, 0.9, 20)
    f = defined(f"def f({name}): return sum({name}[k] ** 3 for k in (0, 1, 2))")
    _, made = saved(grad(f), x)
    np.testing.assert_allclose(made(x), grad(f)(x))


class Loud(str):
    """A text that shows code."""

    __slots__ = ()

    def __repr__(self):
        return MARK


@pytest.mark.parametrize("key", [Loud("a"), object()])
def test_keys_without_text(key, no_mark):
    f = defined("def f(d): return sum(np.sum(v * v) for v in d.values())")
    with pytest.raises(InputError, match="has no text; call the function"):
        compiled(f).source({key: np.ones(2)})


X = np.ones(3)
IN_CONTAINERS = "def f(d, l): return np.sum(d['a'] * d['b']) * l[0] * np.sum(l[1][0])"
OTHERS = {
    "a key more": ({"a": X, "b": X, "c": X}, [2.0, (X,)]),
    "another order": ({"b": X, "a": X}, [2.0, (X,)]),
    "a list for a dict": ([X, X], [2.0, (X,)]),
    "None for an array": ({"a": None, "b": X}, [2.0, (X,)]),
    "a list for an array": ({"a": [1.0, 1.0, 1.0], "b": X}, [2.0, (X,)]),
    "single precision": ({"a": X.astype(np.float32), "b": X}, [2.0, (X,)]),
    "another byte order": ({"a": X.astype(">f8"), "b": X}, [2.0, (X,)]),
    "another shape": ({"a": np.ones(4), "b": X}, [2.0, (X,)]),
    "a matrix": ({"a": np.ones((1, 3)).view(np.matrix), "b": X}, [2.0, (X,)]),
    "a masked array": ({"a": np.ma.array(X), "b": X}, [2.0, (X,)]),
    "a longer list": ({"a": X, "b": X}, [2.0, (X,), X]),
    "a tuple for a list": ({"a": X, "b": X}, (2.0, (X,))),
    "None for a number": ({"a": X, "b": X}, [None, (X,)]),
    "a whole number": ({"a": X, "b": X}, [2, (X,)]),
}


@pytest.mark.parametrize("others", OTHERS)
def test_other_arguments_are_refused(others):
    function = value_and_grad(defined(IN_CONTAINERS), (0, 1))
    scope, made = saved(function, {"a": X, "b": 2 * X}, [2.0, (X,)])
    assert made({"a": X, "b": X}, [3.0, (X,)])[0] == 27.0
    with pytest.raises(scope["GuardFailed"], match=r"has to be .*, and is"):
        made(*OTHERS[others])


@pytest.mark.parametrize("other", [3, 2.0, True, None, np.ones(2), "2"])
def test_what_is_fixed_is_compared_with_its_class(other):
    scope, made = saved(defined("def f(x, n, s=None): return np.sum(x) * n"), X, 2, None)
    assert made(X, 2, None) == 6.0
    with pytest.raises(scope["GuardFailed"], match="n has to be 2"):
        made(X, other, None)
    with pytest.raises(scope["GuardFailed"], match="s has to be None"):
        made(X, 2, X)


@pytest.mark.parametrize(
    "body",
    [
        "return np.sum(x.copy().ravel('K') * np.arange(6.0))",
        "y = np.sin(x)\n    y.ravel()[0] = 5.0\n    return np.sum(y)",
        "y = np.sin(x)\n    z = y.reshape(-1)\n    y[0] = 5.0\n    return np.sum(z * z)",
    ],
)
def test_another_memory_order_is_refused_where_it_counts(body):
    x = np.arange(6.0).reshape(2, 3)
    scope, made = saved(defined(f"def f(x):\n    {body}"), x)
    with pytest.raises(scope["GuardFailed"], match=r"x\.strides has to be"):
        made(np.asfortranarray(x))


def test_any_memory_order_serves_where_it_does_not_count():
    x = np.arange(6.0).reshape(2, 3)
    f = defined("def f(x): return np.sum(np.sin(x[0]) * x[1])")
    _, made = saved(grad(f), x)
    np.testing.assert_allclose(made(np.asfortranarray(x)), grad(f)(x))


@pytest.mark.parametrize("dtype", ["g", "G", ">f8", ">g", "f2"])
@pytest.mark.parametrize("size", [1, 3, 40])
def test_numbers_that_python_has_no_literals_for(dtype, size):
    x = np.linspace(0.1, 0.9, size).astype(dtype) / np.array(3, dtype)
    constant = x[::-1].copy()
    f = defined("def f(x, c): return np.sum(x * c)")
    _, made = saved(lambda x: f(x, constant) + x[0], x)
    assert made(x) == f(x, constant) + x[0]


def test_arguments_without_text():
    f = defined("def f(x, when): return np.sum(x)")
    with pytest.raises(InputError, match="a datetime64 has no text; call the function"):
        compiled(f).source(X, np.datetime64("2020"))


def test_options_in_any_order():
    f = defined("def f(x, **options): return x * options['b'] - options['a']")
    _, made = saved(f, X, b=2 * X, a=X)
    np.testing.assert_array_equal(made(X, b=5 * X, a=X), 4 * X)
