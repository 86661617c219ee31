"""An array of each library that NumPy programs run on, made of NumPy's, and the way back; a test
skips where one is absent.
"""

import numpy as np
import pytest


def of_jax(x):
    return pytest.importorskip("jax.numpy").asarray(x)


def of_torch(x):
    import quiet_torch as quiet_torch

    return pytest.importorskip("torch").tensor(x)


def of_dask(x):
    return pytest.importorskip("dask.array").from_array(x, chunks=2)


def in_chunks(x):
    """Dask's array in two uneven chunks along each axis."""
    chunks = tuple(max(1, (length + 1) // 2) for length in x.shape)
    return pytest.importorskip("dask.array").from_array(x, chunks=chunks)


def of_the_standard(x):
    pytest.importorskip("array_api_compat")
    return pytest.importorskip("array_api_strict").asarray(x)


def of_cupy(x):
    return pytest.importorskip("cupy").asarray(x)


MAKERS = [of_jax, of_torch, of_dask, of_the_standard]


def host(x):
    """An array of any of these libraries as NumPy's."""
    if hasattr(x, "compute"):
        return x.compute(scheduler="synchronous")
    if hasattr(x, "get"):
        return x.get()
    return np.from_dlpack(x.resolve_conj() if hasattr(x, "resolve_conj") else x)
