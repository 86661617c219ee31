"""What users read when plain code meets a traced value: what happened, what to write, and in whose
code the line is.
"""

import ast
import importlib
import io
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse.linalg import lobpcg

import chainrules_tape.numpy as tnp
import strangers
from chainrules_py import NoRuleError
from chainrules_tape import (
    InPlaceError,
    LostGradientError,
    grad,
    jvp,
    only_marked,
    seen_through,
    stop_gradient,
)
from chainrules_tape.refusals.error_notes import is_generated, module_of

X = np.array([0.5, 1.5])


def in_a_thread(work, *args):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work, *args).result()


def test_threads_that_a_function_starts_write_into_arrays_that_are_made_outside_of_them():
    """Or they make arrays of lists, with a scope and without."""

    def written(y, x):
        y[0] = x[0] ** 2
        return y[0]

    def inside(x):
        return in_a_thread(lambda: written(tnp.zeros(2), x))

    for mark in (lambda f: f, seen_through):
        for f in (
            inside,
            lambda x: in_a_thread(written, tnp.zeros(2), x),
            lambda x: in_a_thread(tnp.array, [x[0] ** 2, 1.0])[0],
        ):
            assert grad(mark(f))(X).tolist() == [1.0, 0.0]


def test_errors_of_ones_own_are_left_as_they_are(differentiate):
    def f(x):
        raise ValueError("no such model")

    with pytest.raises(ValueError, match="no such model") as caught:
        differentiate(f)
    assert not hasattr(caught.value, "__notes__")


READ_BACK = {
    "float": lambda x: float(f"{x}"),
    "int": lambda x: int(str(x)),
    "float64": lambda x: np.float64(repr(x)),
    "array": lambda x: np.array(str(x)).astype(float),
    "file": lambda x: np.loadtxt(io.StringIO(str(x))),
    "fraction": lambda x: Fraction(str(x)),
    "code": lambda x: eval(str(x)),
}


@pytest.mark.parametrize("read", READ_BACK.values(), ids=READ_BACK)
def test_a_text_that_is_read_back_is_that_of_a_traced_number(differentiate, read):
    said = "the text of a traced number is read back.*; convert the number itself.*stop_gradient"
    with pytest.raises(LostGradientError, match=said):
        differentiate(lambda x: read(x[0]))


@pytest.mark.parametrize("read", [complex, ast.literal_eval, Decimal])
def test_a_text_of_which_python_does_not_say_what_it_is_may_be_one(differentiate, read):
    with pytest.raises((ValueError, ArithmeticError)) as caught:
        differentiate(lambda x: read(str(x[0])))
    assert "If that was the text of a traced number" in caught.value.__notes__[0]


@pytest.mark.parametrize("make", [lambda x: x, lambda x: {"loss": [x]}])
def test_a_traced_number_is_no_float_for_a_file(make):
    for derivative in (grad, lambda f: lambda x: jvp(f, (x,), (1.0,))):
        with pytest.raises(LostGradientError, match=r"json.dumps\(x\): a traced number.*stop_grad"):
            derivative(lambda x: len(json.dumps(make(x))) * x)(1.5)


OTHERS_CODE = """
import numpy as np

def total(x):
    return float(x[0])

def filled(x):
    y = np.zeros(2)
    y[0] = x[0]
    return y

def keyed(x):
    return {x: 1}

unknown = np.frompyfunc(lambda x: x, 1, 1)

def ruleless(x):
    return unknown(x)
"""


