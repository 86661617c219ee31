"""A missing derivative remembers why and where, passes through linear functions, and raises where a
number is needed.
"""

import copy
import inspect
import pickle

import numpy as np
import pytest

from chainrules_py.errors import NotImplementedTangentError
from chainrules_py.tangents import (
    NO_TANGENT,
    ZERO,
    NotImplementedTangent,
    Tangent,
    Thunk,
    materialize,
    not_implemented,
)

MISSING = NotImplementedTangent("the order of jv", "bessel.py:12")


def test_it_remembers_the_line_it_was_written_on():
    line = inspect.currentframe().f_lineno + 1
    t = not_implemented("the order of jv")
    assert (t.reason, t.location) == ("the order of jv", f"{__file__}:{line}")


USES = {
    "float": float,
    "complex": complex,
    "bool": bool,
    "len": len,
    "list": list,
    "index": lambda t: t[0],
    "asarray": np.asarray,
    "in a list": lambda t: np.array([t, 1.0]),
    "sin": np.sin,
    "power": lambda t: t**2,
    "reflected power": lambda t: 2**t,
    "array power": lambda t: np.ones(2) ** t,
    "floor division": lambda t: t // 2,
    "divisor": lambda t: 1.0 / t,
    "array divisor": lambda t: np.ones(2) / t,
    "divided by zero": lambda t: t / ZERO,
    "abs": abs,
    "less": lambda t: t < 1.0,
    "array less": lambda t: np.ones(2) < t,
    "allclose": lambda t: np.allclose(t, 1.0),
    "inv": np.linalg.inv,
    "condition": lambda t: np.where(t, 1.0, 2.0),
    "materialize": lambda t: materialize(t, like=1.0),
    "materialize a field": lambda t: materialize(Tangent[tuple](t), like=(1.0,)),
    "in place": lambda t: np.add(np.ones(2), t, out=np.ones(2)),
    "scatter": lambda t: np.add.at(np.ones(2), 0, t),
    "thunk": lambda t: float(Thunk(lambda: t)),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES.keys())
def test_using_it_raises_with_reason_and_line(use):
    with pytest.raises(NotImplementedTangentError) as info:
        use(MISSING)
    assert (info.value.reason, info.value.location) == ("the order of jv", "bessel.py:12")


def test_augmented_assignment_does_not_lose_it():
    x = np.ones(2)
    with pytest.raises(NotImplementedTangentError):
        x += MISSING
    assert (x == 1.0).all()


KEEPS = {
    "sum": lambda t: 1.0 + t,
    "array sum": lambda t: np.ones(3) + t,
    "scaled": lambda t: t * np.ones(3),
    "divided": lambda t: t / 3.0,
    "negative": lambda t: -t,
    "with a thunk": lambda t: t * Thunk(lambda: pytest.fail("forced")),
    "with a structure": lambda t: t + Tangent[tuple](1.0),
    "matmul": lambda t: np.ones((2, 2)) @ t,
    "reshape": lambda t: np.reshape(t, (2, 3)),
    "sum of entries": np.sum,
    "where": lambda t: np.where([True, False], t, np.ones(2)),
    "where zero": lambda t: np.where([True, False], ZERO, t),
    "stack": lambda t: np.stack([np.ones(2), t]),
    "conj": np.conj,
}


@pytest.mark.parametrize("operation", KEEPS.values(), ids=KEEPS.keys())
def test_linear_functions_hand_it_on(operation):
    assert operation(MISSING) is MISSING


@pytest.mark.parametrize("zero", [ZERO, NO_TANGENT], ids=repr)
def test_zero_annihilates_it(zero):
    for product in (
        zero * MISSING,
        MISSING * zero,
        np.multiply(zero, MISSING),
        np.matmul(MISSING, zero),
        MISSING @ zero,
    ):
        assert product is zero


def test_copies_are_equal():
    for other in (pickle.loads(pickle.dumps(MISSING)), copy.copy(MISSING), copy.deepcopy(MISSING)):
        assert other == MISSING
        assert hash(other) == hash(MISSING)
    assert MISSING != NotImplementedTangent("another", "bessel.py:12")
    assert (np.ones(2) == MISSING) is False
