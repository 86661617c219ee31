"""Each engine that is installed has the same derivatives, or a sentence that says what it cannot.

Programs of all kinds, by two orders and by pairs of engines, are rows of `tests/product`.
"""

import importlib.metadata
import runpy
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from chainrules_engines import Backend, EngineError, compare, derivatives, engines, second_order

ABSENT = {name for name in ("jax", "torch", "autograd") if not find_spec(name)}
NAMES = [name for name in engines() if name.rpartition(" ")[2] not in ABSENT]
if "torch" in NAMES:
    import quiet_torch as quiet_torch
GUIDE = Path(__file__).parents[2] / "examples" / "engines"
x = np.arange(1.0, 4.0)
POLYNOMIAL = np.sin(x) * x**2, np.cos(x) * x**2 + 2 * x * np.sin(x)
CURVATURE = np.diag((2 - x**2) * np.sin(x) + 4 * x * np.cos(x))


def loss(x):
    return np.sum(np.sin(x) * x**2)


def guided(name):
    engine = runpy.run_path(str(GUIDE / f"{name}.py"))
    ways = {word: staticmethod(engine[word]) for word in ("vjp", "jvp") if word in engine}
    return Backend(name, type("Engine", (), ways))


@pytest.mark.parametrize("engine", [*NAMES, "forward.py", "reverse.py"])
def test_derivatives_of_both_orders(engine):
    own = guided(engine[:-3]) if engine.endswith(".py") else engine
    d, v = derivatives(loss, own), np.array([1.0, -1.0, 0.5])
    value, gradient = d.prepare(x).value_and_gradient(x)
    np.testing.assert_allclose(value, POLYNOMIAL[0].sum(), rtol=1e-12)
    np.testing.assert_allclose(gradient, POLYNOMIAL[1], rtol=1e-8)
    np.testing.assert_allclose(d.jvp(x, v)[1], POLYNOMIAL[1] @ v, rtol=1e-8)
    np.testing.assert_allclose(d.vjp(x, 2.0)[1], 2 * POLYNOMIAL[1], rtol=1e-8)
    each = derivatives(lambda x: np.diff(x**2), own)
    np.testing.assert_allclose(each.jacobian(x), [[-2, 4, 0], [0, -4, 6]], atol=1e-8)
    if engine != "complex step":  # of which the gradient is no function of complex numbers
        np.testing.assert_allclose(d.hessian(x), CURVATURE, atol=1e-6)
        np.testing.assert_allclose(d.hvp(x, v), CURVATURE @ v, rtol=1e-5)
    np.testing.assert_allclose(d.gradient(x[:2]), POLYNOMIAL[1][:2], rtol=1e-8)  # prepared anew


@pytest.mark.parametrize("engine", [name for name in NAMES if name != "complex step"])
def test_containers_other_arguments_and_what_a_function_returns_beside(engine):
    def model(p, data, scale):
        e = p["w"] @ data - p["b"]
        return scale * np.sum(e**2) + np.abs(p["z"]) ** 2, {"worst": np.max(np.abs(e))}

    p = {"w": np.array([[1.0, 2.0], [0.5, 0.25]]), "b": 0.5, "z": 1 + 2j}
    data = np.array([1.0, -2.0])
    d = derivatives(model, engine, argnums=(0, 2), has_aux=True)
    for scale in (3.0, 2.0):  # by one preparation
        (value, aux), (bars, of_scale) = d.value_and_gradient(p, data, scale)
        e = p["w"] @ data - 0.5
        np.testing.assert_allclose([value, of_scale], [scale * e @ e + 5, e @ e], rtol=1e-9)
        np.testing.assert_allclose(bars["w"], 2 * scale * np.outer(e, data), rtol=1e-9)
        np.testing.assert_allclose(
            [bars["b"], bars["z"]], [-2 * scale * e.sum(), 2 + 4j], rtol=1e-9
        )
        assert aux == {"worst": 3.5}
    assert len(d.kinds) == 1
    single = derivatives(loss, engine).gradient(x.astype(np.float32))
    assert single.dtype == np.float32


@pytest.mark.parametrize("engine", [name for name in NAMES if name != "complex step"])
def test_sparse_matrices_follow_other_branches(engine):
    def steps(x):
        return np.diff(x) ** 2 if x[0] > 0 else x[:0:-1] ** 2

    d = derivatives(lambda x: np.sum(np.diff(x) ** 4), engine, sparse=True)
    bends = 12 * np.diff(x**2) ** 2
    expected = np.diag([bends[0], bends.sum(), bends[1]]) - np.diag(bends, 1) - np.diag(bends, -1)
    np.testing.assert_allclose(d.hessian(x**2).toarray(), expected, atol=1e-4)
    if engine.startswith("compiled"):
        return  # whose entries a branch may not ask
    each = derivatives(lambda x: steps(np.append(x, 1.0)), engine, sparse=True)
    assert each.jacobian(x).toarray().tolist() != each.jacobian(-x).toarray().tolist()
    others = [[0, 0, 0], [0, 0, -6], [0, -4, 0]]
    np.testing.assert_allclose(each.jacobian(-x).toarray(), others, atol=1e-6)


@pytest.mark.parametrize("inner", NAMES)
def test_an_engine_differentiates_the_gradients_of_another_one(inner):
    for outer in NAMES[:1] + NAMES[4:-2]:
        d = derivatives(loss, second_order(outer=outer, inner=inner))
        with pytest.warns() if inner in NAMES[-2:] else pytest.MonkeyPatch.context():
            np.testing.assert_allclose(d.hessian(x), CURVATURE, atol=1e-5)


@pytest.mark.parametrize("sparse", [False, True])
def test_what_is_prepared_is_not_done_again(sparse):
    runs = []

    def counted(x):
        runs.append(1)
        return np.sum(np.diff(x) ** 4)

    d = derivatives(counted, "compiled", sparse=sparse).prepare(x).prepare(x)
    runs.clear()
    found = d.hessian(x**2) if sparse else d.gradient(x**2)
    assert runs == []
    assert found.shape[0] == 3


def test_what_an_engine_cannot_is_said_by_name():
    with pytest.raises(EngineError, match="a result of 3 real numbers"):
        derivatives(np.sin).gradient(x)
    with pytest.raises(EngineError, match="name one of tape, compiled,"):
        derivatives(np.sin, engine="fortran")
    with pytest.raises(EngineError, match="complex step: a program that is none of complex"):
        derivatives(lambda x: np.sum(np.abs(x)), "complex step").gradient(x)
    with pytest.raises(EngineError, match="real and imaginary parts"):
        derivatives(np.exp).jacobian(x + 1j)


def test_others_register_by_an_entry_point(monkeypatch):
    point = importlib.metadata.EntryPoint(
        "mine", "chainrules_engines.backends:compiled", "chainrules_py.engines"
    )
    monkeypatch.setattr("chainrules_engines.backends.entry_points", lambda group: [point])
    np.testing.assert_allclose(derivatives(loss, "mine").gradient(x), POLYNOMIAL[1])


def test_a_comparison_is_a_table_of_engines():
    found = compare(loss, x, engines=["tape", "differences", "complex step", "fortran"])
    assert found.rows[-1].engine == "fortran"
    assert found.rows[-1].error.startswith("derivatives: engine='fortran'")
    assert all(row.off < 1e-8 and row.first > row.seconds > 0 for row in found.rows[:3])
    text = str(found).splitlines()
    assert text[0].startswith("Value and gradient of ")
    assert len({line.index("µs" if "µs" in line else "ms") for line in text[3:5]}) <= 2