@pytest.fixture
def others(tmp_path, monkeypatch):
    package = tmp_path / "site-packages" / "otherpackage"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "core.py").write_text(OTHERS_CODE)
    monkeypatch.syspath_prepend(package.parent)
    yield importlib.import_module("otherpackage.core")
    for name in ("otherpackage", "otherpackage.core"):
        sys.modules.pop(name)


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("total", LostGradientError),
        ("filled", InPlaceError),
        ("keyed", TypeError),
        ("ruleless", NoRuleError),
    ],
)
def test_an_error_in_somebody_elses_package_names_it(others, differentiate, name, error):
    function = getattr(others, name)
    with pytest.raises(error) as caught:
        differentiate(lambda x: function(x))
    note = next(note for note in caught.value.__notes__ if "otherpackage" in note)
    line = next(
        i
        for i, text in enumerate(OTHERS_CODE.splitlines(), 1)
        if i > function.__code__.co_firstlineno and "x" in text
    )
    assert f"{name} of otherpackage.core" in note
    assert "core.py:" in note
    assert int(note.partition("core.py:")[2].partition(")")[0]) in range(line, line + 3)
    assert "@primitive" in note


def test_an_error_in_ones_own_code_names_no_package(others, differentiate):
    with pytest.raises(LostGradientError) as caught:
        differentiate(lambda x: float(np.sum(x)))
    (note,) = caught.value.__notes__
    assert note.startswith(
        "Or leave test_error_notes.py as it is: write chainrules_tape.seen_through(f)"
    )


def written_here(x):
    return float(np.sum(x))


def test_the_note_on_ones_own_file_names_what_to_write(differentiate):
    for function, words in (
        (written_here, "write chainrules_tape.seen_through(written_here) in"),
        (lambda x: sum(x.tolist()), "write chainrules_tape.seen_through(f) in"),
        (lambda x: x[0].item(), "write chainrules_tape.seen_through(f) in"),
        (lambda x: strangers.converted(x[0]), 'in the scope chainrules_tape.seen_through("str'),
    ):
        with pytest.raises(LostGradientError) as caught:
            differentiate(function)
        assert words in caught.value.__notes__[-1]
    with seen_through("strangers"):
        differentiate(lambda x: strangers.converted(x[0]))
    differentiate(seen_through(lambda x: written_here(x)))


def test_no_note_on_ones_own_file_where_it_would_not_help(differentiate):
    for function in (lambda x: [1.0, 2.0][x[0]], lambda x: float(hash(x)), lambda x: x.data):
        with pytest.raises(TypeError) as caught:
            differentiate(function)
        assert not any("as it is:" in note for note in getattr(caught.value, "__notes__", []))


def test_a_note_is_written_once_by_nested_derivatives(others):
    with pytest.raises(LostGradientError) as caught:
        grad(lambda x: grad(lambda y: others.total(y))(x)[0])(X)
    assert len(caught.value.__notes__) == 1


def test_code_that_a_package_runs_without_importing_it_is_the_packages():
    variables = {}
    exec(
        compile(
            "import sys\nframe = sys._getframe()",
            str(Path(np.__file__).parent / "registry" / "gas.py"),
            "exec",
        ),
        variables,
    )
    assert module_of(variables["frame"]) == "numpy"
    assert not is_generated(variables["frame"])
    exec(compile("frame = sys._getframe()", "<lambdifygenerated-1>", "exec"), variables)
    assert is_generated(variables["frame"])


def test_the_scope_is_not_advised_where_it_does_not_help(differentiate):
    with pytest.raises(TypeError) as caught:
        differentiate(lambda x: json.dumps({"x": x[0]}))
    notes = "".join(getattr(caught.value, "__notes__", ()))
    assert "seen_through" not in notes


def test_functions_of_jax_in_a_program_of_numpys_say_what_to_write():
    """As in the function that is integrated."""
    jnp = pytest.importorskip("jax.numpy")
    integrate = importlib.import_module("chainrules_tape.scipy.integrate")

    def bell(t, a):
        return jnp.exp(-a * t**2)

    def area(function):
        return lambda a: integrate.quad(lambda t: function(t, a), 0.0, 1.0)[0]

    with pytest.raises(TypeError) as caught:
        grad(area(bell))(0.7)
    assert any("chainrules_jax.from_jax(f)" in note for note in caught.value.__notes__)


COMPILED = {
    "scipy.cluster.hierarchy.linkage": lambda f, x: np.sum(f(x)[:, 2]),
    "scipy.cluster.vq.kmeans": lambda f, x: f(x, x[:2])[1],
    "scipy.cluster.vq.kmeans2": lambda f, x: np.sum(f(x, x[:2], minit="matrix")[0]),
}


