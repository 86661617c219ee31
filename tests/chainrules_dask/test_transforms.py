"""Fourier transforms of Dask's arrays in chunks, and their gradients, against NumPy's."""

import dask.array as da
import numpy as np
import pytest

import chainrules_dask
from chainrules_dask import transforms
from chainrules_tape import grad

X = np.random.default_rng(0).normal(size=(3, 4, 6))


def argument(name):
    return X if name.startswith("r") or name == "ihfft" else X + 1j * X[::-1]


@pytest.mark.parametrize("name", transforms.FUNCTIONS)
def test_chunks_along_the_axes_become_one(name):
    x, function = argument(name), getattr(np.fft, name)
    lazy = da.from_array(x, chunks=(2, 3, 2))
    axes = {"axis": 0} if name in transforms.OF_ONE_AXIS else {"axes": (0, 2)}
    for options in ({}, {"norm": "ortho"}, axes):
        np.testing.assert_allclose(
            transforms.FUNCTIONS[name](lazy, **options).compute(),
            function(x, **options),
            atol=1e-12,
        )


def test_axes_that_no_transform_goes_along_keep_their_chunks():
    lazy = da.from_array(X, chunks=(2, 3, 2))
    assert transforms.FUNCTIONS["fft"](lazy, axis=1).chunks == ((2, 1), (4,), (2, 2, 2))
    assert transforms.FUNCTIONS["fftn"](lazy + 0j, (4, 6), (1, 2)).chunks == ((2, 1), (4,), (6,))


def test_what_dask_lacks_is_refused():
    with pytest.raises(chainrules_dask.DaskError, match="out"):
        transforms.FUNCTIONS["fft"](da.from_array(X), out=np.empty(X.shape, complex))


@pytest.mark.parametrize("chunks", [-1, 5])
def test_a_cotangent_in_several_chunks(chunks):
    def misfit(signal, kernel):
        convolved = np.fft.irfft(np.fft.rfft(signal) * np.fft.rfft(kernel), n=16)
        return np.sum(convolved**2) + np.sum((signal[1:] - signal[:-1]) ** 2)

    signal, kernel = np.random.default_rng(1).normal(size=(2, 16))
    found = grad(misfit, (0, 1))(
        da.from_array(signal, chunks=chunks), da.from_array(kernel, chunks=chunks)
    )
    for bar, expected in zip(found, grad(misfit, (0, 1))(signal, kernel), strict=True):
        np.testing.assert_allclose(bar.compute(), expected, rtol=1e-12)
