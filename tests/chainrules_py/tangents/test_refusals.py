"""What is not linear in a special tangent is refused by name, and what uses a missing derivative says
where that is missing. Nothing makes an array of objects.
"""

import copy
import inspect
import operator
import pickle

import numpy as np
import pytest

from chainrules_py.errors import NotImplementedTangentError, TangentTypeError
from chainrules_py.tangents import (
    NO_TANGENT,
    ZERO,
    NotImplementedTangent,
    Tangent,
    Thunk,
    materialize,
    not_implemented,
)

X = np.arange(1.0, 4.0)
MASK = np.array([True, False, True])
ZEROS = (ZERO, NO_TANGENT)
MISSING = NotImplementedTangent("the order of jv", "bessel.py:12")
STRUCTURE = Tangent[tuple](1.0)

UNARY = (
    *(np.sin, np.abs, np.isfinite, np.linalg.inv, np.prod, np.sort, np.shape, np.zeros_like),
    *(abs, np.asarray, np.array),
)
BINARY = (
    *(operator.pow, operator.floordiv, operator.mod, operator.lt, operator.le, operator.gt),
    *(operator.ge, np.maximum, np.logical_or, np.allclose, np.power),
)
OF_ALL = {
    **{f.__name__: f for f in UNARY},
    **{f"{f.__name__}, on the left": lambda t, f=f: f(t, X) for f in BINARY},
    **{f"{f.__name__}, on the right": lambda t, f=f: f(X, t) for f in BINARY},
    "2 ** t": lambda t: 2**t,
    "divmod": lambda t: divmod(t, 2),
    "ldexp's exponent": lambda t: np.ldexp(X, t),
    "solve's matrix": lambda t: np.linalg.solve(t, X),
    "interp's points": lambda t: np.interp(t, X, X),
    "take's indices": lambda t: np.take(X, t),
    "weights": lambda t: np.average(X, weights=t),
    "condition": lambda t: np.where(t, X, X),
    "initial": lambda t: np.sum(t, initial=1.0),
    "positional prepend": lambda t: np.diff(t, 1, -1, 1.0),
    "constant": lambda t: np.pad(t, 1, constant_values=2.0),
    "mode": lambda t: np.pad(t, 1, "maximum"),
    "initial of reduce": lambda t: np.add.reduce(t, initial=1.0),
    "add.outer": lambda t: np.add.outer(X, t),
    "multiply.reduce": np.multiply.reduce,
    "nested list": lambda t: np.stack([[X, t], [X, X]]),
    "mask without out": lambda t: np.add(X, t, where=MASK),
    "dtype": lambda t: np.add(X, t, dtype=np.float32),
    "casting": lambda t: np.multiply(X, t, casting="no"),
    "scatter index": lambda t: np.add.at(X.copy(), t, 1.0),
    "sum of a list": lambda t: np.sum([t, t]),
    "array of a list": lambda t: np.array([t, 1.0]),
    "array of objects": lambda t: np.asarray([1.0, t], dtype=object),
    "array of nested lists": lambda t: np.asarray([[1.0], [t]]),
    "assigned to entries": lambda t: X.copy().__setitem__(slice(None), t),
}
OF_ZEROS = {
    "unknown shape": lambda t: np.concatenate([X, t]),
    "list": list,
    "unpacked": lambda t: [*t],
}
OF_MISSING = {
    "float": float,
    "complex": complex,
    "bool": bool,
    "len": len,
    "list": list,
    "index": lambda t: t[0],
    "divided by zero": lambda t: t / ZERO,
    "materialize": lambda t: materialize(t, like=1.0),
    "materialize a field": lambda t: materialize(Tangent[tuple](t), like=(1.0,)),
    "in place": lambda t: np.add(np.ones(2), t, out=np.ones(2)),
    "augmented": lambda t: operator.iadd(X.copy(), t),
    "scatter": lambda t: np.add.at(np.ones(2), 0, t),
    "thunk": lambda t: float(Thunk(lambda: t)),
}
OF_STRUCTURES = {
    "other class": lambda t: t + Tangent[list](1.0),
    "lengths": lambda t: t + Tangent[tuple](1.0, 2.0),
    "other primal": lambda t: [1.0] + t,
    "primal length": lambda t: (1.0, 2.0) + t,
    "primal keys": lambda t: {"a": 1.0} + Tangent[dict]({"b": 1.0}),
    "array": lambda t: np.ones(1) + t,
    "plain container": lambda t: ((1.0,),) + Tangent[tuple]((2.0,)),
    "plain container twice": lambda t: Tangent[tuple]((1.0,)) + Tangent[tuple]((2.0,)),
    "plain container scaled": lambda t: 2 * Tangent[tuple]((1.0,)),
    "array scaling": lambda t: np.ones(2) * t,
    "scaling by an array": lambda t: t * np.ones(1),
    "division by an array": lambda t: t / np.ones(1),
    "matmul": lambda t: np.ones(1) @ t,
    "reshape": lambda t: np.reshape(t, 1),
    "minus primal": lambda t: t - (1.0,),
    "out of a structure": lambda t: np.multiply(2.0, t, out=np.ones(1)),
    "copyto": lambda t: np.copyto(X.copy(), t),
    "sum": np.sum,
    "where": lambda t: np.where(MASK, X, t),
    "materialize": lambda t: materialize(t, like={"a": 1.0}),
}
USES = [
    *((use, t) for t in ZEROS for use in (OF_ALL | OF_ZEROS).items()),
    *((use, MISSING) for use in (OF_ALL | OF_MISSING).items()),
    *((use, STRUCTURE) for use in (OF_ALL | OF_STRUCTURES).items()),
]


