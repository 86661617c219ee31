"""Each engine that is installed has the same derivatives, or a sentence that says what it cannot.

Programs of all kinds, by two orders and by pairs of engines, are rows of `tests/product`.
"""

import importlib.metadata
from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
import pytest

import chainrules_tape as tape
from chainrules_engines import EngineError, compare, derivatives, engines, second_order
from chainrules_py.testing.coordinates import Layout

ABSENT = {name for name in ("jax", "torch", "autograd") if not find_spec(name)}
NAMES = [name for name in engines() if name.rpartition(" ")[2] not in ABSENT]
if "torch" in NAMES:
    import quiet_torch as quiet_torch
w, b = np.array([1.0, 2.0, -0.5]), 0.5
P, DOT = {"w": w, "b": b}, {"w": np.array([1.0, -1.0, 0.5]), "b": 2.0}
SQUARES, CUBES = 3 * w**2, np.sum(w**3)
HESSIAN = {"w": {"w": np.diag(6 * b * w), "b": SQUARES}, "b": {"w": SQUARES, "b": 0.0}}


def cubes(scale, p):
    return scale * p["b"] * np.sum(p["w"] ** 3), [scale]


def require_equal(found, expected, tolerance=1e-8):
    vectors = [Layout(tree).vector(tree) for tree in (found, expected)]
    np.testing.assert_allclose(*vectors, rtol=tolerance, atol=tolerance)


ONE_MODE = SimpleNamespace(jvp=tape.jvp), SimpleNamespace(vjp=tape.vjp)


@pytest.mark.parametrize("engine", [*NAMES, *ONE_MODE])
def test_derivatives_of_both_orders(engine):
    d = derivatives(cubes, engine, argnums="p", has_aux=True)
    for scale in (3.0, 1.0):  # by one preparation
        gradient = {"w": scale * b * SQUARES, "b": scale * CUBES}
        found = d.value_and_gradient(scale, P)
        require_equal(found, ((scale * b * CUBES, [scale]), gradient))
    require_equal(d.jvp(1.0, P, DOT)[1], b * SQUARES @ DOT["w"] + 2 * CUBES)
    require_equal(d.vjp(1.0, P, 2.0)[1], {"w": 2 * b * SQUARES, "b": 2 * CUBES})
    assert len(d.kinds) == 1
    require_equal(d.gradient(1.0, {"w": w[:2], "b": b})["w"], b * SQUARES[:2])
    each = derivatives(lambda x: np.diff(x**3), engine).jacobian(w.astype(np.float32))
    require_equal(each, np.diff(np.diag(SQUARES), axis=0), 1e-5)
    assert each.dtype == np.float32
    if engine == "complex step":
        with pytest.raises(EngineError, match="loses the imaginary"):
            d.hessian(1.0, P)
    else:
        require_equal(d.hessian(1.0, P), HESSIAN, 1e-5)
    for outer in NAMES[:1] + NAMES[4:-2] if engine in NAMES[-2:] else []:
        mixed = derivatives(cubes, second_order(outer=outer, inner=engine), argnums=1, has_aux=True)
        with pytest.warns():
            require_equal(mixed.hessian(1.0, P), HESSIAN, 1e-5)


@pytest.mark.parametrize("engine", NAMES[:-1])
def test_complex_numbers_of_several_arguments_and_sparse_matrices(engine):
    z = np.array([1 + 2j, 3j, 1.0])
    d = derivatives(lambda x, z: np.sum(x * np.abs(z) ** 2), engine, argnums=(1, 0))
    bars = d.gradient(w.astype(np.float32), z)
    require_equal(bars, (2 * w * z, np.abs(z) ** 2), 1e-6)
    assert bars[1].dtype == np.float32
    d = derivatives(lambda x: np.sum(np.diff(x) ** 4), engine, sparse=True)
    bends = np.diff(np.eye(3), axis=0)
    require_equal(d.hessian(w).toarray(), bends.T @ np.diag(12 * np.diff(w) ** 2) @ bends, 1e-4)
    if not engine.startswith("compiled"):  # whose entries a branch may not ask
        each = derivatives(lambda x: (x if x[0] > 0 else x[::-1]) ** 2, engine, sparse=True)
        require_equal(each.jacobian(w).toarray(), np.diag(2 * w))
        require_equal(each.jacobian(-w).toarray(), np.diag(-2 * w[::-1])[:, ::-1])


@pytest.mark.parametrize("sparse", [False, True])
def test_what_is_prepared_is_not_done_again(sparse):
    runs = []

    def counted(x):
        runs.append(1)
        return np.sum(np.diff(x) ** 4)

    d = derivatives(counted, "compiled", sparse=sparse).prepare(w).prepare(w)
    runs.clear()
    (d.hessian if sparse else d.gradient)(2 * w)
    assert runs == []


def test_what_an_engine_cannot_is_said_by_name():
    with pytest.raises(EngineError, match="a result of 3 real numbers"):
        derivatives(np.sin).gradient(w)
    with pytest.raises(EngineError, match="real and imaginary parts"):
        derivatives(np.exp).jacobian(w + 1j)


def test_others_register_by_an_entry_point_and_are_compared(monkeypatch):
    point = importlib.metadata.EntryPoint("mine", "chainrules_engines.backends:compiled", "")
    monkeypatch.setattr("chainrules_engines.backends.entry_points", lambda group: [point])
    asked = ["fortran", "complex step", "tape", "mine", "differences"]
    found = compare(lambda x: np.sum(np.abs(x)), w, engines=asked)
    assert {row.engine for row in found.rows[:3]} == {"tape", "mine", "differences"}
    assert all(0 <= row.off < 1e-8 and row.first > row.seconds > 0 for row in found.rows[:3])
    assert "differences" not in str(found).splitlines()[3]
    assert "name one of tape, compiled," in found.rows[3].error
    assert "loses the imaginary" in found.rows[4].error
