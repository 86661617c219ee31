"""`xp` of rules that run on tensors: what the standard has, and where PyTorch differs from NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from chainrules_array_api import namespace as of_standard
from chainrules_array_api.products import FFT as FFT_OF_STANDARD, LINALG as LINALG_OF_STANDARD
from chainrules_array_api.standard_array import array_of, operator_of
from chainrules_py.engines import NamesOfNumPy, body_of, qualified_name
from chainrules_torch.arrays.tensor_array import TensorArray


def found(function, name: str) -> Any:
    """The body of a function that is a program of others; an absent one is named with what to do."""
    body = body_of(function)
    if body is None:
        raise AttributeError(
            f"chainrules_torch: {name} has no counterpart on tensors; write the program with other"
            " functions, or take to_torch(program), which computes it in NumPy",
            name=name,
            obj=namespace,
        )
    return body


def take(a, indices, axis: int | None = None, out: None = None, mode: str = "raise") -> Any:
    """Entries at positions along an axis; those in a tensor are looked up where it is."""
    if mode != "raise" or type(indices) is not TensorArray:
        return of_standard.MAIN["take"](a, indices, axis, out, mode)
    a = TensorArray(array_of(indices.xp, a))
    a = a.reshape(-1) if axis is None else a
    before = normalize_axis_index(axis or 0, a.ndim)
    return a[(slice(None),) * before + (indices,)]


def det(a) -> Any:
    """The determinants: PyTorch's own have wrong second derivatives, forward over forward and in
    batches.
    """
    sign, logarithm = np.linalg.slogdet(a)
    return sign * np.exp(logarithm)


def power(x1, x2) -> Any:
    """``x1**x2``: PyTorch has nan where both are a complex zero, and NumPy one; it has zero for
    negative powers of integers, which NumPy refuses.
    """
    kind = np.result_type(*(x.dtype if hasattr(x, "dtype") else x for x in (x1, x2))).kind
    if kind in "iu" and np.any(x2 < 0):
        raise ValueError("integers to negative integer powers")
    if kind == "c":
        x1 = np.where((x1 == 0) & (x2 == 0), 1, x1)
    return of_standard.MAIN["power"](x1, x2)


def of_complex(name: str) -> Callable[..., Any]:
    """`eig` or `eigvals`, which are always complex in PyTorch, in NumPy only where one has to be."""
    compute = LINALG_OF_STANDARD[name]

    def either(a) -> Any:
        if a.dtype.kind != "c":
            raise TypeError(
                "whether eigenvalues of a real matrix are real is known to NumPy only: write"
                f" numpy.linalg.{name}(a + 0j)"
            )
        return compute(a)

    return either


MAIN: dict[str, Callable[..., Any]] = of_standard.MAIN | {
    "take": take,
    **dict.fromkeys(("power", "pow"), power),
}
setattr(TensorArray, "__pow__", operator_of(power))  # noqa: B010  (mypy knows no such operator)
setattr(TensorArray, "__rpow__", operator_of(power, reflected=True))  # noqa: B010
LINALG = LINALG_OF_STANDARD | {
    "det": det,
    **{name: of_complex(name) for name in ("eig", "eigvals")},
}
FFT = FFT_OF_STANDARD
namespace: Any = NamesOfNumPy(
    np,
    {
        **MAIN,
        "linalg": NamesOfNumPy(np.linalg, LINALG, found),
        "fft": NamesOfNumPy(np.fft, FFT, found),
    },
    found,
)

OWN = {f"numpy.{name}" for name in MAIN}
OWN |= {f"numpy.linalg.{name}" for name in LINALG} | {f"numpy.fft.{name}" for name in FFT}


def has(primal) -> bool:
    """Tell whether a function of NumPy's is here, and not as a program of others."""
    return qualified_name(primal) in OWN


def is_missing(primal) -> bool:
    """Tell whether a function is one of NumPy's or SciPy's that is not here, and no program of
    others; those of `numpy.polynomial` are Python.
    """
    name = qualified_name(primal)
    return (
        not has(primal)
        and name.startswith(("numpy.", "scipy."))
        and not name.startswith("numpy.polynomial.")
        and (name.startswith("scipy.") or body_of(primal) is None)
    )
