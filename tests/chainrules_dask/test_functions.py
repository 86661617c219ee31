"""Functions that rules need on Dask's arrays, against NumPy's, and what is refused."""

import dask.array as da
import numpy as np
import pytest

import chainrules_dask
from chainrules_dask import functions
from chainrules_tape import grad

X = np.random.default_rng(0).normal(size=(4, 6))
LAZY = da.from_array(X, chunks=(3, 4))


@pytest.mark.parametrize("options", [{"axis": 1}, {"keepdims": True}], ids=str)
@pytest.mark.parametrize("dtype", ["float16", "float32", "complex64", "int8"])
def test_a_mean_where_a_mask_holds_has_the_dtype_that_numpys_has(dtype, options):
    x = np.arange(24).reshape(4, 6).astype(dtype)
    found = functions.mean(da.from_array(x), where=X > -1, **options)
    expected = np.mean(x, where=X > -1, **options)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.compute(), expected, rtol=1e-3)


def test_a_dtype_stands_second_as_in_numpy():
    assert chainrules_dask.dask_library.namespace.zeros((2, 3), "f4").dtype == np.float32


REFUSED = {
    "weights": lambda xp: xp.nanquantile(LAZY, 0.5, axis=0, weights=X),
    "order": lambda xp: xp.reshape(LAZY, 24, order="F"),
    "interp": lambda xp: xp.interp(LAZY, [0.0, 1.0], [0.0, 1.0]),
    "values": lambda xp: xp.unique(LAZY),
    "asked for": lambda xp: bool(xp.any(LAZY > 0)),
    "where": lambda xp: xp.add(LAZY, 1.0, where=X > 0),
    "rcond": lambda xp: xp.linalg.lstsq(LAZY, LAZY[:, 0], 0.1),
    "polymul": lambda xp: xp.polynomial.polynomial.polymul(LAZY[0], LAZY[0]),
}


@pytest.mark.parametrize("got", REFUSED)
def test_what_dask_does_not_do_is_refused_by_name(got):
    with pytest.raises(chainrules_dask.DaskError, match=got):
        REFUSED[got](chainrules_dask.dask_library.namespace)


@pytest.mark.parametrize("name", ["sort", "argsort", "repeat", "take_along_axis"])
def test_an_axis_out_of_range_is_refused(name):
    more = {"repeat": [0], "take_along_axis": [np.zeros((1, 1), int)]}.get(name, [])
    with pytest.raises(np.exceptions.AxisError):
        getattr(chainrules_dask.dask_library.namespace, name)(LAZY, *more, axis=4)


# --- Fourier transforms ---


IMAGES = np.random.default_rng(0).normal(size=(3, 4, 6))


def test_axes_that_no_transform_goes_along_keep_their_chunks():
    lazy = da.from_array(IMAGES, chunks=(2, 3, 2))
    assert functions.FFT["fft"](lazy, axis=1).chunks == ((2, 1), (4,), (2, 2, 2))
    assert functions.FFT["fftn"](lazy + 0j, (4, 6), (1, 2)).chunks == ((2, 1), (4,), (6,))


def test_what_dask_lacks_is_refused():
    with pytest.raises(chainrules_dask.DaskError, match="out"):
        functions.FFT["fft"](da.from_array(IMAGES), out=np.empty(IMAGES.shape, complex))


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
