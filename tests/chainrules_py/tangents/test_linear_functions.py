"""The tables are mathematics, so they are held against NumPy: each function is linear where they
say so.
"""

import numpy as np
import pytest

from chainrules_py.tangents import NO_TANGENT, ZERO, not_implemented
from chainrules_py.tangents.linear_functions import LINEAR_UFUNCS, linear_functions

LINEAR_FUNCTIONS = linear_functions()
RANDOM = np.random.default_rng(0)
V, W, A, B = (RANDOM.standard_normal(shape) for shape in [(4,), (4,), (4, 4), (4, 4)])
FULL = A + 5 * np.eye(4)

VECTORS = (
    np.dot,
    np.vdot,
    np.inner,
    np.outer,
    np.linalg.outer,
    np.convolve,
    np.correlate,
    np.vecdot,
    np.linalg.vecdot,
)
EXAMPLES = {
    **dict.fromkeys([*LINEAR_FUNCTIONS, *LINEAR_UFUNCS], (A,)),
    **dict.fromkeys(VECTORS, (V, W)),
    **dict.fromkeys((np.matmul, np.linalg.matmul, np.kron), (A, B)),
    **dict.fromkeys((np.cross, np.linalg.cross), (V[:3], W[:3])),
    np.tensordot: (A, B, 1),
    np.linalg.tensordot: (A, B),
    np.matvec: (A, V),
    np.vecmat: (V, A),
    np.ldexp: (V, 3),
    np.astype: (V, np.float64),
    np.cumsum: (A, 1),
    np.cumulative_sum: (V,),
    np.reshape: (A, (2, 8)),
    np.squeeze: (A[:, None],),
    np.expand_dims: (A, 1),
    np.broadcast_to: (V, (3, 4)),
    np.moveaxis: (A, 0, 1),
    np.rollaxis: (A, 1),
    np.swapaxes: (A, 0, 1),
    np.roll: (A, 3),
    np.take: (A, [2, 2]),
    np.take_along_axis: (A, np.array([[1, 2, 0, 0]]), 0),
    np.delete: (V, 2),
    np.repeat: (V, [1, 2, 0, 1]),
    np.tile: (V, 2),
    np.pad: (V, 2),
    np.compress: ([True, False, True, True], V),
    np.extract: (np.array([True, False, True, True]), V),
    np.linalg.solve: (FULL, V),
    np.linalg.tensorsolve: (FULL, V),
    np.interp: ([0.5, 1.5], [0.0, 1.0, 2.0, 3.0], V),
    np.fft.hfft: (V,),
    np.fft.ihfft: (V,),
}
PLACES = [
    (function, place)
    for function, places in (LINEAR_FUNCTIONS | LINEAR_UFUNCS).items()
    for place in places
]
over_places = pytest.mark.parametrize(
    ("function", "place"), PLACES, ids=[f"{f.__name__}-{place}" for f, place in PLACES]
)


def call(function, place, value):
    args = list(EXAMPLES[function])
    args[place] = value
    return function(*args)


@over_places
def test_it_is_linear_there(function, place):
    x = EXAMPLES[function][place]
    y = x[::-1] * 1.7 + 0.3
    combined = call(function, place, 2.0 * x - 3.0 * y)
    np.testing.assert_allclose(
        combined,
        2.0 * call(function, place, x) - 3.0 * call(function, place, y),
        rtol=1e-9,
        atol=1e-12,
    )


@over_places
@pytest.mark.parametrize(
    "t", [ZERO, NO_TANGENT, not_implemented("reason")], ids=lambda t: type(t).__name__
)
def test_it_is_closed_there(function, place, t):
    assert call(function, place, t) is t
