"""`xp` of rules that run on tensors: functions by NumPy's names, each with NumPy's meaning."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from chainrules_py.engines import add_methods, qualified_name
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

CONSTANTS = ("pi", "e", "inf", "nan", "newaxis", "euler_gamma")
DTYPES = (
    "bool",
    "bool_",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "intp",
    "dtype",
)
MAIN: dict[str, Callable[..., Any]] = {
    **creation.FUNCTIONS,
    **elementwise.FUNCTIONS,
    **reductions.FUNCTIONS,
    **shapes.FUNCTIONS,
    **joining.FUNCTIONS,
    **diagonals.FUNCTIONS,
    **products.FUNCTIONS,
    **ordering.FUNCTIONS,
}


class Names(SimpleNamespace):
    """Functions for tensors by their names in NumPy; an absent one is named with what to do."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"chainrules_torch: {name} has no counterpart on tensors; write the program with other"
            " functions, or take to_torch(program), which computes it in NumPy",
            name=name,
            obj=self,
        )


namespace = Names(
    **MAIN,
    **{name: getattr(np, name) for name in (*CONSTANTS, *DTYPES)},
    linalg=Names(**linalg.LINALG, **shapes.LINALG, **diagonals.LINALG, **products.LINALG),
    fft=Names(**fourier.FFT, **creation.FFT),
)


def has(primal) -> bool:
    """Tell whether a function of NumPy's is here."""
    root, _, path = qualified_name(primal).partition(".")
    found: Any = namespace
    for name in path.split("."):
        found = getattr(found, name, None)
    return root == "numpy" and found is not None


def is_missing(primal) -> bool:
    """Tell whether a function is one of NumPy's or SciPy's that is not here; those of
    `numpy.polynomial` are Python.
    """
    name = qualified_name(primal)
    return (
        not has(primal)
        and name.startswith(("numpy.", "scipy."))
        and not name.startswith("numpy.polynomial.")
    )


add_methods(TensorArray, MAIN)
