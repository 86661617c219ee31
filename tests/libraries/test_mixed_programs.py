"""NumPy's and Python's constants next to a library's arrays; dtypes that meet; masks and indices.

The numbers are NumPy's, and so are the dtypes, on all libraries but JAX: there an integer leaves
the precision as it is.
"""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import InputError, LostGradientError, grad, jvp, value_and_grad
from stand_ins.array_makers import MAKERS, host, of_jax

pytestmark = pytest.mark.usefixtures("double_precision")
W, C, MASK = np.array([0.5, 1.5, 2.0]), np.array([1.0, 2.0, 3.0]), np.array([True, False, True])
SINGLE, INTS = C.astype(np.float32), np.arange(1, 4)

OF_SINGLE = {
    "an array of double precision": lambda w: w * C,
    "a number of NumPy's": lambda w: np.float64(2) * w,
    "a number of NumPy's, to the right": lambda w: w * np.float64(2),
    "an array without axes": lambda w: w + np.array(2.0),
    "an integer of Python's": lambda w: w * 2,
    "a number of Python's": lambda w: 2.5 * w,
    "a truth value": lambda w: w * True,
    "a complex number": lambda w: (w * (1 + 2j)).imag,
    "a complex array": lambda w: (w * (C * 1j)).imag,
    "small integers": lambda w: w * np.arange(3, dtype=np.int8),
    "a small integer": lambda w: w * np.uint8(3),
    "truth values": lambda w: w * MASK,
    "a power": lambda w: w**2 + w**-1,
    "an exponent": lambda w: 2**w,
    "a list": lambda w: np.add(w, [1.0, 2.0, 3.0]),
    "where, a number": lambda w: np.where(MASK, w, 0),
    "where, an array": lambda w: np.where(MASK, w, C),
    "where, a number of NumPy's": lambda w: np.where(MASK, w, np.float64(1)),
    "a mask as an index": lambda w: w[MASK],
    "places": lambda w: w[np.array([0, 0, 2])],
    "backwards": lambda w: w[::-1] * C,
    "the larger, of NumPy's": lambda w: np.maximum(w, np.float64(1)),
    "clip": lambda w: np.clip(w, 0, np.float64(1)),
    "dot": lambda w: np.dot(C, w),
    "joined": lambda w: np.concatenate([w, C]),
    "mean": lambda w: w.mean() * C,
    "an entry": lambda w: w[0] * C,
    "sum, of a dtype": lambda w: np.sum(w, dtype=np.float64),
    "astype": lambda w: w.astype(np.float64) * 2,
    "full_like, an integer": lambda w: w * np.full_like(w, 2),
    "zeros": lambda w: np.zeros(3) + w,
    "std": lambda w: np.std(w) * np.float64(1),
    "floor": lambda w: w // 1 + w,
    "a question": lambda w: (w > np.float64(1)) * w,
    "sum of several": lambda w: sum([w, C, 1]),
}
OF_SINGLE_AND_INTEGERS = {  # which are wider than JAX has them
    "integers": lambda w: w * INTS,
    "an integer of NumPy's": lambda w: w * np.int64(3),
    "powers": lambda w: w**INTS + INTS**w,
    "remainder": lambda w: w % INTS,
    "matrix of integers": lambda w: np.ones((2, 3), int) @ w,
    "stacked": lambda w: np.stack([w, INTS]),
    "as many as there are": lambda w: np.arange(len(w)) * w,
    "array": lambda w: tnp.array([w[0], 1.0]),
}
OF_DOUBLE = {
    "an array of single precision": lambda w: w * SINGLE,
    "a number of single precision": lambda w: w * np.float32(2) + w ** np.float32(1.5),
    "a product with single precision": lambda w: w @ SINGLE,
}
OF_COMPLEX = {
    "complex by an array": lambda w: (w * C).real,
    "complex by a number": lambda w: (w * np.float64(2)).real,
    "size of complex": lambda w: abs(w) * 2,
}
OF_DTYPES = {
    **{name: (np.float32, f) for name, f in (OF_SINGLE | OF_SINGLE_AND_INTEGERS).items()},
    **{name: (np.float64, f) for name, f in OF_DOUBLE.items()},
    **{name: (np.complex64, f) for name, f in OF_COMPLEX.items()},
}


def close(found, expected, dtype):
    found = host(found)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("name", OF_DTYPES)
def test_constants_beside_a_librarys_arrays(make, name):
    dtype, function = OF_DTYPES[name]
    w = (W * (1 + 1j) if dtype is np.complex64 else W).astype(dtype)

    def total(w):
        return np.sum(function(w))

    value, slope = value_and_grad(total)(w)
    _, tangent = jvp(total, (w,), (w,))
    kept = np.float32 if make is of_jax and name in OF_SINGLE_AND_INTEGERS else value.dtype
    x = make(w)
    found, its_slope = value_and_grad(total)(x)
    assert type(found) is type(its_slope) is type(x)
    close(found, value, kept)
    close(its_slope, slope, dtype)
    close(jvp(total, (x,), (x,))[1], tangent, kept)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("w", [INTS, MASK], ids=["integers", "truth values"])
def test_what_has_no_tangent_is_refused(make, w):
    with pytest.raises(InputError, match="integers have no tangent"):
        grad(lambda w: np.sum(w * 2.0))(make(w))


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(
    "into", [float, lambda w: np.asarray(w).item(), lambda w: np.zeros(1).__setitem__(0, w)]
)
def test_what_leaves_the_library_is_refused(make, into):
    with pytest.raises((LostGradientError, TypeError, ValueError)):
        grad(lambda w: w[0] * into(w[1]))(make(W))