@pytest.mark.parametrize(
    ("use", "t"),
    [(use, t) for (_, use), t in USES],
    ids=[f"{type(t).__name__}: {name}" for (name, _), t in USES],
)
def test_a_use_that_is_not_linear(use, t):
    with pytest.raises(NotImplementedTangentError if t is MISSING else TangentTypeError) as caught:
        use(t)
    if t is MISSING:
        assert (caught.value.reason, caught.value.location) == ("the order of jv", "bessel.py:12")
    else:
        assert caught.value.operation
        assert caught.value.operands


@pytest.mark.parametrize(
    ("use", "operation", "operands"),
    [
        (lambda: ZERO**2, "pow", (ZERO, 2)),
        (lambda: np.sin(ZERO), "numpy.sin", None),
        (lambda: np.linalg.inv(ZERO), "numpy.linalg.inv", None),
        (lambda: list(ZERO), None, (ZERO,)),
        (lambda: materialize(STRUCTURE, like=[1.0]), "materialize", None),
    ],
)
def test_the_error_names_the_operation_and_the_operands(use, operation, operands):
    with pytest.raises(TangentTypeError) as caught:
        use()
    assert operation in (None, caught.value.operation)
    assert operands in (None, caught.value.operands)


def test_what_a_missing_derivative_is_not_added_to_stays():
    x = np.ones(2)
    with pytest.raises(NotImplementedTangentError):
        x += MISSING
    assert (x == 1.0).all()


def test_it_remembers_the_line_it_was_written_on():
    line = inspect.currentframe().f_lineno + 1
    t = not_implemented("the order of jv")
    assert (t.reason, t.location) == ("the order of jv", f"{__file__}:{line}")


def test_copies_are_equal():
    for other in (pickle.loads(pickle.dumps(MISSING)), copy.copy(MISSING), copy.deepcopy(MISSING)):
        assert other == MISSING
        assert hash(other) == hash(MISSING)
    assert MISSING != NotImplementedTangent("another", "bessel.py:12")
    assert (np.ones(2) == MISSING) is False
