"""Arrays made of nothing, or of what is no array yet, on tensors and by NumPy."""

import numpy as np
import pytest

from chainrules_torch.arrays import creation
from stand_ins.tensor_calls import call, on_tensor, require_agreement

X = np.array([[0.3, -1.7, 0.0], [2.5, 0.9, -0.4]])
SINGLE = X.astype("float32")
CALLS = [
    *(
        call(name, x)
        for name in ("asarray", "asanyarray", "array")
        for x in (SINGLE, [1, 2], 2.5, [X[0], X[1]])
    ),
    *(
        call(name, [1, 2], dtype=np.float32)
        for name in ("asarray", "ascontiguousarray", "asfortranarray")
    ),
    call("array", X[0], ndmin=3),
    *(
        call(name, x)
        for name in ("ascontiguousarray", "asfortranarray", "asanyarray")
        for x in (X, X[0, 0], np.array(2.0), 2.5)
    ),
    *(
        call(name, shape, **options)
        for name in ("zeros", "ones")
        for shape in (3, (2, 3), ())
        for options in ({}, {"dtype": int})
    ),
    *(
        call(f"{name}_like", x)
        for name in ("zeros", "ones")
        for x in (SINGLE, np.arange(3), X + 1j)
    ),
    call("zeros_like", X, dtype=np.float16),
    call("ones_like", X, shape=(2,)),
    *(call("full", (2, 3), value) for value in (2, 2.5, 1j, X[0])),
    call("full", 2, 1, dtype=np.float32),
    *(call("full_like", SINGLE, value) for value in (2, 2.5, X[0])),
    *(call("arange", *args) for args in ((4,), (1, 9, 2), (0.5, 2.0, 0.5))),
    call("arange", 3, dtype=np.float32),
    *(call("linspace", 0.5, 2.0, num) for num in (5, 1, 0)),
    call("linspace", X[0], X[1], 4, axis=1),
    call("linspace", 0.0, 9.0, 4, endpoint=False),
    call("linspace", 0, 9, 4, dtype=int),
    *(
        call("linspace", start, stop, 3, retstep=True)
        for start in (SINGLE[0], np.arange(3))
        for stop in (SINGLE[1], 2.5, 2, 1j)
    ),
    call("linspace", 0.0, 1j, 3, retstep=True),
    *(
        call("vander", x, **options)
        for x in (X[0], SINGLE[0])
        for options in ({}, {"N": 2}, {"N": 5, "increasing": True}, {"N": 0})
    ),
    *(call("eye", *args) for args in ((3,), (2, 3), (3, 3, 1))),
    call("identity", 2),
    call("tri", 3, 2),
    call("indices", (2, 3)),
    *(call(name, 3) for name in ("tril_indices", "triu_indices", "diag_indices")),
    *(call(f"fft.{name}", 5, 0.1) for name in ("fftfreq", "rfftfreq")),
]


@pytest.mark.parametrize("made", CALLS, ids=str)
def test_it_is_numpys(made):
    require_agreement(made)


@pytest.mark.parametrize("name", ["empty", "empty_like"])
def test_what_is_empty_has_a_shape_and_a_dtype(name):
    found = creation.FUNCTIONS[name](
        on_tensor(SINGLE) if name == "empty_like" else (2, 3), dtype=np.float32
    )
    assert (found.shape, found.dtype) == ((2, 3), np.float32)


@pytest.mark.parametrize(
    "x", [np.float32(1), SINGLE, np.complex64], ids=["a number", "an array", "a dtype"]
)
def test_what_is_known_of_a_dtype(x):
    assert creation.finfo(on_tensor(x)).eps == np.finfo(np.float32).eps


def test_every_function_is_here():
    names = {*creation.FUNCTIONS, *(f"fft.{name}" for name in creation.FFT)}
    assert names <= {*(made.name for made in CALLS), "empty", "empty_like", "finfo"}
