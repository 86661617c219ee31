"""Functions that CuPy lacks, does otherwise, or computes of arrays alone: NumPy's numbers and dtypes,
and a host that does not wait or copy.
"""

import numpy as np
import pytest

from chainrules_cupy.namespace import namespace
from stand_ins.waiting import staying

pytestmark = pytest.mark.gpu
cupy = pytest.importorskip("cupy")

ROWS = np.array([[1.0, 2.0, -1.0, 0.5, 3.0], [0.0, 1.5, 2.0, -2.0, 1.0]])
COUNTS, WEIGHTS = np.array([1, 2, 1, 3, 1]), np.array([0.5, 1.0, 2.0, 1.0, 0.3])
P = np.array([2.0, -1.0, 0.5, 3.0])
X = np.array([1.0, -2.0, 3.0])
START, STOP = np.array([[0.0, 1.0, -2.0]]), np.array([[1.0], [3.0]])
PADDED = np.array([[1.0, 5.0, 2.0], [7.0, -3.0, 4.0]])
ON_HOST = [
    *(("where", args, {}) for args in ((True, 1.0, X), (False, X, 2), (X > 0, X, 0))),
    *(("reshape", args, {}) for args in ((2.5, (1, 1)), (np.float32(2.5), -1), (X, (3, 1)))),
    *(("broadcast_to", (x, (2, 3)), {}) for x in (2.5, X)),
    *(("expand_dims", args, {}) for args in ((2.5, 0), (X, 1))),
    *(("stack", (parts,), {}) for parts in ([1.0, 2.0], [X, X])),
    *(("ones_like", (X,), options) for options in ({}, {"dtype": float, "shape": ()})),
    *(("power", args, {}) for args in ((X, 2), (X, 3), (2.0, X), (X + 1j, 2))),
    *(("power", (np.arange(3), exponent), {}) for exponent in (2, 2.0)),
    *(
        (name, ends, options)
        for name in ("linspace", "logspace")
        for ends in ((START, STOP), (START, 2.5), (0.5, STOP), (START + 1j, STOP))
        for options in (
            *({}, {"num": 1}, {"num": 0}, {"num": 5, "endpoint": False}),
            *({"num": 4, "axis": 1}, {"num": 3, "axis": -1}, {"dtype": "c8"}),
        )
    ),
    ("logspace", (START[0], 2.0), {"base": np.array([2.0, 3.0, 10.0]), "num": 4, "axis": 1}),
    *(
        ("pad", (PADDED.astype(dtype), width, "linear_ramp"), {"end_values": ends})
        for dtype in ("f8", "f4", "i8")
        for width in (1, ((0, 3), (2, 1)))
        for ends in (0, (1, -2), ((1, 2), (3, 4)))
    ),
    *(
        ("cov", args, options)
        for args in ((ROWS,), (ROWS, 2 * ROWS[0]), (ROWS + 1j * ROWS[::-1], ROWS), (ROWS[0],))
        for options in (
            *({}, {"bias": True}, {"ddof": 2}, {"fweights": COUNTS}, {"aweights": WEIGHTS}),
            {"fweights": COUNTS, "aweights": WEIGHTS, "ddof": 2},
        )
    ),
    ("cov", (ROWS.T, ROWS[::-1].T.astype("f4")), {"rowvar": False, "aweights": WEIGHTS}),
    *(
        (name, (p, m), {})
        for name in ("polyder", "polyint")
        for p in (P, P.astype(int), P.astype("f4"))
        for m in (0, 1, 2, 5)
    ),
    *(("polyint", (P, 2, k), {}) for k in (0.5, [0.25], 2j, [0.0, 1.0, 7.0])),
    ("block", ([[ROWS, ROWS[:, :1]], [ROWS[:1], np.ones((1, 1))]],), {}),
    ("logspace", (P, 3.0), {"num": 3}),
    ("choose", (np.array([0, 1, 1, 0]), [P, P[::-1]]), {}),
    *(("linalg.matrix_norm", (ROWS,), {"ord": order}) for order in ("fro", "nuc", 1, 2, -2)),
]


def device(x):
    if isinstance(x, list) and not np.isscalar(x[0]):
        return list(map(device, x))
    return cupy.asarray(x) if isinstance(x, np.ndarray) else x


@pytest.mark.parametrize(("name", "args", "options"), ON_HOST, ids=str)
def test_numpys_numbers(name, args, options):
    own, wanted = namespace, np
    for part in name.split("."):
        own, wanted = getattr(own, part), getattr(wanted, part)
    given, kept = [*map(device, args)], {key: device(value) for key, value in options.items()}
    with staying():
        found = own(*given, **kept)
    expected = wanted(*args, **options)
    assert isinstance(found, cupy.ndarray)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    is_single = expected.dtype in ("f4", "c8")
    np.testing.assert_allclose(found.get(), expected, rtol=1e-6 if is_single else 1e-12, atol=1e-15)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_the_values_of_a_fit_are_not_overwritten(weights):
    x, y = np.linspace(-1, 1, 5), cupy.asarray(ROWS[0].copy())
    w = None if weights is None else cupy.asarray(weights)
    found = namespace.polyfit(cupy.asarray(x), y, 1, w=w)
    np.testing.assert_allclose(found.get(), np.polyfit(x, ROWS[0], 1, w=weights))
    np.testing.assert_array_equal(y.get(), ROWS[0])


@pytest.mark.parametrize("name", ["empty_like", "zeros_like", "ones_like"])
def test_no_axes_are_a_shape(name):
    x = cupy.asarray(X)
    assert getattr(cupy, name)(x, shape=()).shape == (3,)  # what CuPy makes of it
    assert getattr(namespace, name)(x, shape=()).shape == ()
    assert getattr(namespace, name)(x, shape=(2, 1), dtype=bool).shape == (2, 1)
    assert namespace.full_like(x, 2.5, shape=()).get() == 2.5


def test_of_numbers_alone_one_is_chosen_and_stays_weak():
    assert namespace.where(True, 1, 2.5) == 1
    assert namespace.where(np.False_, 1, 2.5) == 2.5


def test_the_last_number_is_the_end_itself():
    start, stop = np.array([0.1]), np.array([0.7])
    assert namespace.linspace(cupy.asarray(start), cupy.asarray(stop), 50).get()[-1] == stop


@pytest.mark.parametrize(("shape", "axis"), [(2, 0), ((2, 2), None), ((1, 3), (1, 1)), (3, -1)])
def test_windows(shape, axis):
    x = np.arange(20.0).reshape(4, 5)
    reversed_rows = cupy.asarray(x)[:, ::-1]
    with staying():
        found = namespace.lib.stride_tricks.sliding_window_view(reversed_rows, shape, axis)
    expected = np.lib.stride_tricks.sliding_window_view(x[:, ::-1], shape, axis)
    np.testing.assert_array_equal(found.get(), expected)
