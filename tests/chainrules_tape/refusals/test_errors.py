"""What would lose a gradient raises, in both modes, says what to write instead, and carries the
value.
"""

import contextlib
import json
import math
import pickle

import mpmath
import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py import NoRuleError, OptionError
from chainrules_tape import InPlaceError, LostGradientError, grad, jvp, seen_through
from chainrules_tape.refusals.handles import TracedArray
from chainrules_tape.refusals.other_libraries import LIBRARIES

X = np.array([0.5, 1.5])

CONVERSIONS = {
    "float": lambda x: float(x[0]),
    "int": lambda x: int(x[0]),
    "complex": lambda x: complex(x[0]),
    "math": lambda x: math.sin(x[0]),
    "index": lambda x: [1, 2][x[0]],
    "numpy index": lambda x: X[x[0]],
    "array of one": lambda x: np.array(x),
    "array of many": lambda x: np.array([x, x]),
    "array of numbers": lambda x: np.array([x[0], x[1]]),
    "asarray": lambda x: np.asarray(x),
    "float64": lambda x: np.float64(x[0]),
    "item": lambda x: x[0].item(),
    "tolist": lambda x: x.tolist(),
    "tobytes": lambda x: x.tobytes(),
    "view": lambda x: x.view("int64"),
    "data": lambda x: x.data,
    "pickle": pickle.dumps,
    "a method of a plain array": lambda x: X.dot(x),
}


def an_entry(x):
    y = np.zeros(2)
    y[0] = x[0] * 2
    return np.sum(y)


def a_slice(x):
    y = np.zeros(2)
    y[:] = x
    return np.sum(y)


def a_number_into_many(x):
    y = np.zeros(2)
    y[0:1] = x[0]
    return np.sum(y)


def del_item(x):
    del x[0]


def at_an_index_of_all(x):
    y = np.zeros(2)
    y.flat[1] = x[0]


def written_buffer(x):
    y = tnp.zeros(2)
    y[0] = x[0]
    return y


class Signal:
    def __init__(self, samples):
        self.samples = samples

    def __array__(self, dtype=None, copy=None):
        return self.samples


def iterated(operands, flags):
    def f(x):
        given = operands(x)
        count = len(given) if type(given) is list else 1
        return sum(np.nditer(given, op_flags=[[flags]] * count))

    return f


def module(name):
    return pytest.importorskip(name)


