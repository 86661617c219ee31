"""What would lose a gradient raises, in both modes, says what to write instead, and carries the
value.
"""

import array
import contextlib
import ctypes
import io
import json
import math
import pickle
import struct
import zlib
from importlib import import_module

import mpmath
import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py import NoRuleError, OptionError, primitive, scalar_rule
from chainrules_tape import InPlaceError, LostGradientError, grad, jvp, seen_through, vmap
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


def as_objects(x):
    """The array of objects of two numbers."""
    made = np.empty(2, dtype=object)
    made[0], made[1] = x[0], x[1] ** 2
    return made


PLAIN = "y[index] = x", "plain array", "chainrules_tape.numpy.array"
ADVICE = "write chainrules_tape.numpy.array in place of numpy.array"
# which the message begins with
ADVISED = {
    "array": lambda x: np.array([x[0], x[1] ** 2]),
    "asarray": lambda x: np.asarray(x) ** 2,
    "full": lambda x: np.full(3, x[0]),
    "a function of a list": lambda x: np.sum([x[0], x[1] ** 2]),
    "a ufunc of a list": lambda x: np.square([x[0], x[1] ** 2]),
    "of a submodule": lambda x: np.linalg.inv([[x[0], 1.0], [1.0, x[1]]]),
    "without a rule": lambda x: np.asarray_chkfinite(x) ** 2,
    "vectorize": lambda x: np.vectorize(lambda t: t**2)(x),
    "r_": lambda x: np.r_[x, 1.0] ** 2,
    "a method of a plain array": lambda x: X.dot(x),
    "a method of what a call gave": lambda x: np.ones(2).dot(x),
    "a method of an array of objects": lambda x: as_objects(x).mean(),
    "a number's class": lambda x: np.float64(x[0]) ** 2,
}
RULE = 'f = primitive(f) and scalar_rule(f, "x", "derivative by x")'
COMPILED = {
    "numba": lambda x: module("numba").njit(lambda y: y * 2.0)(x[0]),
    "cython": lambda x: import_module("scipy.special.cython_special").j1(x[0]),
    "struct.pack": lambda x: struct.pack("d", x[0]),
    "struct.pack_into": lambda x: struct.pack_into("d", bytearray(8), 0, x[0]),
    "zlib.crc32": lambda x: zlib.crc32(x),
    "buffer.write": lambda x: (buffer := io.BytesIO(), buffer.write(x)),
    "numbers.append": lambda x: (numbers := array.array("d"), numbers.append(x[0])),
    "a number of C": lambda x: ctypes.c_double(x[0]).value,
    "an array of C": lambda x: (ctypes.c_double * 2)(x[0], x[1])[0],
}
# Of each error: calls, and words of the error and its notes.
REFUSALS = {
    LostGradientError: {
        **{name: (f, "; ") for name, f in CONVERSIONS.items()},
        **{f"{name}, advised": (f, ADVICE) for name, f in ADVISED.items()},
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
        "flat": (at_an_index_of_all, "y[index] = x: ", " make y an array of floats"),
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
    Exception: {name: (f, RULE) for name, f in COMPILED.items()},
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
    assert said.startswith(ADVICE) or words != [ADVICE]
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


def test_the_message_survives_pickling():
    with pytest.raises(LostGradientError) as caught:
        grad(ADVISED["array"])(X)
    error = caught.value
    error.value = error.__dict__["value"] = None
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_rows_of_a_plain_array_that_differ_from_lane_to_lane():
    table, positions = np.arange(12.0).reshape(4, 3), np.array([[1, 0], [3, 3]])
    with pytest.raises(LostGradientError, match=r"take\(a, k, axis=0\) for a\[k\]"):
        vmap(lambda k: table[k])(positions)
    found = vmap(lambda k: tnp.take(table, k, axis=0))(positions)
    np.testing.assert_array_equal(found, table[positions])


def test_a_function_of_numba_that_is_differentiated_itself():
    with pytest.raises(TypeError) as caught:
        grad(module("numba").njit(lambda x: x * 2.0))(1.5)
    assert any(RULE in note for note in caught.value.__notes__)


def test_the_rule_that_is_advised_works():
    special = import_module("scipy.special.cython_special")
    j1 = primitive(special.j1)
    scalar_rule(j1, "x", "-out / x")
    assert grad(lambda x: j1(x))(1.5) == -special.j1(1.5) / 1.5
