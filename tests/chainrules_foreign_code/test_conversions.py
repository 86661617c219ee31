"""Calls of `float`, `int`, `complex`, `type` and NumPy's classes of numbers are replaced; nothing
else of these names is.
"""

import numpy as np
import pytest

from chainrules_foreign_code.callees import calls_without_source
from chainrules_py.introspection.called_code import with_calls
from chainrules_tape import grad, jvp, seen_through, value_and_grad
from slopes import quotients
from strangers import numbers


def seen(function):
    """The function with its conversions replaced."""
    calls = calls_without_source(function.__globals__)
    function.__code__ = with_calls(function.__code__, calls)
    return function


def code_with_names(count):
    """A function that loads so many names before it converts."""
    loads = "\n".join(f"    if x is None: name{k}" for k in range(count))
    variables = {}
    exec(f"def f(x):\n{loads}\n    return float(x) * float(x)", variables)
    return variables["f"]


@pytest.mark.parametrize(
    "f",
    [
        lambda x: (complex(-x, x * -0.0) ** 0.5).imag,
        lambda x: complex(x, float("inf")).real,
        lambda x: complex(x, complex(x, x)).real,
        lambda x: abs(complex(imag=x * x)) + isinstance(complex(x, 1), complex),
    ],
    ids=["sign of zero", "infinity", "complex part", "imaginary part"],
)
@pytest.mark.filterwarnings(r"ignore:complex\(\) argument:DeprecationWarning")  # Python 3.14
def test_a_complex_number_of_its_parts(f):
    assert value_and_grad(seen(f))(0.7)[0] == pytest.approx(f(0.7), rel=1e-15)
    for derivative in (grad(seen(f))(0.7), jvp(seen(f), (0.7,), (1.0,))[1]):
        assert derivative == pytest.approx(quotients(f, 0.7), rel=1e-6)


@pytest.mark.parametrize("count", [0, 100, 127, 128, 300])
def test_names_of_any_number(count):
    f = code_with_names(count)
    assert grad(seen(f))(0.7) == pytest.approx(1.4)
    assert f(0.7) == 0.7 * 0.7


def test_what_is_no_call_is_what_it_was():
    @seen
    def f(x):
        return (
            float,
            {float: 1}[float],
            np.dtype(float),
            isinstance(x, float),
            np.float64,
            float.fromhex("1p0"),
            np.float64.__name__,
        )

    assert f(1.0) == (float, 1, np.dtype("f8"), True, np.float64, 1.0, "float64")


@pytest.mark.parametrize(
    "value", [1.5, 2, "2.5", True, np.float64(3.0), np.array(2.0), np.float32(0.1)]
)
def test_plain_values_convert_as_they_did(value):
    convert = lambda x: (float(x), complex(x), type(x), np.float64(x))  # noqa: E731
    expected = convert(value)
    found = seen(convert)(value)
    assert found == expected
    assert list(map(type, found)) == list(map(type, expected))


@pytest.mark.parametrize("bad", ["words", None, [1.0, 2.0]])
def test_what_does_not_convert_raises_as_it_did(bad):
    convert = lambda x: float(x)  # noqa: E731
    with pytest.raises((TypeError, ValueError)) as before:
        convert(bad)
    with pytest.raises(type(before.value)) as after:
        seen(convert)(bad)
    assert str(after.value) == str(before.value)


def test_a_name_that_means_something_else_stays():
    variables = {"float": lambda x: 7.0}
    exec("def f(x): return float(x)", variables)
    assert seen(variables["f"])(1.0) == 7.0


def test_an_array_is_no_number():
    with pytest.raises(TypeError, match=r"size-1|0-dimensional|scalar"):
        grad(seen(lambda x: float(np.stack([x, x]))))(1.0)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: type(numbers.READERS["x"]),
        lambda x: numbers.of_dtype(x, int),
        lambda x: numbers.of_dtype(x, lambda v: v),
        lambda x: numbers.of_dtype([x], np.asarray).dtype,
    ],
    ids=["class", "integer", "function", "function of NumPy's"],
)
def test_plain_values_are_converted_as_ever_by_what_is_held(f):
    expected = f(2.5)
    with seen_through("strangers"):
        assert f(2.5) == expected


def test_an_error_that_is_raised_by_what_is_held():
    with seen_through("strangers"), pytest.raises(ValueError, match="could not convert"):
        numbers.of_dtype("no number", float)
