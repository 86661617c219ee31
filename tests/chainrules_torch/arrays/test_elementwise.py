"""Functions that work entry by entry, on tensors and by NumPy: values and dtypes of all kinds of
entries, numbers.
"""

import numpy as np
import pytest

from chainrules_torch.arrays import elementwise
from stand_ins.tensor_calls import DTYPES, both, call, require_agreement

X = np.array([[0.3, -1.7, 0.0], [2.5, 0.9, -0.4]])
Y = np.array([1.5, -0.6, 2.0])
Z = X + 1j * Y
MASK = X > 0
UFUNCS = [name for name in elementwise.FUNCTIONS if isinstance(getattr(np, name), np.ufunc)]
OF_ONE, OF_TWO = ([name for name in UFUNCS if getattr(np, name).nin == count] for count in (1, 2))
OTHERS = [
    *(
        call(name, x)
        for name in (
            "real",
            "imag",
            "angle",
            "sign",
            "isreal",
            "iscomplexobj",
            "isrealobj",
            "round",
        )
        for x in (X, Z)
    ),
    *(
        call(name, x)
        for name in (
            "nan_to_num",
            "around",
            "fix",
            "sinc",
            "i0",
            "isposinf",
            "isneginf",
            "real_if_close",
        )
        for x in (X,)
    ),
    call("angle", Z, deg=True),
    call("real_if_close", X + 0j),
    call("real_if_close", Z),
    call("where", MASK, X, Y),
    call("where", MASK, X.astype("float32"), 2),
    call("where", MASK, 1, 2.5),
    call("where", X, X, 1j),
    call("clip", X, -0.5, 0.5),
    call("clip", X, None, Y),
    call("clip", X, min=-0.2),
    call("nan_to_num", np.array([np.nan, np.inf, -np.inf, 1.0]), nan=2.0, posinf=3.0, neginf=-3.0),
    call("nan_to_num", np.array([np.nan + 1j, 1 + np.inf * 1j])),
    call("round", X * 100, decimals=-1),
    call("round", X, decimals=1),
    *(call("round", np.array([2, 25, -17, 38]), decimals=n) for n in (-1, 0, 1)),
    *(
        call(name, np.array([0j, 0j, 1j, 0j]), np.array([0j, 2 + 0j, 0j, 1]))
        for name in ("power", "float_power")
    ),
    *(call(name, np.array([0, 1, -40], np.int8)) for name in ("sinc", "i0")),
    call("reciprocal", np.array([1, 2, -1, -3])),
    call("ldexp", np.array([1e-300, 1e300, 3.0]), np.array([1100, -1100, 2])),
    *(call("power", np.array([2, 3]), y) for y in (np.array([-1, 2]), np.array([0, 2]))),
    call("round", Z, decimals=1),
    call("isclose", X, X * (1 + 1e-6)),
    call("isclose", X, np.nan, equal_nan=True),
    call("isclose", np.array([np.nan]), np.array([np.nan]), equal_nan=True),
    call("astype", X, np.int32),
    call("astype", X, "complex64"),
    call("result_type", X.astype("float32"), 1.0),
    call("result_type", X.astype("float32"), np.arange(3)),
    call("select", [MASK, X < -1], [X, Y * X]),
    call("select", [MASK, X < -1], [X, X], 7.5),
    *(
        call("select", [MASK, X < -1], [x, choice], default)
        for x in (X.astype("float32"), X.astype("int8"))
        for choice in (x, 2.5, 1)
        for default in (7.5, 1, np.float64(1))
    ),
]


# Computed by NumPy, or not at all, since PyTorch orders no complex numbers, or knows no such
# functions of them.
OF_REAL_NUMBERS = {
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
    "rint",
    "fabs",
}
# NumPy has no complex ones, and PyTorch's are harmless.
NOT_IN_NUMPY = {"cbrt", "logaddexp", "ldexp"}
# PyTorch raises for one over the integer zero.
OF_FLOATS = {"reciprocal"}


