"""NumPy's functions of special tangents give tangents again, or refuse by name what is not linear."""

import inspect

import numpy as np
import pytest
from numpy.testing.overrides import get_overridable_numpy_array_functions

from chainrules_py.errors import TangentTypeError
from chainrules_py.tangents import NO_TANGENT, ZERO, Tangent, Thunk

X = np.arange(1.0, 4.0)
MASK = np.array([True, False, True])
DTYPES = [*np.typecodes["AllInteger"], *np.typecodes["AllFloat"], "?"]


def test_zeros_never_make_object_arrays():
    x = X.copy()
    x += ZERO
    results = [
        np.add(X, ZERO),
        X + ZERO,
        x,
        np.where(MASK, X, ZERO),
        np.where(MASK, ZERO, X),
        np.stack([X, ZERO]),
    ]
    assert [result.dtype for result in results] == [np.float64] * 6
    assert np.multiply(ZERO, X) is ZERO
    assert np.sum(ZERO) is ZERO


@pytest.mark.parametrize("code", DTYPES)
@pytest.mark.parametrize("shape", [(), (3,), (0,)])
def test_where_keeps_value_and_dtype(code, shape):
    x, mask = np.ones(shape, code), np.zeros(shape, bool)
    for chosen, other in (((x, ZERO), x.dtype), ((NO_TANGENT, x), x.dtype)):
        result = np.where(mask, *chosen)
        assert (result.dtype, result.shape) == (other, shape)
    np.testing.assert_array_equal(np.where(mask, x, ZERO), np.zeros(shape, code))
    np.testing.assert_array_equal(np.where(mask, ZERO, x), x)


@pytest.mark.parametrize("x", [2.0, 2, True, 2j, np.float32(2), np.float16(2)], ids=repr)
def test_where_of_scalars_is_as_weak_as_they_are(x):
    result = np.where(MASK, x, ZERO)
    np.testing.assert_array_equal(result, np.where(MASK, x, 0 * x))
    assert result.dtype == np.where(MASK, x, type(x)(0)).dtype


def test_where_of_tangents():
    assert np.where(MASK, ZERO, ZERO) is ZERO
    assert np.where(MASK, NO_TANGENT, ZERO) is NO_TANGENT
    assert np.where(MASK, Thunk(lambda: X), ZERO).tolist() == [1.0, 0.0, 3.0]


@pytest.mark.parametrize("zero", [ZERO, NO_TANGENT], ids=repr)
def test_out_is_filled_and_returned(zero):
    buffer = np.full(3, 7.0)
    assert np.add(X, zero, out=buffer) is buffer
    assert buffer.tolist() == X.tolist()
    assert np.multiply(X, zero, out=buffer) is buffer
    assert buffer.tolist() == [0.0, 0.0, 0.0]
    assert np.subtract(zero, X, out=buffer) is buffer
    assert buffer.tolist() == (-X).tolist()
    assert np.add(1.0, zero, out=buffer).tolist() == [1.0, 1.0, 1.0]


def test_out_with_a_mask():
    buffer = np.full(3, 7.0)
    np.add(X, ZERO, out=buffer, where=MASK)
    assert buffer.tolist() == [1.0, 7.0, 3.0]
    np.multiply(X, ZERO, out=buffer, where=~MASK)
    assert buffer.tolist() == [1.0, 0.0, 3.0]


def test_out_casts_as_numpy_does():
    with pytest.raises(TypeError):
        np.add(X, ZERO, out=np.zeros(3, int))


def test_in_place_products_and_scatters():
    x = X.copy()
    y = x
    y *= ZERO
    assert y is x
    assert not x.any()
    x = X.copy()
    assert np.add.at(x, [0, 0], ZERO) is None
    assert np.subtract.at(x, [0, 0], ZERO) is None
    assert x.tolist() == X.tolist()
    np.copyto(x, ZERO, where=MASK)
    assert x.tolist() == [0.0, 2.0, 0.0]


@pytest.mark.parametrize("zero", [ZERO, NO_TANGENT], ids=repr)
def test_methods_of_ufuncs(zero):
    assert np.add.reduce(zero, axis=0) is zero
    assert np.add.accumulate(zero) is zero
    assert np.add.reduceat(zero, [0, 1]) is zero
    assert np.multiply.outer(zero, X) is zero
    assert np.add.reduce(zero, out=np.ones(())) == 0.0


def test_functions_of_several_arrays():
    assert np.einsum("ij,j->i", np.ones((3, 3)), ZERO) is ZERO
    assert np.einsum(ZERO, [0, 1], X, [1]) is ZERO
    assert np.linalg.multi_dot([np.ones((2, 3)), ZERO, np.ones((3, 2))]) is ZERO
    for join in (np.concatenate, np.hstack, np.vstack, np.dstack, np.column_stack, np.stack):
        assert join([ZERO, ZERO]) is ZERO
        assert join([ZERO, NO_TANGENT]) is NO_TANGENT
    np.testing.assert_array_equal(
        np.stack([ZERO, X, ZERO], axis=1), np.stack([0 * X, X, 0 * X], axis=1)
    )
    assert np.stack([X.astype("f4"), ZERO]).dtype == np.float32


def test_options_by_keyword_and_arguments_by_name():
    assert np.sum(a=ZERO, axis=0, keepdims=True) is ZERO
    assert np.sum(ZERO, initial=0, where=MASK) is ZERO
    assert np.einsum("i,i", X, ZERO, optimize=True) is ZERO
    assert np.pad(ZERO, 1, mode="edge") is ZERO


