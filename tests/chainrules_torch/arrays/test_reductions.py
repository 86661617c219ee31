"""Sums, products, extremes and statistics, on tensors and by NumPy: axes, options, dtypes, and what
is not a number.
"""

import numpy as np
import pytest

from chainrules_torch.arrays import reductions
from stand_ins.tensor_calls import DTYPES, call, require_agreement

X = np.array([[0.3, -1.7, 0.0], [2.5, 0.9, -0.4]])
HOLES = np.array([[0.3, np.nan, 1.0], [2.5, np.nan, -0.4]])
MASK = np.array([[True, False, True], [True, True, False]])
AXES = ({}, {"axis": 0}, {"axis": (0, 1)}, {"axis": -1, "keepdims": True})
ONE_AXIS = ({}, {"axis": 0}, {"axis": -1, "keepdims": True})
MANY = "sum prod max min amax amin mean var std any all count_nonzero ptp median"
WITHOUT_NAN = "nansum nanprod nanmean nanvar nanstd nanmax nanmin"
CALLS = [
    *(call(name, X, **options) for name in f"{MANY} {WITHOUT_NAN}".split() for options in AXES),
    *(call(name, HOLES, **options) for name in f"{MANY} {WITHOUT_NAN}".split() for options in AXES),
    *(
        call(name, X, **options)
        for name in ("argmax", "argmin", "nanargmax", "nanargmin")
        for options in ONE_AXIS
    ),
    *(
        call(name, x, where=MASK, axis=1)
        for name in ("sum", "prod", "mean", "var", "std", "any", "all", "nansum", "nanmean")
        for x in (X, X.astype("float32"))
    ),
    *(call(name, HOLES.astype("float32"), axis=1) for name in WITHOUT_NAN.split()),
    *(
        call(name, X, where=MASK, initial=0.5)
        for name in ("sum", "prod", "max", "min", "nanmax", "nanmin")
    ),
    *(
        call(name, X[:, :0], **options)
        for name in ("sum", "prod", "any", "all", "count_nonzero")
        for options in ({}, {"axis": 1})
    ),
    *(call(name, X[:, :0], axis=1) for name in ("max", "min")),
    call("max", X[:, :0], axis=1, initial=1.0),
    *(call(name, HOLES[:, 1:2], **options) for name in ("nanmax", "nanmin") for options in AXES),
    *(
        call(name, X, axis)
        for name in ("cumsum", "cumprod", "nancumsum", "nancumprod")
        for axis in (None, 0, -1)
    ),
    *(
        call(name, HOLES, axis)
        for name in ("cumsum", "nancumsum", "nancumprod")
        for axis in (None, 0)
    ),
    *(
        call(name, X, axis=1, include_initial=initial)
        for name in ("cumulative_sum", "cumulative_prod")
        for initial in (False, True)
    ),
    # integers that float64 rounds
    *(
        call(name, np.array([2**60, 2**60 + 1, 2**60]))
        for name in ("nanmax", "nanmin", "nanargmax")
    ),
    call("cumulative_sum", X[0]),
    call("average", np.array([100, -100, 50], np.int8), weights=np.array([1, 2, 3], np.int8)),
    call("sum", X, dtype=np.float32),
    call("sum", X + 1j, axis=0),
    call("mean", X, dtype=np.complex128),
    call("prod", X, dtype=np.float32),
    call("var", X, ddof=1, axis=0),
    call("var", X, correction=0.5),
    *(call(name, HOLES, ddof=ddof, axis=0) for name in ("nanvar", "nanstd") for ddof in (1, 2, 3)),
    call("max", np.arange(4), initial=4.5),
    call("std", X + 1j * X),
    call("var", X, mean=np.array([[0.5]])),
    call("average", X),
    call("average", X, axis=1, weights=np.array([1.0, 2.0, 0.5])),
    call("average", X, weights=np.abs(X), returned=True),
    call("average", X, axis=0, returned=True),
    call("median", X[:, :2], axis=1),
    call("median", np.arange(4)),
    call("sum", X, axis=2),
    call("mean", X, axis=(0, 0)),
]


@pytest.mark.parametrize("made", CALLS, ids=str)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of what has no mean
def test_it_is_numpys(made):
    require_agreement(made)


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "float64"])
@pytest.mark.parametrize(
    "name", ["sum", "prod", "max", "mean", "var", "std", "any", "argmax", "cumsum", "ptp", "median"]
)
def test_dtypes_are_numpys(name, dtype):
    if (name, dtype) in {
        ("argmax", "bool"),
        ("argmax", "complex128"),
        ("max", "complex128"),
        ("ptp", "complex128"),
        ("median", "complex128"),
    }:
        pytest.skip("PyTorch does not order these")
    require_agreement(call(name, np.abs(X), axis=1).of_dtype(dtype))


def test_every_function_is_here():
    assert set(reductions.FUNCTIONS) <= {made.name for made in CALLS}
