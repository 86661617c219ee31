"""Two recordings are one program only if they agree in everything that a program consists of."""

import operator

import numpy as np
import pytest
from scipy.stats import expon, norm

from chainrules_programs.compiling.agreement import difference
from chainrules_programs.recording.program import Call, Guard, Program, Value
from chainrules_py.values.captured_values import frozen

X = np.arange(3.0)


def program(
    *,
    primal=np.add,
    constant=1.0,
    options=None,
    strict=False,
    into=False,
    question=bool,
    answer=True,
    operand="y",
    index=0,
    target="y",
    entries=2.0,
    result="z",
    further=(),
    inputs=1,
):
    """A program with a step of each kind, in which one thing may be another one."""
    x, y, z = Value(X), Value(X), Value(X)
    given = [x, *(Value(X) for _ in range(inputs - 1))]
    named = {"x": x, "y": y, "z": z, "both": (y, z)}
    steps = [
        Call(primal, (x, constant), options or {}, y, None, x if into else None, strict),
        Guard(question, named[operand], answer),
        Call(operator.setitem, (named[target], index, entries), {}, None, into=named[target]),
        Call(np.multiply, (y, y), {}, z),
        *further,
    ]
    return Program(tuple(given), steps, named[result])


OTHERS = {
    "function": {"primal": np.subtract},
    "number": {"constant": 2.0},
    "sign of zero": {"constant": -0.0},
    "class of a number": {"constant": np.float64(1.0)},
    "entries of a constant": {"constant": np.array([1.0, 2.0, 4.0])},
    "options": {"options": {"axis": 0}},
    "a pullback": {"strict": True},
    "memory written": {"into": True},
    "question": {"question": operator.index},
    "answer": {"answer": 2},
    "what is asked": {"operand": "x"},
    "where is written": {"index": 1},
    "what is written into": {"target": "x"},
    "what is written": {"entries": 3.0},
    "result": {"result": "y"},
    "several results": {"result": "both"},
    "number of steps": {"further": (Call(np.sin, (1.0,), {}, Value(X)),)},
    "number of inputs": {"inputs": 2},
}


def test_the_same():
    assert difference(program(), program()) is None


@pytest.mark.parametrize("options", OTHERS.values(), ids=OTHERS)
def test_another(options):
    assert difference(program(), program(**options)) is not None
    assert difference(program(**options), program()) is not None
    assert difference(program(**options), program(**options)) is None


CONSTANTS = {
    "shape": (np.zeros((2, 3)), np.zeros((3, 2))),
    "dtype": (np.zeros(2), np.zeros(4, np.float32)),
    "dtype of the same bits": (np.zeros(2, np.int64), np.zeros(2)),
    "bits of nan": (np.array([np.nan]), -np.array([np.nan])),
    "objects": (np.array([1, "a"], object), np.array([1, "b"], object)),
    "an array and a number": (np.array(1.0), 1.0),
    "a tuple and a list": ((1, 2), [1, 2]),
    "lengths": ((1, 2), (1, 2, 3)),
    "slices": (slice(1, 3), slice(1, 4)),
    "dicts": ({"a": 1}, {"b": 1}),
    "entries of dicts": ({"a": 1}, {"a": 2}),
    "functions": (lambda x: x, lambda x: -x),
}


@pytest.mark.parametrize(("one", "other"), CONSTANTS.values(), ids=CONSTANTS)
def test_another_constant(one, other):
    assert difference(program(constant=one), program(constant=other)) is not None
    assert difference(program(constant=other), program(constant=one)) is not None
    assert difference(program(constant=one), program(constant=one)) is None


@pytest.mark.parametrize("change", [None, "badvalue", "a", "name", "numargs"])
def test_copies_of_an_object_of_a_package(change):
    """As of a distribution of SciPy's, whose method is called."""
    made = [frozen(norm), frozen(norm)]
    assert made[0] is not made[1]
    if change is not None:
        setattr(made[1], change, 0.5)
    one, other = (program(constant=each) for each in made)
    assert (difference(one, other) is None) == (change is None)
    assert difference(one, program(constant=frozen(expon))) is not None


class Own:
    def __init__(self, w):
        self.w = w


def test_objects_of_the_users_are_no_copies():
    assert difference(program(constant=Own(1.0)), program(constant=Own(1.0))) is not None


def test_results_in_another_structure():
    def parts(results):
        values = Value(X), Value(X)
        made = {
            "tuple": values,
            "one": values[0],
            "list": list(values),
            "long": (*values, Value(X)),
        }
        return Program((), [Call(divmod, (1.0, 2.0), {}, made[results])], None)

    assert difference(parts("tuple"), parts("tuple")) is None
    for one, other in [("tuple", "one"), ("one", "tuple"), ("tuple", "long"), ("long", "tuple")]:
        assert difference(parts(one), parts(other)) is not None


def test_a_value_stands_for_one_value():
    def twice(first, second):
        x, y = Value(X), Value(X)
        named = {"x": x, "y": y}
        steps = [Call(np.add, (named[first], named[second]), {}, Value(X))]
        return Program((x, y), steps, None)

    assert difference(twice("x", "y"), twice("x", "y")) is None
    assert difference(twice("x", "x"), twice("x", "y")) is not None
    assert difference(twice("x", "y"), twice("x", "x")) is not None
    assert difference(twice("x", "y"), twice("y", "x")) is not None
