"""Programs for the array API standard, of a namespace and an array of three numbers."""

from importlib.util import find_spec

import numpy as np

if find_spec("array_api_extra") is not None:
    import array_api_extra as xpx

POINT = np.array([0.1, 0.7, 2.0])


def compares(x):
    return np.sum(x) if x.__array_namespace__() is np else x[0]


def elementwise(xp, x):
    return xp.sum(xp.sin(x) * xp.atan2(x, xp.exp(x)))


def buffers(xp, x):
    y = xp.zeros(3)
    y[0] = x[0]
    y[1:] = x[:2] * x[1]
    z = xp.empty_like(x)
    z[...] = xp.flip(y)
    return xp.sum(y**2 * z)


def lists(xp, x):
    return xp.sum(xp.asarray([x[0], x[1] ** 2, 1.0]) * x)


def reductions(xp, x):
    return xp.std(x, correction=1) + xp.mean(x) * xp.max(x) + xp.prod(x)


def running_sums(xp, x):
    return xp.sum(xp.cumulative_sum(x) ** 2) + xp.sum(xp.diff(x) ** 2)


def determinant(xp, x):
    return xp.linalg.det(xp.eye(3) + xp.linalg.outer(x, x))


def solutions(xp, x):
    return xp.sum(xp.linalg.solve(2 * xp.eye(3) + x[:, None] * x, xp.ones(3)))


def clipped(xp, x):
    return xp.sum(xp.clip(x, 0.2, 1.5) ** 2)


def dtypes(xp, x):
    n = xp.asarray([1.0, 2.0, 3.0], dtype=x.dtype)
    assert xp.isdtype(x.dtype, "real floating")
    assert xp.result_type(n, x) == x.dtype
    return xp.vecdot(n, x) * xp.mean(xp.astype(x > 0.5, xp.float64) * x)


def devices(xp, x):
    there = {"dtype": x.dtype, "device": x.device}
    y = xp.zeros_like(x, **there) + xp.asarray([1.0, 2.0, 3.0], **there) + xp.ones(3, **there)
    return xp.sum(y * x**2) + xp.sum(xp.arange(3.0, **there) * x)


def shapes(xp, x):
    row = xp.reshape(x, (1, 3))
    joined = xp.concat([x, xp.roll(x, 1), xp.unstack(row)[0]])
    grid = xp.meshgrid(x, x, indexing="ij")
    return xp.sum((xp.permute_dims(row, (1, 0)) @ row) * grid[0]) + xp.sum(joined**2)


def repeats(xp, x):
    return xp.sum(xp.tile(x, (2,)) ** 2) + xp.sum(xp.broadcast_to(x, (2, 3)) * xp.stack([x, x]))


def masks(xp, x):
    return xp.sum(xp.where(x > 0.5, x**2, xp.zeros_like(x))) + xp.count_nonzero(x) * x[0]


def searches(xp, x):
    found = xp.searchsorted(x, xp.asarray([0.5, 0.6, 3.0]))
    return xp.sum(x**2 * xp.astype(found, xp.float64))


def chosen_entries(xp, x):
    return x[xp.argmax(x)] ** 2 + xp.sum(xp.take(x, xp.argsort(x), axis=0) * xp.arange(3.0))


def decompositions(xp, x):
    a = xp.eye(3) + 0.3 * xp.linalg.outer(x, xp.flip(x))
    values = xp.linalg.eigh(a + a.T).eigenvalues
    return xp.sum(xp.linalg.svdvals(a) ** 3) + values[0] + xp.sum(xp.linalg.pinv(a[:2, :]))


def spectra(xp, x):
    return xp.sum(xp.fft.irfft(xp.fft.rfft(x) ** 2, n=3) * x)


def orders(xp, x):
    return xp.sum(xp.sort(x) * xp.arange(3)) + xp.sum(xp.sort(x * x)[::-1] * x)


def chosen_functions(xp, x):
    return xp.sum(xpx.apply_where(x > 0.5, x, lambda a: xp.sin(a), lambda a: a * a))


def cardinal_sines(xp, x):
    return xp.sum(xpx.sinc(x - 0.1))  # at 0, too


def updates(xp, x):
    y = xpx.at(1.0 * x)[1].set(x[0] ** 2)
    return xp.sum(xpx.at(y)[:2].multiply(x[2]) * x)


def covariances(xp, x):
    return xp.sum(xpx.cov(xp.stack([x, x**2])) ** 2)


def borders(xp, x):
    return xp.sum(xpx.pad(x, 2)[1:4] ** 2) + xp.sum(xpx.kron(x, x) * xpx.kron(x, xp.flip(x)))


def forms(xp, x):
    y = xp.sum(xpx.atleast_nd(x, ndim=2) ** 2) + xp.sum(xpx.create_diagonal(x) ** 2)
    return y + xp.sum(xp.expand_dims(x, axis=(0, 2)) ** 3)


def cleaned(xp, x):
    return xp.sum(xpx.nan_to_num(x) ** 2) + xpx.nansum(x * x) + xpx.nanmax(x) * xpx.nanmean(x)


def angles(xp, x):
    return xp.sum(xpx.deg2rad(x) * xpx.rad2deg(x)) + xp.sum(x * xpx.isclose(x, x))


EXTRA = (
    *(chosen_functions, cardinal_sines, updates, covariances),
    *(borders, forms, cleaned, angles),
)
SMOOTH = (
    *(elementwise, buffers, lists, reductions, running_sums, determinant, solutions, dtypes),
    *(shapes, repeats, spectra, orders, devices, decompositions),
)
PLAIN = (*SMOOTH, clipped, masks, searches, chosen_entries)
