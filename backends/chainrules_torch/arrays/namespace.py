"""`xp` of rules that run on tensors: functions by NumPy's names, each with NumPy's meaning."""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.engines import (
    NamesOfNumPy,
    add_methods,
    body_of,
    cond,
    diff,
    matvec,
    nanmax,
    nanmin,
    pinv,
    qualified_name,
    vecdot,
    vecmat,
)
from chainrules_torch.arrays import (
    creation,
    diagonals,
    elementwise,
    fourier,
    joining,
    linalg,
    ordering,
    products,
    reductions,
    shapes,
)
from chainrules_torch.arrays.tensor_array import TensorArray


def program(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that any library may take, on tensors."""
    return lambda *args, **options: function(*args, xp=namespace, **options)


MAIN: dict[str, Callable[..., Any]] = {
    **creation.FUNCTIONS,
    **elementwise.FUNCTIONS,
    **reductions.FUNCTIONS,
    **shapes.FUNCTIONS,
    **joining.FUNCTIONS,
    **diagonals.FUNCTIONS,
    **products.FUNCTIONS,
    **ordering.FUNCTIONS,
    **{f.__name__: program(f) for f in (vecdot, matvec, vecmat, diff, nanmax, nanmin)},
}


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


LINALG = {f.__name__: program(f) for f in (vecdot, cond, pinv)}
LINALG |= shapes.LINALG | diagonals.LINALG | products.LINALG | linalg.LINALG
FFT = fourier.FFT | creation.FFT
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


add_methods(TensorArray, MAIN)
