"""The namespace `xp` of rules on CuPy's arrays: CuPy, with the functions and parameters it lacks."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import cupy
import numpy as np

from chainrules_cupy import completions, corrections
from chainrules_cupy.fourier import FFT
from chainrules_cupy.ramps import sliding_window_view
from chainrules_py.annotations import Function
from chainrules_py.engines import (
    NamesOfNumPy,
    by_body,
    matvec,
    nanmax,
    nanmin,
    pinv,
    vecdot,
    vecmat,
)

# What CuPy lacks, has with other numbers (`cov` with weights), or does by waiting, and rules have as
# a program of other functions.
PROGRAMS = (
    "block",
    "broadcast_arrays",
    "choose",
    "cov",
    "logspace",
    "polyder",
    "polyfit",
    "polyint",
    "unstack",
)


def completed(cp) -> NamesOfNumPy:
    """CuPy with our completions."""
    linalg = bound_to_module(cp, completions.LINALG) | programs(cp, vecdot)
    linalg |= {"outer": cp.outer, "tensordot": cp.tensordot}
    linalg |= {name: by_body(getattr(np.linalg, name)) for name in ("matrix_norm", "vector_norm")}
    more: dict[str, Any] = {
        **programs(cp, vecdot, matvec, vecmat),
        **{name: by_body(getattr(np, name)) for name in PROGRAMS},
        "linalg": NamesOfNumPy(cp.linalg, linalg),
        "fft": NamesOfNumPy(cp.fft, bound_to_module(cp, FFT)),
    }
    views = NamesOfNumPy(cp.lib.stride_tricks, bound_to_module(cp, (sliding_window_view,)))
    more["lib"] = NamesOfNumPy(cp.lib, {"stride_tricks": views})
    xp = NamesOfNumPy(cp, bound_to_module(cp, (*completions.MAIN, *corrections.MAIN)) | more)
    vars(xp).update(completions.reductions(cp, xp) | programs(xp, nanmax, nanmin))
    vars(xp.linalg).update(programs(xp, pinv))
    return xp


def bound_to_module(cp, functions: Iterable[Function]) -> dict[str, Any]:
    """The functions by name, with the module that they are written for filled in."""
    return {function.__name__: partial(function, cp) for function in functions}


def programs(cp, *functions: Function) -> dict[str, Any]:
    """Functions that any library may take, by name, on this one."""
    return {function.__name__: partial(function, xp=cp) for function in functions}


namespace = completed(cupy)