REFUSED = {
    **{
        f.__name__: lambda f=f: f(ZERO)
        for f in (np.sin, np.exp, np.abs, np.isfinite, np.sqrt, np.square, np.linalg.inv)
    },
    **{
        f.__name__: lambda f=f: f(ZERO)
        for f in (np.prod, np.max, np.sort, np.linalg.norm, np.shape, np.ndim, np.zeros_like)
    },
    "maximum": lambda: np.maximum(X, ZERO),
    "power": lambda: np.power(X, ZERO),
    "less": lambda: X < ZERO,
    "divisor": lambda: X / ZERO,
    "logical": lambda: np.logical_or(X, ZERO),
    "allclose": lambda: np.allclose(X, ZERO),
    "ldexp's exponent": lambda: np.ldexp(X, ZERO),
    "solve's matrix": lambda: np.linalg.solve(ZERO, X),
    "interp's points": lambda: np.interp(ZERO, X, X),
    "take's indices": lambda: np.take(X, ZERO),
    "weights": lambda: np.average(X, weights=ZERO),
    "condition": lambda: np.where(ZERO, X, X),
    "initial": lambda: np.sum(ZERO, initial=1.0),
    "positional prepend": lambda: np.diff(ZERO, 1, -1, 1.0),
    "constant": lambda: np.pad(ZERO, 1, constant_values=2.0),
    "mode": lambda: np.pad(ZERO, 1, "maximum"),
    "initial of reduce": lambda: np.add.reduce(ZERO, initial=1.0),
    "add.outer": lambda: np.add.outer(X, ZERO),
    "multiply.reduce": lambda: np.multiply.reduce(ZERO),
    "unknown shape": lambda: np.concatenate([X, ZERO]),
    "nested list": lambda: np.stack([[X, ZERO], [X, X]]),
    "mask without out": lambda: np.add(X, ZERO, where=MASK),
    "dtype": lambda: np.add(X, ZERO, dtype=np.float32),
    "casting": lambda: np.multiply(X, ZERO, casting="no"),
    "out of a structure": lambda: np.multiply(2.0, Tangent[tuple](1.0), out=np.ones(1)),
    "scatter of a structure": lambda: np.add.at(X.copy(), 0, Tangent[tuple](1.0)),
    "scatter index": lambda: np.add.at(X.copy(), ZERO, 1.0),
    "copyto": lambda: np.copyto(X.copy(), Tangent[tuple](1.0)),
    "sum of a structure": lambda: np.sum(Tangent[tuple](X)),
    "where of a structure": lambda: np.where(MASK, X, Tangent[tuple](X)),
    "list of zeros": lambda: np.sum([ZERO, ZERO]),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_not_linear_is_refused_by_name(call):
    with pytest.raises(TangentTypeError) as info:
        call()
    assert info.value.operation
    assert info.value.operands


def test_the_error_names_the_function():
    for call, name in (
        (lambda: np.sin(ZERO), "numpy.sin"),
        (lambda: np.linalg.inv(ZERO), "numpy.linalg.inv"),
    ):
        with pytest.raises(TangentTypeError) as info:
            call()
        assert info.value.operation == name


def test_equality_is_a_plain_bool():
    for result, expected in (
        (np.equal(X, ZERO), False),
        (np.not_equal(ZERO, X), True),
        (np.equal(ZERO, ZERO), True),
    ):
        assert result is expected


UNARY_UFUNCS = [
    u
    for u in vars(np).values()
    if isinstance(u, np.ufunc) and (u.nin, u.nout) == (1, 1) and u.signature is None
]


@pytest.mark.parametrize("ufunc", dict.fromkeys(UNARY_UFUNCS), ids=lambda u: u.__name__)
def test_a_unary_ufunc_is_closed_exactly_when_it_is_real_linear(ufunc):
    x, y = np.array([0.25, -0.5, 0.75]), np.array([0.5, 0.25, -0.25])
    try:
        with np.errstate(all="ignore"):
            combined = ufunc(2.0 * x - 3.0 * y)
            is_linear = combined.dtype != bool and np.allclose(
                combined, 2.0 * ufunc(x) - 3.0 * ufunc(y), atol=0.0
            )
    except TypeError:  # integers, dates and strings only
        is_linear = False
    if is_linear:
        assert ufunc(ZERO) is ZERO
    else:
        with pytest.raises(TangentTypeError):
            ufunc(ZERO)


def callable_with_one_array(function):
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:  # functions in C that make arrays from strings
        return False
    required = [
        p for p in parameters.values() if p.default is p.empty and p.kind is not p.VAR_KEYWORD
    ]
    # `like=` marks the functions that make arrays from something else: files, strings, shapes.
    return len(required) == 1 and "like" not in parameters


OVERRIDABLE = sorted(
    get_overridable_numpy_array_functions(), key=lambda f: (f.__module__, f.__qualname__)
)


@pytest.mark.parametrize(
    "function", list(filter(callable_with_one_array, OVERRIDABLE)), ids=lambda f: f.__qualname__
)
def test_every_overridable_function_answers_with_the_zero_or_an_error(function):
    try:
        result = function(ZERO)
    except TypeError:  # ours, or NumPy's own where it wants a list of arrays
        return
    assert result is ZERO
