"""An array of each library that NumPy programs run on, made of NumPy's, and the way back; a test
skips where one is absent.
"""

import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest


def of_jax(x):
    return pytest.importorskip("jax.numpy").asarray(x)


def of_torch(x):
    import quiet_torch as quiet_torch

    return pytest.importorskip("torch").tensor(x)


def of_the_standard(x):
    pytest.importorskip("array_api_compat")
    return pytest.importorskip("array_api_strict").asarray(x)


def of_cupy(x):
    return pytest.importorskip("cupy").asarray(x)


# Of libraries of which all that tests ask stands beside the tests of the adapter.
ARRAYS_BESIDE = [
    SimpleNamespace(**runpy.run_path(str(path)))
    for path in sorted(Path(__file__).parents[2].glob("chainrules_*/arrays.py"))
]
MAKERS = [of_jax, of_torch, of_the_standard, *(each.make for each in ARRAYS_BESIDE)]


def host(x):
    """An array of any of these libraries as NumPy's."""
    if hasattr(x, "compute"):
        return x.compute(scheduler="synchronous")
    if hasattr(x, "get"):
        return x.get()
    return np.from_dlpack(x.resolve_conj() if hasattr(x, "resolve_conj") else x)
