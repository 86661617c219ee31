"""A written signature says the same as the key of a call."""

import itertools
from collections import OrderedDict, namedtuple

import numpy as np
import pytest

from chainrules_programs.compiling.compile import OFTEN
from chainrules_programs.compiling.matching import matcher
from chainrules_programs.compiling.signatures import SeenFromOutsideError, signature
from chainrules_tape import compiled, value_and_grad

Pair = namedtuple("Pair", "a b")
X = np.ones((2, 3))


class Array(np.ndarray):
    """A subclass of NumPy's arrays."""


class Number(float):
    """A subclass of Python's numbers."""


CALLS = [
    (),
    (X,),
    (X, X),
    (X.T,),
    (X[:, ::2],),
    (X[:, ::-1],),
    (X.astype(np.float32),),
    (X.astype(int),),
    (X > 0,),
    (X.astype(">f8"),),
    (X[0],),
    (np.float64(1.0),),
    (np.ones(()),),
    (1.0,),
    (2.5,),
    (1j,),
    (1,),
    (True,),
    (None,),
    ("a",),
    (Number(1.0),),
    (X.view(Array),),
    (np.array(["a", "b"]),),
    ((),),
    ([],),
    ({},),
    ((X,),),
    ([X],),
    ((X, 1.0),),
    ((X, (X, [1.0])),),
    ([X, (X, 1.0)],),
    (Pair(X, 1.0),),
    ({"a": X, "b": 1.0},),
    ({"b": 1.0, "a": X},),
    ({"a": X},),
    ({"c": X, "b": 1.0},),
    (OrderedDict(a=X, b=1.0),),
    ({1: X, 2: 1.0},),
    ({"b": [X, {"d": 1.0, "c": X}], "a": 1.0},),
]


def inputs(match, args):
    try:
        return match(args)
    except ValueError:
        return None


@pytest.mark.parametrize("args", CALLS, ids=str)
def test_the_key_of_a_call(args):
    match = matcher(args)
    if match is None:
        return
    for other in CALLS:
        found = inputs(match, other)
        try:
            key, leaves = signature(other, {})
        except SeenFromOutsideError:
            key, leaves = None, []
        assert (found is not None) == (key == signature(args, {})[0]), other
        if found is not None:
            assert len(found) == len(leaves)
            assert all(x is y for x, y in zip(found, leaves, strict=True))


def test_for_which_calls_it_is_written():
    written = [matcher(args) is not None for args in CALLS]
    assert written.count(True) == 29
    assert matcher(({"b": [X, {"d": 1.0, "c": X}], "a": 1.0},)) is not None
    assert matcher((1,)) is None


def test_calls_of_changing_signatures():
    function = value_and_grad(lambda p: np.sum(np.sin(p[0]) * p[1]))
    step = compiled(function)
    calls = [(X, X), (X, X + 1.0), (X[0], X[0]), (X, 2.0), [X, X], (X[:, ::-1], X)]
    for args, _ in itertools.product(calls, range(OFTEN + 4)):
        found, expected = step(args), function(args)
        np.testing.assert_array_equal(found[0], expected[0])
        for x, y in zip(found[1], expected[1], strict=True):
            np.testing.assert_array_equal(x, y)
    assert step._frequent is not None


def test_a_changed_name_is_noticed_by_frequent_calls():
    scope = {"np": np, "factor": 2.0}
    exec("def f(x):\n    return np.sum(x * x * factor)", scope)
    step = compiled(scope["f"])
    for _ in range(OFTEN + 4):
        assert step(X) == 12.0
    scope["factor"] = 3.0
    for _ in range(OFTEN + 4):
        assert step(X) == 18.0
