"""Rules on tensors: every sample of NumPy's functions, as `TensorArray`s, against what the rule
computes on NumPy's arrays.

What a rule cannot do on tensors it must say; a value, a shape or a dtype that is another one than
NumPy's is an error. Which primals run on tensors in both modes is listed by what is left out.
"""

import numpy as np
import pytest

from chainrules_py.tangents import unthunk
from chainrules_py.testing import rand_tangent
from chainrules_py.testing.random_tangents import seeded
from chainrules_py.values.identity import qualified_name

torch = pytest.importorskip("torch", reason="torch is not installed (extra: torch)")

from chainrules_torch.arrays.tensor_array import TensorArray  # noqa: E402
from stand_ins.rules_on_tensors import (  # noqa: E402
    OF_NUMPY,
    ON_TENSORS,
    both_modes,
    calls,
    on_tensors,
)


def plain(x):
    return (
        x.tensor.resolve_conj().resolve_neg().numpy()
        if isinstance(x, TensorArray)
        else np.asarray(x)
    )


def agrees(found, expected):
    if len(found) != len(expected):
        return False
    for x, y in zip(map(plain, found), map(plain, expected), strict=True):
        tolerance = 1e-3 if y.dtype in (np.float32, np.complex64) else 1e-7
        if (
            x.shape != y.shape
            or x.dtype.kind != y.dtype.kind
            or not np.allclose(x, y, tolerance, tolerance, equal_nan=True)
        ):
            return False
    return True


def outcome(primal, args, options):
    """What comes of a call on tensors: "right", "wrong", or the error that refuses it; None where
    NumPy refuses, too.
    """
    dots = tuple(rand_tangent(seeded(primal.__name__), arg) for arg in args)
    try:
        seed, expected = both_modes(primal, args, options, (None, dots), unthunk)
    except Exception:
        return None
    try:
        _, found = both_modes(primal, args, options, (seed, dots), on_tensors)
    except Exception as error:
        return type(error).__name__
    return "right" if all(map(agrees, found, expected)) else "wrong"


# Of these some samples are refused, and then computed by NumPy. All others are right in every
# sample.
REFUSED = {
    **dict.fromkeys(
        (np.linalg.eig, np.linalg.eigvals),
        "whether the eigenvalues of a real matrix are real, NumPy finds by looking",
    ),
    np.poly: "eigenvalues of a real matrix",
    np.polydiv: "leading zeros, which NumPy finds by looking",
    **dict.fromkeys(
        (np.polynomial.polynomial.polyroots, np.polynomial.chebyshev.chebroots), "eigenvalues"
    ),
    **dict.fromkeys(
        (np.polynomial.legendre.legroots, np.polynomial.laguerre.lagroots), "eigenvalues"
    ),
    **dict.fromkeys(
        (np.polynomial.hermite.hermroots, np.polynomial.hermite_e.hermeroots), "eigenvalues"
    ),
    **dict.fromkeys(
        (np.polynomial.chebyshev.chebweight, np.polynomial.laguerre.lagweight),
        "computed by NumPy's ufuncs",
    ),
    **dict.fromkeys(
        (np.polynomial.hermite.hermweight, np.polynomial.hermite_e.hermeweight),
        "computed by NumPy's ufuncs",
    ),
    np.tril: "the standard has triangles of matrices alone",
    np.triu: "the standard has triangles of matrices alone",
    np.roll: "one shift for several axes",
    np.real_if_close: "whether complex numbers are real, NumPy finds by looking",
    np.polymul: "products of polynomials, for which the standard has no function",
    np.histogramdd: "PyTorch warns of values that are not contiguous",
    np.sort: "PyTorch does not order complex numbers",
    **dict.fromkeys(
        (np.var, np.nanvar, np.std, np.nanstd), "a real result that is asked for as a complex one"
    ),
    np.tensordot: "axes from which no shape follows",
    np.bincount: "NumPy's sum of no weights is an integer",
    np.pad: "modes that compute with entries",
    **{
        getattr(np.fft, name): "PyTorch transforms no empty arrays"
        for name in ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
    },
    **dict.fromkeys((np.fft.fftn, np.fft.ifftn), "an axis twice"),
}
# Zero times infinity is nan in PyTorch; NumPy's flag for it, by which rules notice, is not there.
NAN = {np.power, np.float_power}
# Another choice of what the decomposition, or the order, leaves open.
FREE = {np.linalg.svd, np.partition}


@pytest.mark.kinds
@pytest.mark.parametrize("primal", ON_TENSORS, ids=qualified_name)
def test_rules_on_tensors_give_what_they_give_on_arrays_of_numpy(primal):
    with np.errstate(all="ignore"):
        found = [outcome(primal, args, options) for args, options in calls(primal)]
    assert "wrong" not in found or primal in NAN | FREE
    assert set(found) <= {"right", "wrong", None} or primal in REFUSED
    assert "right" in found or not any(found) or primal in REFUSED


def test_most_primals_run_on_tensors():
    assert len(ON_TENSORS) >= 0.55 * len(OF_NUMPY)


@pytest.mark.parametrize(
    "write", [lambda a, t: np.add.at(a, [1, 1], t), lambda a, t: np.put(a, [0], t), np.copyto]
)
def test_functions_of_numpy_that_write_refuse_tensors_and_write_nothing(write):
    buffer = np.zeros(2)
    with pytest.raises(TypeError):
        write(buffer, TensorArray(torch.ones(2, dtype=torch.float64)))
    assert not buffer.any()
