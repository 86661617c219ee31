"""Functions that rules need on Dask's arrays, against NumPy's, and what is refused."""

import dask.array as da
import numpy as np
import pytest

import chainrules_dask
from chainrules_dask import functions
from chainrules_tape import grad

X = np.random.default_rng(0).normal(size=(4, 6))
LAZY = da.from_array(X, chunks=(3, 4))

CALLS = {
    "sum where": lambda xp, x: xp.sum(x, axis=1, where=X > 0, initial=2.0),
    "max where": lambda xp, x: xp.max(x, axis=0, where=X > 0, initial=-1.0),
    "max of nothing": lambda xp, x: xp.max(x[:, :0], axis=1, initial=-1.0),
    "mean where": lambda xp, x: xp.mean(x, axis=1, keepdims=True, where=X > -1),
    "reshape across chunks": lambda xp, x: xp.reshape(x, (8, 3)),
    "reshape of nothing": lambda xp, x: xp.reshape(x[:0], (0, 2)),
    "lower triangle": lambda xp, x: xp.tril(x * 1j, -1),
    "upper triangle": lambda xp, x: xp.triu(x * 1j, 1),
    "lower triangle of a vector": lambda xp, x: xp.tril(x[0], 1),
    "no difference, with an edge": lambda xp, x: xp.diff(x, 0, axis=1, prepend=0.0),
    "sort": lambda xp, x: xp.sort(x, axis=0),
    "stable positions": lambda xp, x: xp.argsort(x > 0, axis=1, stable=True),
    "entries along an axis": lambda xp, x: xp.take_along_axis(
        x, np.argsort(X[:, :3], axis=1), axis=1
    ),
    "difference with an edge": lambda xp, x: xp.diff(x, axis=1, prepend=x[:, :1], append=1.0),
    "repeated no times": lambda xp, x: xp.repeat(x, 0, axis=1),
    "repeats of nothing": lambda xp, x: xp.repeat(x[:0], 2, axis=-1),
    "products with a number": lambda xp, x: xp.dot(x, x[0, 0]),
    "deviations by the standard's name": lambda xp, x: xp.std(x, axis=1, correction=1),
    "with more axes": lambda xp, x: xp.array(x[0], order="F", ndmin=3),
    "transform of all of an axis": lambda xp, x: xp.fft.fftn(x, s=(-1, 8), axes=(0, 1)),
    "sum of singular values": lambda xp, x: xp.linalg.norm(x, "nuc"),
    "largest singular value": lambda xp, x: xp.linalg.norm(x, 2, axis=(1, 0), keepdims=True),
    "without some": lambda xp, x: xp.delete(x, [0, -1], axis=1),
    "products of vectors": lambda xp, x: xp.vecdot(x * 1j, x + 1),
    "products of vectors, an axis from the front": lambda xp, x: xp.vecdot(x, X[:, 0], axis=0),
    "products with matrices": lambda xp, x: xp.matvec(x, X[0]),
    "products of vectors and matrices": lambda xp, x: xp.vecmat(X[:, 0] * 1j, x),
    "filled with an entry": lambda xp, x: xp.full((2, 3), x[0, 0]),
    "filled with an integer": lambda xp, x: xp.full_like(x.astype(np.float32), 2),
    "vector norm": lambda xp, x: xp.linalg.vector_norm(x, axis=(0, 1), ord=3),
    "matrix norm": lambda xp, x: xp.linalg.matrix_norm(x, ord=1),
    **{
        f"{name} of small integers": lambda xp, x, name=name: getattr(xp.linalg, name)(
            xp.astype(100 * xp.sign(x), np.int8)
        )
        for name in ("norm", "vector_norm", "matrix_norm")
    },
    "count of small integers": lambda xp, x: xp.linalg.vector_norm(xp.astype(x, np.int8), ord=0),
    "percentile of all": lambda xp, x: xp.percentile(x, [20.0, 70.0]),
    "percentile of a vector": lambda xp, x: xp.percentile(
        x[0], 30.0, method="hazen", keepdims=True
    ),
    "quantile of all": lambda xp, x: xp.quantile(x, 0.3, keepdims=True),
    "quantile along an axis": lambda xp, x: xp.nanquantile(x, np.array([0.3, 0.5]), axis=1),
    **{
        f"{name} in single precision": lambda xp, x, name=name: getattr(xp, name)(
            x.astype("f4"), 0.3, axis=1
        )
        for name in ("quantile", "nanquantile", "percentile", "nanpercentile")
    },
    **{
        f"{name} of a dtype": lambda xp, x, name=name: getattr(xp, name)((2, 3), "complex64") * 0
        for name in ("zeros", "ones")
    },
    "zeros": lambda xp, x: xp.zeros(3),
    "array of a dtype": lambda xp, x: xp.asarray(x, np.float32),
    "inverse in single precision": lambda xp, x: xp.linalg.inv(
        x[:3, :3].astype("f4") + 9 * np.eye(3, dtype="f4")
    ),
    "inverses of a stack": lambda xp, x: xp.linalg.inv(
        xp.reshape(x[:3], (2, 3, 3)) + 5 * np.eye(3)
    ),
    "determinants of a stack": lambda xp, x: xp.linalg.det(xp.reshape(x[:3], (2, 3, 3))),
    "singular values of a stack": lambda xp, x: xp.linalg.svdvals(xp.reshape(x, (2, 3, 4))),
    "one of two bases": lambda xp, x: abs(xp.linalg.svd(x[:, :3], full_matrices=False)[2]),
    "a square basis": lambda xp, x: abs(xp.linalg.svd(x)[0]),
    "equal steps between arrays": lambda xp, x: xp.linspace(x, x[0], 4, endpoint=False, axis=1),
    "equal steps, in single precision": lambda xp, x: xp.linspace(x.astype("f4"), 2.0, 3),
    "equal steps of integers": lambda xp, x: xp.linspace(xp.sum(x), 9, 4, dtype=int),
    "the size of a step": lambda xp, x: xp.linspace(x, 1, 4, retstep=True)[1],
    "reshape of nothing, in single precision": lambda xp, x: xp.reshape(x[:0].astype("f4"), (0, 2)),
    "residuals of a square system": lambda xp, x: xp.linalg.lstsq(x[:2, :2], x[:2, 0])[1],
    "slopes": lambda xp, x: xp.gradient(x[0], 0.5),
    "slopes along an axis": lambda xp, x: xp.gradient(x, axis=(1,)),
    "slopes along several": lambda xp, x: xp.gradient(x[:3, :4], 1.0, 2.0)[1],
    "triangular factor": lambda xp, x: xp.linalg.cholesky(x @ x.T + 9 * np.eye(4)),
    "triangular factor of complex numbers": lambda xp, x: xp.linalg.cholesky(
        1j * (x[:, :4] - x[:, :4].T) + 9 * np.eye(4), upper=True
    ),
    "sum as a method": lambda xp, x: xp.add.reduce(x),
    "running product": lambda xp, x: xp.multiply.accumulate(x),
}


