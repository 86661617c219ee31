"""chainrules_tape.numpy is NumPy, and differentiates what NumPy does not hand over."""

import importlib
from operator import attrgetter

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py import Array, RuleTable, default_rules, rrule
from chainrules_tape import grad


def test_other_names_are_numpy_itself():
    names = [
        name
        for name in dir(np)
        if not name.startswith("_") and name not in ("core", "char", "rec", "f2py", "matlib")
    ]
    same = {name for name in names if getattr(tnp, name) is getattr(np, name)}
    assert {"sin", "pi", "float64", "newaxis", "block", "ndarray"} <= same
    assert not same & {"array", "asarray", "linalg", "sum", "concatenate"}
    assert tnp.__version__ == np.__version__


@pytest.mark.parametrize(
    ("name", "primal"),
    [("sum", np.sum), ("linalg.inv", np.linalg.inv), ("linalg.norm", np.linalg.norm)],
)
def test_the_table_knows_a_function_by_both_names(name, primal):
    function = attrgetter(name)(tnp)
    assert function is not primal
    assert function.__doc__ == primal.__doc__
    square = np.diag([1.0, 2.0])
    np.testing.assert_array_equal(
        rrule(function, square)[1](primal(square))[0], rrule(primal, square)[1](primal(square))[0]
    )


def test_a_rule_registered_by_either_name_fires():
    mine = RuleTable(parent=default_rules)

    @mine.rrule.register(tnp.sum)
    def sum_rrule(a: Array):
        return np.sum(a), lambda y_bar: (np.full(a.shape, 7.0),)

    assert grad(lambda x: np.sum(x), rules=mine)(X).tolist() == [7.0, 7.0, 7.0]
    assert grad(lambda x: tnp.sum(x), rules=mine)(X).tolist() == [7.0, 7.0, 7.0]


X = np.array([0.5, -1.5, 2.0])


def test_modules_inside():
    assert tnp.linalg.LinAlgError is np.linalg.LinAlgError
    assert "polyval" in dir(tnp.polynomial.polynomial)
    assert repr(tnp.polynomial.chebyshev) == "<numpy.polynomial.chebyshev, with other functions>"


@pytest.mark.parametrize("name", ["fft", "linalg", "polynomial", "random"])
def test_modules_are_imported_by_name(name):
    module = importlib.import_module(f"chainrules_tape.numpy.{name}")
    assert module is getattr(tnp, name)
    plain = getattr(np, name)
    assert set(plain.__all__) <= set(dir(module))
    star: dict[str, object] = {}
    exec(f"from chainrules_tape.numpy.{name} import *", star)
    assert set(plain.__all__) <= set(star)


def test_everything_is_imported_by_a_star():
    star: dict[str, object] = {}
    exec("from chainrules_tape.numpy import *", star)
    assert set(np.__all__) <= set(star)
    assert star["array"] is tnp.array
    assert star["exp"] is np.exp


def test_unknown_names():
    with pytest.raises(AttributeError):
        tnp.no_such_function
    assert not hasattr(tnp, "__no_such_protocol__")
    assert {"array", "sin", "interceptable"} <= {*dir(tnp)}