@pytest.mark.parametrize("mode", ["reverse", "forward"])
@pytest.mark.parametrize("name", COMPILED)
def test_compiled_code_that_scipys_own_calls_is_a_refusal(name, mode):
    """Cython says that it takes other objects, on one line, on several, or in no frame of Python."""
    module, _, attribute = name.rpartition(".")
    points = np.random.default_rng(0).normal(size=(5, 2))

    called = getattr(importlib.import_module(module), attribute)

    def f(x):
        return COMPILED[name](called, x)

    with seen_through("scipy"):
        with pytest.raises(LostGradientError) as caught:
            grad(f)(points) if mode == "reverse" else jvp(f, (points,), (points,))
        constant = grad(lambda x: f(stop_gradient(x)) * x[0, 0])(points)
    assert caught.value.where == name
    assert "SciPy's own code" in caught.value.got
    assert "@primitive" in caught.value.instead
    np.testing.assert_allclose(constant[0, 0], f(points), rtol=1e-14)


def test_the_place_of_a_function_that_compiled_code_refuses_is_named():
    """Whoever has held SciPy's own function since before the scope gets ours, where there is one."""
    held = importlib.import_module("scipy.spatial.distance").directed_hausdorff
    own = {"held": importlib.import_module("scipy.stats.qmc").discrepancy, "__name__": "own"}
    points = np.random.default_rng(0).uniform(size=(5, 2))
    with seen_through("scipy"):
        found = grad(lambda x: held(x, points[:2])[0])(points)
    distance, row, nearest = held(points, points[:2])
    slope = np.zeros((5, 2))
    slope[row] = (points[row] - points[nearest]) / distance
    np.testing.assert_allclose(found, slope, rtol=1e-14)
    with seen_through("scipy"), only_marked(), pytest.raises(LostGradientError) as caught:
        grad(eval("lambda x: held(x)", own))(points)
    assert caught.value.where == "scipy.stats.discrepancy"
    assert "chainrules_tape.scipy import stats" in caught.value.__notes__[0]


def test_scipys_own_code_that_asks_for_a_protocol_of_arrays_is_a_refusal():
    """It says which function has the rule."""

    broyden = importlib.import_module("scipy.optimize").diagbroyden

    def f(a):
        return np.sum(broyden(lambda x: x**3 - 1 + a * x, a))

    with seen_through("scipy"), pytest.raises(LostGradientError) as caught:
        grad(f)(X)
    assert caught.value.where == "scipy.optimize.diagbroyden"
    assert "root(method=...)" in caught.value.instead


@pytest.mark.filterwarnings("ignore:The problem size")
def test_a_refusal_that_scipy_raises_anew_as_an_exception_is_that_refusal():
    """`lobpcg` says of a product of a small matrix that it failed, in an `Exception`."""
    matrix = np.diag(np.arange(1.0, 9.0))
    with pytest.raises(LostGradientError) as caught:
        grad(lambda a: np.sum(lobpcg(a, np.eye(8)[:, :2])[0]))(matrix)
    assert "eigsh" in caught.value.instead
    assert type(caught.value.__cause__) is Exception


def into_integers(x):
    y = np.arange(3)
    y[0] = x[0]
    return np.sum(y)


def by_tnp_into_integers(x):
    y = tnp.zeros(3, dtype=int)
    y[0] = x[0]
    return np.sum(y)


def a_function_of_none(x):
    return np.frompyfunc(lambda v: 2 * v, 1, 1)(x)


@pytest.mark.parametrize("f", [into_integers, by_tnp_into_integers, a_function_of_none])
def test_no_rule_is_asked_of_the_users_own_file_that_is_seen_through(f, differentiate):
    with pytest.raises((InPlaceError, NoRuleError)) as info:
        differentiate(seen_through(f))
    assert not any("@primitive" in note for note in getattr(info.value, "__notes__", ()))
    if f is not a_function_of_none:
        assert "dtype=float, not int" in str(info.value)