@pytest.mark.parametrize("options", [{"axis": 1}, {"keepdims": True}], ids=str)
@pytest.mark.parametrize("dtype", ["float16", "float32", "complex64", "int8"])
def test_a_mean_where_a_mask_holds_has_the_dtype_that_numpys_has(dtype, options):
    x = np.arange(24).reshape(4, 6).astype(dtype)
    found = functions.mean(da.from_array(x), where=X > -1, **options)
    expected = np.mean(x, where=X > -1, **options)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.compute(), expected, rtol=1e-3)


@pytest.mark.parametrize("name", CALLS)
def test_functions_are_those_of_numpy(name):
    found, expected = CALLS[name](chainrules_dask.dask_library.namespace, LAZY), CALLS[name](np, X)
    assert isinstance(found, da.Array)
    assert found.dtype == expected.dtype
    tolerance = 1e-6 if expected.dtype == np.float32 else 1e-13
    np.testing.assert_allclose(found.compute(scheduler="synchronous"), expected, rtol=tolerance)


REFUSED = {
    "reflect_type": lambda xp: xp.pad(LAZY, 1, "reflect", reflect_type="odd"),
    "border": lambda xp: xp.pad(LAZY, 9, "wrap"),
    "weights": lambda xp: xp.nanquantile(LAZY, 0.5, axis=0, weights=X),
    "order": lambda xp: xp.reshape(LAZY, 24, order="F"),
    "mode": lambda xp: xp.choose(np.array([0]), [LAZY], mode="wrap"),
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


def argument(name):
    return IMAGES if name.startswith("r") or name == "ihfft" else IMAGES + 1j * IMAGES[::-1]


@pytest.mark.parametrize("name", functions.FFT)
def test_chunks_along_the_axes_become_one(name):
    x, function = argument(name), getattr(np.fft, name)
    lazy = da.from_array(x, chunks=(2, 3, 2))
    axes = {"axis": 0} if name in functions.OF_ONE_AXIS else {"axes": (0, 2)}
    for options in ({}, {"norm": "ortho"}, axes):
        np.testing.assert_allclose(
            functions.FFT[name](lazy, **options).compute(),
            function(x, **options),
            atol=1e-12,
        )


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