PLAIN = "y[index] = x", "plain array", "chainrules_tape.numpy.array"
# Of each error: calls, and words of the error and its notes.
REFUSALS = {
    LostGradientError: {
        **{name: (f, "; ") for name, f in CONVERSIONS.items()},
        "assignment of a number": (
            lambda x: np.zeros(2).__setitem__(0, x[0]),
            "float(x)",
        ),
        "assignment by a method": (
            lambda x: np.zeros(2).__setitem__(slice(None), x),
            "write chainrules_tape.numpy.array in place",
        ),
        "fromiter": (
            lambda x: np.fromiter((number for number in x), float),
            "write chainrules_tape.numpy.array in place",
        ),
        "flat": (at_an_index_of_all, "y[index] = x: ", " make y by chainrules_tape"),
        "ndenumerate": (
            lambda x: sum(v for _, v in np.ndenumerate(x)),
            "numpy.ndenumerate: ",
            "numpy.ndindex(x.shape)",
        ),
        **{
            f"nditer, {flags}, {name}": (
                iterated(operands, flags),
                "numpy.nditer: ",
                "numpy.ndindex(x.shape)",
            )
            for flags in ("readonly", "readwrite")
            for name, operands in {
                "x": lambda x: x,
                "two": lambda x: [x, np.zeros(2)],
                "a buffer": written_buffer,
            }.items()
        },
        "numpy.ma": (
            lambda x: np.ma.masked_array([1.0, 2.0], [True, False]) + x,
            "in numpy.ma",
            LIBRARIES["numpy.ma"].instead,
        ),
        "numpy.polynomial": (
            lambda x: np.polynomial.chebyshev.chebval(0.5, x),
            "in numpy.polynomial",
            LIBRARIES["numpy.polynomial"].instead,
        ),
        "scipy.sparse": (
            lambda x: module("scipy.sparse").coo_array((x, ([0, 1], [0, 1]))),
            "in scipy.sparse",
            "it makes a sparse matrix; of traced entries chainrules_tape.scipy.sparse",
        ),
        "scipy": (
            lambda x: module("scipy.cluster.hierarchy").linkage(x),
            "in scipy",
            LIBRARIES["scipy"].instead,
        ),
        "scipy.linalg": (
            lambda x: module("scipy.linalg").toeplitz(x),
            "from chainrules_tape.scipy import linalg",
        ),
        "scipy.special": (
            lambda x: module("scipy.special").softmax(x),
            "from chainrules_tape.scipy import special",
        ),
    },
    InPlaceError: {
        **{f.__name__: (f, *PLAIN) for f in (an_entry, a_slice, a_number_into_many)},
        **{
            f"augmented by {symbol}": (
                lambda x, name=name: getattr(np.ones(2), f"__i{name}__")(x),
                f"a {symbol}= x",
                "plain array",
                f"write a = a {symbol} x",
            )
            for symbol, name in {
                "+": "add",
                "-": "sub",
                "*": "mul",
                "/": "truediv",
                "**": "pow",
            }.items()
        },
        "out": (lambda x: np.add(x, 1.0, out=np.ones(2)), "out="),
        "out of a function": (lambda x: np.sum(x, out=np.zeros(())), "out"),
        "delitem": (del_item, "del"),
        "set_dtype": (lambda x: x._set_dtype(np.int64), "dtype"),
        "at a plain array": (lambda x: np.add.at(np.zeros(2), [0], x[:1]), "numpy.add.at"),
        "copyto": (lambda x: np.copyto(np.zeros(2), x), "numpy.copyto"),
        "put": (lambda x: np.put(np.zeros(2), [0], x[0]), "numpy.put"),
        "fill_diagonal": (
            lambda x: tnp.fill_diagonal(np.zeros((2, 2)), x),
            "make the array that is written to",
        ),
    },
    (TypeError, AttributeError): {
        "a hash": (lambda x: {x: 1.0}, "traced", "stop_gradient"),
        "a length": (lambda x: len(x[0]), "traced", "stop_gradient"),
        "a call": (lambda x: x(1.0), "traced", "stop_gradient"),
        "with": (lambda x: x.__enter__(), "traced", "stop_gradient"),
        "json": (lambda x: json.dumps({"x": x[0]}), "JSON", "traced", "json.encoder"),
        "statistics": (
            lambda x: module("statistics").stdev([x[0], x[1]]),
            'seen_through("statistics")',
        ),
        "nditer of a buffer": (
            lambda x: np.nditer(tnp.zeros(3), op_flags=["readwrite"]),
            "WRITEBACKIFCOPY",
            "numpy.ndindex(x.shape)",
        ),
    },
    ValueError: {
        "an object that gives one": (
            seen_through(lambda x: np.sum(x + np.sin(Signal(x)))),
            "__array__",
            "numpy.asarray(object)",
        )
    },
    OptionError: {
        "traced": (lambda x: np.sum(x, initial=x[0]), "initial"),
        "traced, by position": (lambda x: np.sum(x, 0, None, None, False, x[0]), "initial"),
        "without a rule": (lambda x: np.sin(x, order="C"), "order"),
    },
    NoRuleError: {"no rule": (lambda x: np.frompyfunc(doubled, 1, 1)(x), "doubled")},
}


def doubled(x):
    return x * 2


@pytest.mark.parametrize(
    ("error", "f", "words"),
    [
        pytest.param(error, f, words, id=name)
        for error, calls in REFUSALS.items()
        for name, (f, *words) in calls.items()
    ],
)
def test_refusals_say_what_to_write_instead(differentiate, error, f, words):
    with pytest.raises(error) as caught:
        differentiate(f)
    said = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
    assert [each for each in words if each not in said] == []
    if f in CONVERSIONS.values():
        assert isinstance(caught.value.value, TracedArray)
        assert isinstance(caught.value, TypeError)


def test_an_error_that_was_made_of_a_refusal_says_so(differentiate):
    def rewords(x):
        try:
            return float(np.sum(x))
        except TypeError as error:
            raise ValueError("not a number") from error

    with pytest.raises(ValueError, match="not a number") as caught:
        differentiate(rewords)
    (note,) = caught.value.__notes__
    assert "float(x)" in note
    assert __file__ in note


@pytest.mark.parametrize("use", [lambda x: mpmath.sin(x), lambda x: mpmath.mpf(x) ** 2])
def test_a_refusal_that_becomes_nan_is_an_error_of_the_derivative(use):
    def caught_again(x):
        found = use(x)
        with contextlib.suppress(TypeError):
            float(x)
        return x + float(found) * 0.0

    for derivative in (grad(caught_again), lambda x: jvp(caught_again, (x,), (1.0,))):
        with pytest.raises(
            LostGradientError, match=r"(nan|in mpmath); compute with NumPy's"
        ) as raised:
            derivative(0.7)
        assert raised.value.operation == "float(x)"
    assert use(0.7) == use(0.7)
