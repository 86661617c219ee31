"""`from_pytensor`: graphs of PyTensor's have the derivatives of the same programs in NumPy."""

import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest

from chainrules_py import RuleTable, rrule
from chainrules_py.testing import check_rule
from chainrules_pytensor import PytensorError, from_pytensor
from chainrules_tape import grad, hessian, jvp

MODE = pytensor.compile.Mode(linker="py", optimizer="fast_compile")
X, K = np.array([0.8, 0.4, 1.7]), 0.6


def graph():
    x, k = pt.dvector("x"), pt.dscalar("k")
    return from_pytensor([x, k], pt.tanh(k * x).sum() * pt.log(pt.sum(x**2)), mode=MODE)


def of_variables():
    return from_pytensor(lambda x, k: pt.tanh(k * x).sum() * pt.log(pt.sum(x**2)), mode=MODE)


def by_numpy(x, k):
    return np.tanh(k * x).sum() * np.log(np.sum(x**2))


@pytest.mark.parametrize("make", [graph, of_variables])
def test_value_and_derivatives(make):
    f = make()
    assert f(X, K) == pytest.approx(by_numpy(X, K))
    for k in (0, 1):
        np.testing.assert_allclose(grad(f, k)(X, K), grad(by_numpy, k)(X, K), rtol=1e-10)
    dots = (np.array([1.0, -1.0, 0.5]), 0.3)
    found, expected = (jvp(program, (X, K), dots)[1] for program in (f, by_numpy))
    assert found == pytest.approx(expected)
    np.testing.assert_allclose(hessian(f)(X, K), hessian(by_numpy)(X, K), rtol=1e-9)


def test_rules_by_differences():
    check_rule(of_variables(), X, K)


def test_containers_integers_and_unused_arguments():
    def model(p, n, unused):
        return {"y": p["a"] * p["b"] ** n, "n": n + 1}

    f = from_pytensor(model, mode=MODE)
    p = {"a": np.array([1.0, 2.0]), "b": 3.0}
    value = f(p, 2, X)
    assert value["y"].tolist() == [9.0, 18.0]
    assert value["n"] == 3
    p_bar, unused_bar = grad(lambda p, x: f(p, 2, x)["y"].sum(), (0, 1))(p, X)
    assert p_bar["a"].tolist() == [9.0, 9.0]
    assert p_bar["b"] == pytest.approx(18.0)
    assert unused_bar.tolist() == [0.0] * 3


def test_what_is_asked_wrongly_is_refused():
    with pytest.raises(PytensorError, match="1 arguments"):
        graph()(X)
    with pytest.raises(PytensorError, match="outputs of a graph"):
        from_pytensor(np.tanh, [pt.dvector()])


def test_rules_go_into_the_table_that_is_named():
    table = RuleTable(parent=None, name="mine")
    cube = from_pytensor(lambda x: pt.sum(x**3), mode=MODE, rules=table)
    np.testing.assert_allclose(table.rrule(cube, X)[1](1.0)[0], 3 * X**2)
    assert rrule.find(cube, np.ndarray) is None
