"""Values by what people write on a command line."""

import numpy as np
import pytest

from chainrules_command.arguments import require_arguments, value_of, values_of
from chainrules_command.misuse import MisuseError

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(("word", "shape", "dtype"), [
    ("float64[2,3]", (2, 3), "float64"),
    ("float32[2, 3]", (2, 3), "float32"),
    ("complex64[4]", (4,), "complex64"),
    ("int64[0]", (0,), "int64"),
    ("float64", (), "float64"),
    ("float32[]", (), "float32"),
])  # fmt: skip
def test_types(word, shape, dtype):
    value = value_of(word, RNG)
    assert (np.shape(value), value.dtype) == (shape, dtype)


def test_random_numbers_are_those_of_the_last_time_and_where_functions_are_defined():
    first, second = (values_of(["float64[50]", "complex128[50]"]) for _ in range(2))
    assert np.array_equal(first[0], second[0])
    assert np.array_equal(first[1], second[1])
    assert ((first[0] > 0.5) & (first[0] < 1.5)).all()
    assert first[1].imag.min() > 0.5


@pytest.mark.parametrize(
    ("word", "value"),
    [("2", 2), ("-1.5", -1.5), ("1+2j", 1 + 2j), ("'a'", "a"), ("(1, 2)", (1, 2)), ("None", None)],
)
def test_literals(word, value):
    assert value_of(word, RNG) == value
    assert type(value_of(word, RNG)) is type(value)


def test_lists_of_numbers_are_arrays_wherever_they_are():
    found = value_of("{'w': [[1, 2], [3, 4]], 'b': ([0.5], ['a', 'b']), 'c': [[1], [2, 3]]}", RNG)
    assert np.array_equal(found["w"], [[1.0, 2.0], [3.0, 4.0]])
    assert found["w"].dtype == float
    assert found["b"][0].dtype == float
    assert found["b"][1] == ["a", "b"]
    assert [part.tolist() for part in found["c"]] == [[1.0], [2.0, 3.0]]  # of different lengths


@pytest.mark.parametrize("word", ["float65[3]", "x + 1", "[1, ", "float64[x]"])
def test_what_is_no_value(word):
    with pytest.raises(MisuseError, match="float64"):
        value_of(word, RNG)


def test_too_few_arguments_are_refused_with_the_signature():
    def f(x, y, *, z=1): ...

    with pytest.raises(MisuseError) as raised:
        require_arguments("a.f", f, [1.0])
    assert "a.f(x, y, *, z=1)" in str(raised.value)
    require_arguments("a.f", f, [1.0, 2.0])
    require_arguments("max", max, [1.0])  # has no signature
