"""What NumPy takes as an index is read and written alike in every transform: the search.

Each kind of sequence stands in each place of an index, beside slices, None, ... and arrays. Values
and derivatives are those of the same program with arrays.
"""

import array

import numpy as np
import pandas as pd
import pytest

from chainrules_tape import grad, hessian, jacobian, numpy as tnp, vmap
from product.judge import Case
from product.programs import Program
from product.ways import DERIVATIVES, TRANSFORMATIONS


class GivesArray:
    """An object that NumPy turns into an array."""

    def __init__(self, numbers):
        self.numbers = numbers

    def __array__(self, dtype=None, copy=None):
        return np.array(self.numbers, dtype=dtype)


class OwnSequence:
    """A sequence that is no class of Python's."""

    def __init__(self, numbers):
        self.numbers = numbers

    def __len__(self):
        return len(self.numbers)

    def __getitem__(self, place):
        return self.numbers[place]


class OwnInteger:
    """An object that stands for an integer."""

    def __index__(self):
        return 1


KINDS = {
    "range": lambda: range(2),
    "list": lambda: [0, 1],
    "array.array": lambda: array.array("l", [0, 1]),
    "an object with an array": lambda: GivesArray([0, 1]),
    "a sequence": lambda: OwnSequence([0, 1]),
    "memory": lambda: memoryview(np.arange(2)),
    "pandas.Index": lambda: pd.Index([0, 1]),
    "pandas.Series": lambda: pd.Series([0, 1]),
    "a tuple": lambda: (0, 1),
    "uint8": lambda: np.arange(2, dtype=np.uint8),
}
FORMS = {
    "alone": lambda s: s,
    "(s,)": lambda s: (s,),
    "(s, :, 0)": lambda s: (s, slice(None), 0),
    "(0, None, s)": lambda s: (0, None, s),
    "(0, ..., s)": lambda s: (0, ..., s),
    "(s, ..., 0)": lambda s: (s, ..., 0),
    "(s, s)": lambda s: (s, s),
    "(s, :, s)": lambda s: (s, slice(None), s),
    "(:, s)": lambda s: (slice(None), s),
    "(array, s)": lambda s: (np.array([1, 0]), s),
    "(integer, s)": lambda s: (OwnInteger(), s),
    "(:, s, mask)": lambda s: (slice(None), s, np.array([True, False])),
}
X = np.random.default_rng(0).normal(size=(2, 2, 2))
WEIGHTS = np.random.default_rng(1).normal(size=16)
CASES = [
    (kind, form)
    for kind in KINDS
    for form in FORMS
    if not (kind == "a tuple" and form == "alone")  # which is two integers
]
SOONER = {"range", "pandas.Index"}


def weighted(y):
    return np.sum(np.sin(y) * WEIGHTS[: y.size].reshape(y.shape))


def read(x, index):
    return weighted(x[index])


def written(x, index):
    y = x * 1.0
    y[index] = x[index] * 2 + 1
    y[index] += x[0, 0, 0]
    return weighted(y)


def added_at(x, index):
    y = x * 1.0
    np.add.at(y, index, x[index] * x[0, 0, 0])
    return weighted(y)


def written_into_a_buffer(x, index):
    y = np.zeros((2, 2, 2)) if type(x) is np.ndarray else tnp.zeros((2, 2, 2))
    y[index] = x[index]
    y[index] *= 2
    return weighted(y * x)


PROGRAMS = [read, written, added_at, written_into_a_buffer]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    ("kind", "form"),
    [
        pytest.param(*case, marks=() if case[0] in SOONER else pytest.mark.long, id=" ".join(case))
        for case in CASES
    ],
)
def test_every_kind_of_index(kind, form, program):
    index, same = FORMS[form](KINDS[kind]()), FORMS[form](np.arange(2))
    name = f"{program.__name__} {kind} {form}"
    functions = (lambda x, place=place: program(x, place) for place in (index, same))
    case = Case(Program(name, *functions, (X,), frozenset()))
    line = case.line(case.program.function)
    for way in ("value", "grad", "forward", "hessian", "series"):
        case.require(DERIVATIVES[way](line))
        case.require(DERIVATIVES[way](TRANSFORMATIONS["lanes"](line)))
    case.require({1: vmap(grad(line))(np.array([0.01, 0.0]))[1]})
    case.require({2: vmap(hessian(line))(np.array([0.01, 0.0]))[1]})


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("kind", KINDS)
def test_whole_jacobians(kind, mode):
    sequence = KINDS[kind]()
    got = jacobian(lambda x: np.sin(x[sequence, :, 0]), mode=mode)(X)
    expected = jacobian(lambda x: np.sin(x[:2, :, 0]))(X)
    np.testing.assert_allclose(got, expected, rtol=1e-14)
    pattern = jacobian(lambda x: np.sin(x[sequence, :, 0]).ravel(), sparse=True)(X).toarray()
    np.testing.assert_allclose(pattern, expected.reshape(4, 8), rtol=1e-14)


def test_an_index_that_the_program_changes_later():
    places = array.array("l", [0, 1])

    def f(x):
        y = x[places] * 1.0
        places[0] = 2
        return np.sum(y * [1.0, 10.0])

    np.testing.assert_array_equal(grad(f)(np.arange(3.0)), [1.0, 10.0, 0.0])
