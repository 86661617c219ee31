"""What would lose a gradient raises, in both modes, says what to write instead, and carries the
value.
"""

import contextlib
import math
import pickle

import mpmath
import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py import NoRuleError, OptionError
from chainrules_tape import InPlaceError, LostGradientError, grad, jvp
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
    "assignment of an array": lambda x: np.zeros(2).__setitem__(slice(None), x),
}


@pytest.mark.parametrize("convert", CONVERSIONS.values(), ids=list(CONVERSIONS))
def test_conversions_to_plain_values_raise(differentiate, convert):
    with pytest.raises(LostGradientError) as caught:
        differentiate(convert)
    assert isinstance(caught.value.value, TracedArray)
    assert caught.value.instead
    assert isinstance(caught.value, TypeError)


def test_assignment_of_a_number_raises(differentiate):
    # NumPy takes the value for a sequence when its conversion to a float fails, and says that.
    with pytest.raises(LostGradientError, match=r"float\(x\)") as caught:
        differentiate(lambda x: np.zeros(2).__setitem__(0, x[0]))
    assert "setting an array element" in str(caught.value.__cause__)


def test_what_numpy_says_of_a_number_in_an_array_is_said_as_a_refusal(differentiate):
    with pytest.raises(LostGradientError, match=r"write chainrules_tape\.numpy\.array in place"):
        differentiate(lambda x: np.fromiter((number for number in x), float))

    def written(x):
        y = np.zeros(2)
        y.flat[1] = x[0]

    with pytest.raises(LostGradientError, match=r"y\[index\] = x: .* make y by chainrules_tape"):
        differentiate(written)
    with pytest.raises(InPlaceError, match="make the array that is written to"):
        differentiate(lambda x: tnp.fill_diagonal(np.zeros((2, 2)), x))


def del_item(x):
    del x[0]


def into_plain(x):
    y = np.zeros(2)
    y += x


WRITES = {
    "delitem": del_item,
    "augmented assignment of a plain array": into_plain,
    "set_dtype": lambda x: x._set_dtype(np.int64),
    "out": lambda x: np.add(x, 1.0, out=np.zeros(2)),
    "out of a function": lambda x: np.sum(x, out=np.zeros(())),
    "at a plain array": lambda x: np.add.at(np.zeros(2), [0], x[:1]),
    "copyto": lambda x: np.copyto(np.zeros(2), x),
    "numpy.put": lambda x: np.put(np.zeros(2), [0], x[0]),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=list(WRITES))
def test_writes_raise_with_the_functional_form(differentiate, write):
    with pytest.raises(InPlaceError) as caught:
        differentiate(write)
    assert caught.value.operation
    assert caught.value.instead


@pytest.mark.parametrize(
    ("f", "option"),
    [
        (lambda x: np.sum(x, initial=x[0]), "initial"),
        (lambda x: np.sum(x, 0, None, None, False, x[0]), "initial"),
        (lambda x: np.sin(x, order="C"), "order"),
    ],
)
def test_an_option_is_named(differentiate, f, option):
    with pytest.raises(OptionError) as caught:
        differentiate(f)
    assert caught.value.option == option


def test_a_function_without_a_rule_is_named(differentiate):
    def doubled(x):
        return x * 2

    unknown = np.frompyfunc(doubled, 1, 1)
    with pytest.raises(NoRuleError) as caught:
        differentiate(lambda x: unknown(x))
    assert caught.value.primal is unknown


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


ADVICE = {name: library.instead for name, library in LIBRARIES.items()}
ADVICE["scipy.sparse"] = "it makes a sparse matrix; of traced entries chainrules_tape.scipy.sparse"
ASKING = {
    "numpy.ma": lambda x: np.ma.masked_array([1.0, 2.0], [True, False]) + x,
    "numpy.polynomial": lambda x: np.polynomial.chebyshev.chebval(0.5, x),
    "scipy.sparse": lambda x: pytest.importorskip("scipy.sparse").coo_array((x, ([0, 1], [0, 1]))),
    "scipy": lambda x: pytest.importorskip("scipy.cluster.hierarchy").linkage(x),
}


@pytest.mark.parametrize("package", ASKING)
def test_who_asks_for_a_plain_array_is_named(package, differentiate):
    with pytest.raises(LostGradientError) as caught:
        differentiate(lambda x: np.sum(ASKING[package](x)))
    assert caught.value.got.endswith(f"in {package}")
    assert caught.value.instead.startswith(ADVICE[package])


@pytest.mark.parametrize("name", ["scipy.linalg", "scipy.special"])
def test_where_a_module_of_scipys_has_a_stand_in_the_import_is_named(name, differentiate):
    module = pytest.importorskip(name)
    function = {
        "scipy.linalg": lambda x: module.toeplitz(x),
        "scipy.special": lambda x: module.softmax(x),
    }[name]
    with pytest.raises(LostGradientError) as caught:
        differentiate(lambda x: np.sum(function(x)))
    assert caught.value.got.endswith(f"in {name}")
    assert f"from chainrules_tape.scipy import {name.rpartition('.')[2]}" in caught.value.instead


def test_a_loop_over_entries_with_their_indices_says_what_to_write_instead(differentiate):
    with pytest.raises(LostGradientError, match=r"numpy.ndenumerate: .* numpy.ndindex\(x.shape\)"):
        differentiate(lambda x: sum(v for _, v in np.ndenumerate(x)))


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