def is_common(name, dtype):
    """Whether both libraries have a function for numbers of a dtype."""
    if name in NOT_IN_NUMPY:
        return dtype != "complex128" and name != "ldexp"
    return not (dtype == "complex128" and name in OF_REAL_NUMBERS) and not (
        dtype == "int64" and name in OF_FLOATS
    )


def is_of_floats(name):
    """Whether NumPy has a ufunc for numbers of floating point."""
    return any(kind.partition("->")[0].strip("d") == "" for kind in getattr(np, name).types)


ONE = [(name, dtype) for name in OF_ONE for dtype in DTYPES if is_common(name, dtype)]
TWO = [(name, dtype) for name in OF_TWO for dtype in DTYPES if is_common(name, dtype)]


@pytest.mark.parametrize(("name", "dtype"), ONE)
def test_functions_of_one_array(name, dtype):
    require_agreement(call(name, np.abs(4 * X).astype(dtype)))
    require_agreement(call(name, X.astype(dtype)))


@pytest.mark.parametrize(("name", "dtype"), TWO)
def test_functions_of_two_arrays(name, dtype):
    x, y = (1 + np.abs(2 * X)).astype(dtype), (1 + np.abs(Y)).astype(dtype)
    require_agreement(call(name, x, y))
    require_agreement(call(name, y, x[0]))


SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, 1.0, -2.5])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", [name for name in UFUNCS if is_of_floats(name)])
def test_special_points(name, dtype):
    x = SPECIAL.astype(dtype)
    is_of_one = getattr(np, name).nin == 1
    require_agreement(call(name, x) if is_of_one else call(name, x[:, None], x))


@pytest.mark.parametrize("dtype", ["complex128"])
@pytest.mark.parametrize("name", sorted(OF_REAL_NUMBERS))
def test_what_is_not_ordered_is_refused(name, dtype):
    found, _ = both(call(name, *[X.astype(dtype)] * getattr(np, name).nin))
    assert isinstance(found, Exception) or name == "fabs"


@pytest.mark.parametrize("number", [2, 1.5, True, 1j], ids=repr)
@pytest.mark.parametrize("dtype", ["float32", "complex64", "int32"])
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "power"])
def test_a_number_beside_an_array_is_weak(name, dtype, number):
    x = np.abs(2 * X).astype(dtype)
    require_agreement(call(name, x, number))
    require_agreement(call(name, number, 1 + x))


@pytest.mark.parametrize("number", [300, -300, 7])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "bool"])
@pytest.mark.parametrize("name", ["less", "greater_equal", "equal"])
def test_numbers_that_a_dtype_does_not_have_are_compared(name, dtype, number):
    x = np.array([0, 1, 100]).astype(dtype)
    require_agreement(call(name, x, number))
    require_agreement(call(name, number, x))


@pytest.mark.parametrize("number", [2, 1.5, True], ids=repr)
@pytest.mark.parametrize("name", ["maximum", "less", "arctan2"])
def test_a_real_number_beside_an_array_is_weak(name, number):
    for dtype in ("float32", "int32"):
        require_agreement(call(name, np.abs(2 * X).astype(dtype), number))


@pytest.mark.parametrize("name", ["add", "multiply", "divide", "equal"])
@pytest.mark.parametrize(
    "pair",
    [("float32", "int64"), ("int8", "float16"), ("float32", "complex64"), ("bool", "uint8")],
    ids=str,
)
def test_arrays_of_two_dtypes_meet_as_numpys_do(name, pair):
    x, y = (np.array([1, 2, 5]).astype(dtype) for dtype in pair)
    require_agreement(call(name, x, y))
    require_agreement(call(name, x, y[0]))  # an array without axes is not weak
    require_agreement(call(name, x[0], y))


@pytest.mark.filterwarnings("ignore:numpy.fix is deprecated")  # in NumPy 2.5
@pytest.mark.parametrize("made", OTHERS, ids=str)
def test_other_functions(made):
    require_agreement(made)


def test_every_function_is_here():
    assert set(elementwise.FUNCTIONS) <= {*OF_ONE, *OF_TWO, *(made.name for made in OTHERS)}
