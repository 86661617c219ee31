"""Programs of SciPy's functions of samples: statistics, sparse matrices, rotations, transforms, filters."""

import numpy as np

from chainrules_tape.scipy import (
    fft,
    fftpack,
    linalg as matrices,
    ndimage,
    optimize,
    sparse,
)
from chainrules_tape.scipy.cluster import vq
from chainrules_tape.scipy.sparse import linalg
from chainrules_tape.scipy.spatial.transform import Rotation
from late import Late
from product.converting import joined

# which take half a second to import
signal, stats = Late("chainrules_tape.scipy.signal"), Late("chainrules_tape.scipy.stats")

RNG = np.random.default_rng(3)
ONE, OTHER = RNG.normal(size=9), RNG.normal(size=9) + 0.4
ROWS_OF, MORE = RNG.normal(size=(3, 7)), RNG.normal(size=(3, 7)) + 0.3
GAMMA = 0.5 + RNG.gamma(2.0, size=21)


# --- Statistics ---


def holed(a, at=2):
    """An array in which an entry is no number."""
    return np.where(np.arange(a.size).reshape(a.shape) == at, np.nan, a)


def attributes(call, names):
    def values(*args):
        found = call(*args)
        return joined([getattr(found, name) for name in names.split()])

    return values


def marks_of(name):
    return "counts" if "nan" in name or "two points" in name else ""


BOTH = "statistic pvalue correlation"
TESTS = {
    "pearsonr": (lambda a, b: stats.pearsonr(a, b), BOTH, (ONE, OTHER)),
    "linregress": (
        lambda a, b: stats.linregress(a, b),
        "slope intercept rvalue pvalue stderr intercept_stderr",
        (ONE, OTHER),
    ),
    "linregress, two points": (
        lambda a, b: stats.linregress(a, b),
        "slope intercept",
        (ONE[:2], OTHER[:2]),
    ),
    "linregress, greater": (
        lambda a, b: stats.linregress(a, b, alternative="greater"),
        "pvalue",
        (ONE, OTHER),
    ),
    "linregress without nan": (
        lambda a, b: stats.linregress(holed(a), holed(b, 4), nan_policy="omit"),
        "slope intercept rvalue pvalue stderr",
        (ONE, OTHER),
    ),
    **{
        f"pearsonr, {how}": (
            lambda a, b, how=how: stats.pearsonr(a, b, axis=1, alternative=how),
            BOTH,
            (ROWS_OF, MORE),
        )
        for how in ("two-sided", "less", "greater")
    },
    "pearsonr, one row": (lambda a, b: stats.pearsonr(a, b, axis=1), BOTH, (ROWS_OF, MORE[0])),
    "pearsonr, columns": (
        lambda a, b: stats.pearsonr(a, b, axis=1),
        BOTH,
        (RNG.normal(size=(2, 4, 3)), RNG.normal(size=(4, 1))),
    ),
}
INNER = np.where((GAMMA > GAMMA.min()) & (GAMMA < GAMMA.max()), 1.0, 0.0)
OMITTING = {
    "gmean": {},
    "hmean": {},
    "gmean, weights": {"weights": INNER + 0.5},
    "hmean, weights": {"weights": INNER + 0.5},
    "pmean": {"p": 1.7},
    "sem": {"ddof": 0},
    "variation": {"ddof": 1},
    "moment": {"order": 3},
    "moment, a number": {"order": 2, "center": 0.4},
    "skew": {"bias": False},
    "skew, biased": {},
    "kurtosis": {},
    "kurtosis, unbiased": {"bias": False, "fisher": False},
    "entropy": {"base": 2.0},
}


def omitting(name):
    function, options = name.partition(",")[0], OMITTING[name]
    return lambda x: getattr(stats, function)(holed(x, 4), nan_policy="omit", **options)


DENSITIES = {
    "line": lambda s, p: stats.gaussian_kde(s)(p[0]),
    "number": lambda s, p: stats.gaussian_kde(s).pdf(p[0, 0]),
    "logarithm": lambda s, p: stats.gaussian_kde(s, "silverman").logpdf(p[0]),
    "plane": lambda s, p: stats.gaussian_kde(np.stack([s, s**2])).evaluate(p),
    "point of a plane": lambda s, p: stats.gaussian_kde(np.stack([s, s**2]))(p[:, 0]),
    "weights": lambda s, p: stats.gaussian_kde(ONE, "scott", s**2)(p[1]),
    "width": lambda s, p: stats.gaussian_kde(s, p[0, 0] ** 2).logpdf(p[1]),
}


# --- Sparse matrices ---

AT = np.array([0, 1, 2, 3, 0, 2, 3, 3]), np.array([0, 1, 2, 3, 2, 1, 0, 0])  # one of them twice
ENTRIES = RNG.normal(size=8) + np.array([5, 5, 5, 5, 0, 0, 0, 0])
X, SIDE = RNG.normal(size=4), RNG.normal(size=(4, 3))
# SciPy writes into those it is given
INDICES, STARTS = np.array([0, 2, 1, 2, 1, 0, 3, 0]), np.array([0, 2, 3, 5, 8])
CONSTANT = sparse.csr_array(np.tril(RNG.normal(size=(4, 4))))


def csc(v):
    return sparse.csc_array((v, AT), shape=(4, 4))


def dense(v):
    return sparse.csr_array(np.concatenate([v, v[::-1]]).reshape(4, 4))


MADE = {
    "coo_matrix": lambda v: sparse.coo_matrix((v, AT), shape=(4, 4)),
    **{
        name: lambda v, name=name: getattr(sparse, name)((v, INDICES.copy(), STARTS.copy()))
        for name in ("csr_array", "csc_matrix")
    },
    "csc_array": csc,
    "bsr_array": lambda v: sparse.bsr_array(
        (v.reshape(2, 2, 2), np.array([0, 1]), np.array([0, 1, 2]))
    ),
    "dia_array": lambda v: sparse.dia_array((v.reshape(2, 4), np.array([0, 1])), shape=(4, 4)),
    "diags_array": lambda v: sparse.diags_array([v[:4], v[4:7], 2 * v[:3]], offsets=[0, 1, -1]),
    "one diagonal": lambda v: sparse.diags_array(v[:3], offsets=1).tocsr(),
    "a number on a diagonal": lambda v: sparse.diags([v[:1], v[1:2]], [0, 2], shape=(4, 4)),
    "a sum": lambda v: 2.0 * csc(v) - CONSTANT + sparse.diags_array(v[:4]).T,
    "a number times a constant": lambda v: (
        v[0] * CONSTANT + (v[1] * v[2]) * sparse.csr_matrix(CONSTANT)
    ),
    "an array times a constant": lambda v: v[:4] * sparse.csc_array(CONSTANT),
    "times an array": lambda v: csc(v).multiply(SIDE[:, :1] * SIDE[:, 1]),
    "a product with a constant": lambda v: CONSTANT @ (csc(v) @ CONSTANT),
}
OF_DENSE = {
    "dense": dense,
    "block_array": lambda v: sparse.block_array(
        [[CONSTANT[:2, :2], None], [v[:4].reshape(2, 2), sparse.csr_array(v[4:].reshape(2, 2))]]
    ),
    "block_diag": lambda v: sparse.block_diag(
        [sparse.coo_array(v[:4].reshape(2, 2)), v[4:].reshape(2, 2)]
    ),
    "stacks": lambda v: sparse.vstack(
        [sparse.hstack([sparse.csr_array(v[:2].reshape(1, 2)), CONSTANT[:1, :2]]), CONSTANT[1:]]
    ),
    "kron": lambda v: sparse.kron(v[:4].reshape(2, 2), CONSTANT[:2, :2]),
    "triangles": lambda v: sparse.tril(dense(v)) + sparse.triu(dense(v), 1) * 0.5,
    "a product": lambda v: csc(v) @ dense(v[::-1]),
}


def read(make):
    """All that is read of a sparse matrix."""

    def values(v):
        a = make(1.0 * v)
        parts = [a @ X, a @ SIDE, X @ a, a.toarray(), a.sum(axis=0), a.sum(axis=1), a.sum()]
        return joined([*map(np.asarray, parts), a.diagonal(), a.T.dot(X)])

    return values


CLOSE = {"rtol": 1e-13, "atol": 0.0}
CLOSEST = {"atol": 1e-15, "btol": 1e-15, "conlim": 0.0}
SYSTEMS = {
    "spsolve": linalg.spsolve,
    "splu": lambda a, b: linalg.splu(a).solve(b),
    "splu, transposed": lambda a, b: linalg.splu(a).solve(b, "T"),
    "factorized": lambda a, b: linalg.factorized(a)(b),
    "minres": lambda a, b: linalg.minres(a.T @ a, b, rtol=1e-14)[0],
    **{
        name: lambda a, b, name=name: getattr(linalg, name)(a, b, **CLOSE)[0]
        for name in ("gcrotmk", "gmres", "lgmres")
    },
    **{
        name: lambda a, b, name=name: getattr(linalg, name)(a.T @ a, b, **CLOSE)[0]
        for name in ("cg", "bicg", "bicgstab", "cgs", "qmr", "tfqmr")
    },
    **{
        f"{name}, {damp}": lambda a, b, name=name, damp=damp: joined(
            getattr(linalg, name)(a.toarray()[:, :3], b, damp, **CLOSEST)[:1]
        )
        for name in ("lsqr", "lsmr")
        for damp in (0.0, 0.4)
    },
}
NORMS = [(None, None), ("fro", None), (1, None), (np.inf, None), (-1, None), (-np.inf, None)]
NORMS += [(None, 0), (2, 1), (1, 0), (1, -1), (3, 1), (2, None)]
EIGEN = {
    "largest": {"which": "LA"},
    "both ends": {"which": "BE"},
    "near a number": {"sigma": 7.3},
}


def banded(p):
    """A symmetric matrix of three diagonals."""
    beside = 0.3 * p[1] * np.cos(np.arange(11.0))
    diagonals = [1.7 * np.arange(12) + p[0] * np.sin(np.arange(12)), beside, beside]
    return sparse.diags_array(diagonals, offsets=[0, 1, -1]).tocsr()


def pairs(options):
    def values(p):
        w, v = linalg.eigsh(banded(p), k=3, **options)
        return joined([w, v])

    return values


def triplets(p):
    u, s, vh = linalg.svds(banded(p).tocsc()[:, :9], k=3)
    return joined([s, u**2, vh**2])


# --- Rotations ---

VECTOR, VECTORS = RNG.normal(size=3), RNG.normal(size=(4, 3))
WEIGHTS = np.array([0.1, 0.5, 0.2, 0.7])
TURNED = {
    "vector": (Rotation.from_rotvec, VECTOR),
    "zeros": (Rotation.from_rotvec, np.zeros(3)),
    "small": (lambda x: Rotation.from_rotvec(4e-3 * x), VECTOR),
    "degrees": (lambda x: Rotation.from_rotvec(40 * x, degrees=True), VECTOR),
    "vectors": (Rotation.from_rotvec, VECTORS),
    "quaternion": (Rotation.from_quat, WEIGHTS),
    "quaternions": (
        lambda x: Rotation.from_quat(np.stack([x, x**2]), scalar_first=True),
        WEIGHTS,
    ),
    "matrix": (Rotation.from_matrix, np.array([[0.9, -0.3, 0.2], [0.2, 1.1, -0.4], [0, 0.5, 0.8]])),
    "angle": (lambda x: Rotation.from_euler("y", x[0]), VECTOR),
    "angles": (lambda x: Rotation.from_euler("xyz", x), VECTOR),
    "turning axes": (lambda x: Rotation.from_euler("ZXZ", 30 * x, degrees=True), VECTORS),
    "parameters": (lambda x: Rotation.from_mrp(0.3 * x), VECTOR),
    "two": (lambda x: Rotation.from_rotvec(x) * Rotation.from_rotvec(x[::-1] * 0.3), VECTOR),
    "back": (lambda x: Rotation.from_rotvec(x).inv(), VECTORS),
    "power": (lambda x: Rotation.from_rotvec(x) ** 0.3, VECTOR),
    "mean": (lambda x: Rotation.from_rotvec(0.5 * x).mean(), VECTORS),
    "weighted mean": (lambda x: Rotation.from_rotvec(0.5 * VECTORS).mean(0.3 + x), WEIGHTS),
    "mean of two": (lambda x: Rotation.from_rotvec(0.5 * x).mean(), VECTORS[:2]),
    "row": (lambda x: Rotation.from_rotvec(x)[1:3], VECTORS),
}


def seen(name, make):
    """All that is read of a rotation; the angle has a kink where it is zero."""

    def values(x):
        r = make(1.0 * x)  # SciPy wants to write into what it is given
        parts = [r.as_matrix(), r.as_rotvec(), r.as_quat(canonical=True), r.as_mrp()]
        parts += [r.as_euler("zyx", degrees=True), r.apply(VECTOR), r.apply(VECTOR, inverse=True)]
        return joined(parts if name == "zeros" else [*parts, r.magnitude()])

    return values


# --- Transforms and filters ---

TRANSFORMED = {
    "dct": lambda x: fftpack.dct(x, 2, None, 0, "ortho"),
    "dct with options": lambda x: fftpack.dct(
        1.0 * x, type=3, axis=1, norm="ortho", overwrite_x=True
    ),
    "idct": fftpack.idct,
    "dst": lambda x: fftpack.dst(x, 1),
    "idst": lambda x: fftpack.idst(x, 3, norm="ortho"),
    "idctn": lambda x: fftpack.idctn(x, 1),
    "fft": lambda x: fftpack.fft(x, 6, -1, True),
    "ifft": lambda x: fftpack.ifft(x, axis=0),
    "fft2": lambda x: fftpack.fft2(x, (3, 3)),
    "fftn": lambda x: fftpack.fftn(x, shape=(3, 7)),
    "dctn": lambda x: fftpack.dctn(x, 2, axes=(0,)),
}
DESIGNS = {
    "butter": (3, {}),
    "cheby1": (4, {"rp": 1.0}),
    "cheby2": (3, {"rs": 30.0}),
    "ellip": (4, {"rp": 1.0, "rs": 40.0}),
    "bessel": (3, {"norm": "mag"}),
}


def designed(band):
    """All filters in all forms, with a sampling rate and without."""

    def values(w):
        at = np.array([0.25, 0.4]) + 0.1 * w
        parts = []
        for name, (order, options) in DESIGNS.items():
            given = {**options, "btype": band, "Wn": at[0] if band in ("low", "high") else at}
            for output in ("ba", "zpk", "sos"):
                for analog in (False, True):
                    found = getattr(signal, name)(order, **given, output=output, analog=analog)
                    parts += found if isinstance(found, tuple) else [found]
        return joined([(part * np.conj(part)).real for part in parts])

    return values


def heard(p):
    sections = signal.butter(3, [p[0], 2.0 * p[0]], "band", output="sos", fs=p[1])
    return signal.sosfilt(sections, np.sin(np.arange(30.0)))


NOISE = np.random.default_rng(0).uniform(size=30)
PEAKS = {"height": 0.1, "threshold": 0.0, "prominence": 0.0, "width": 0.0, "rel_height": 0.4}
OF_PEAKS = (
    *("peak_heights", "left_thresholds", "right_thresholds", "prominences"),
    *("widths", "width_heights", "left_ips", "right_ips"),
)


def peaks(x):
    found = signal.find_peaks(NOISE + 0.1 * x, **PEAKS)[1]
    return joined([found[name] for name in OF_PEAKS])


# --- Matrices, distributions and calls with several options ---

A = RNG.normal(size=(4, 4)) + 4 * np.eye(4)
CUT = np.diag([3.0, 2.0, 0.5, 0.2])
# Of blocks in the real form of Schur's
TURNS = np.kron(np.diag([1.0, 2.0]), [[0.0, 2.0], [-3.0, 0.5]]) + np.triu(np.ones((4, 4)), 2)
MATRICES = {
    "signm": lambda a, b: matrices.signm(a - np.diag([4.0, 6.0, 9.0, 1.0])),
    "rsf2csf": lambda a, b: joined(matrices.rsf2csf(TURNS * (1.0 + 0.1 * a), a)),
    "lu_solve": lambda a, b: matrices.lu_solve(matrices.lu_factor(a), b),
    "cho_solve": lambda a, b: matrices.cho_solve(matrices.cho_factor(a @ a.T), b),
    "pinv, rtol": lambda a, b: matrices.pinv(a @ CUT, rtol=0.6),
    "pinv, atol": lambda a, b: matrices.pinv(a @ CUT, atol=4.0),
    "pinvh": lambda a, b: matrices.pinvh(a @ CUT + (a @ CUT).T, rtol=0.6),
    **{
        f"{name}, {lower}": lambda a, b, name=name, lower=lower: triangle(name, a, lower)
        for name in ("cholesky", "cho_factor", "eigvalsh")
        for lower in (True, False)
    },
}


def triangle(name, a, lower):
    """Of which triangle is read, of a matrix that is not symmetric."""
    found = getattr(matrices, name)(a + 9 * np.eye(4), lower=lower)
    found = found[0] if name == "cho_factor" else found
    return found if name == "eigvalsh" else np.tril(found) if lower else np.triu(found)


def simplex(x):
    return np.abs(x) / np.sum(np.abs(x))


SPREAD = np.diag([1.0, 2.0, 3.5, 5.0])


def skewed(p):
    """A matrix of which SciPy reads the lower triangle."""
    return 3.0 * np.eye(4) + np.tril(np.outer(p, p)) + np.triu(np.ones((4, 4)), 1)


PLANE = np.cos(np.arange(8.0)).reshape(4, 2)
THIN = PLANE @ PLANE.T  # of rank 2


def in_plane(name):
    """The density of a singular normal distribution, at points where it has one, and at another."""

    def density(x, p):
        points = np.stack([PLANE @ x[:2], PLANE @ x[2:], x])
        law = stats.multivariate_normal(PLANE @ p[:2], THIN, allow_singular=True)
        return np.exp(getattr(law, name)(points)) * law.entropy()

    return density


def orthants(x, p):
    """Probabilities below limits, by all that they depend on."""
    law, limits = (
        stats.multivariate_normal(p[:2], np.outer(x, x)[:2, :2] + 1.3),
        np.stack([x[:2], p[2:]]),
    )
    return np.stack([*law.cdf(limits), law.logcdf(p[1:3]), stats.multivariate_normal.cdf(x[0])])


COUNTS = np.array([[1, 2, 0, 0], [0, 0, 2, 1]])
DISTRIBUTIONS = {
    "normal": lambda x, p: stats.norm(p[0], np.exp(p[1])).logpdf(x),
    "normal in a plane": in_plane("logpdf"),
    "normal in a plane, pdf": in_plane("pdf"),
    "orthants": orthants,
    "normal of vectors": lambda x, p: stats.multivariate_normal(x, np.diag(p**2)).logpdf(p),
    "entropy, matrix": lambda x, p: stats.multivariate_normal.entropy(x, np.outer(p, p) + SPREAD),
    "entropy, triangle": lambda x, p: stats.multivariate_normal.entropy(
        x, np.tril(np.outer(p, p)) + SPREAD
    ),
    "entropy, diagonal": lambda x, p: stats.multivariate_normal.entropy(x, p**2),
    "entropy, number": lambda x, p: stats.multivariate_normal.entropy(x, p[0] ** 2),
    "dirichlet": lambda x, p: stats.dirichlet.logpdf(simplex(x), p + 1.0),
    "dirichlet, pdf": lambda x, p: stats.dirichlet.pdf(simplex(x)[:3], p + 1.0),
    "triangles": lambda x, p: (
        stats.multivariate_normal.logpdf(x, None, skewed(p))
        + stats.multivariate_t.logpdf(x, None, skewed(p), 4.0)
    ),
    "multinomial": lambda x, p: stats.multinomial.logpmf(
        COUNTS, 3, np.stack([[simplex(x)], [simplex(p)]])
    ),
    "by name": lambda x, p: (
        stats.norm(p[0], scale=2.0).logpdf(x=x)
        + stats.gamma.ppf(q=simplex(x), scale=p[1], a=2.0)
        + stats.binom(5, p[2]).logpmf(k=2)
        + stats.gamma(2.0, scale=p[1]).mean()
        + stats.multivariate_normal(p).logpdf(x=x)
    ),
    "intervals": lambda x, p: joined(
        [
            *stats.norm.interval(0.9, p[0], p[1]),
            *stats.norm(1.0, 2.0).interval(p[1]),
            *stats.gamma(p[2], scale=p[0]).interval(0.7),
            *stats.t.interval(confidence=0.9, df=3.0, loc=p[0], scale=p[1]),
        ]
    ),
}
ENDS = (
    *("constant", "line", "symmetric", "reflect", "edge", "wrap", "smooth"),
    *("antisymmetric", "antireflect", "median", "maximum"),
)
IMAGE, PLACES = RNG.normal(size=(6, 5)), RNG.uniform(-4, 9, (2, 7))
UNFILTERED = {"prefilter": False, "cval": 0.7}
TRIANGLE = {"assume_a": "upper triangular", "transposed": True}
SYSTEM_OF_EACH = (
    *(([0.2, 0.5, 0.3], [1.0]), ([1.0, 0.5], [1.0, -0.3])),
    ([0.02, 0.05, 0.02], [1.0, -1.5, 0.6]),
)
CALLED = {  # with options that a search by random ones found to be wrong together
    **{
        f"resample_poly, {end}": lambda x, end=end: joined(
            [signal.resample_poly(x[:, :n], 5, 2, axis=1, padtype=end) for n in (2, 5)]
        )
        for end in ENDS
    },
    **{
        f"sosfiltfilt, {kind}": lambda x, kind=kind: signal.sosfiltfilt(
            signal.butter(3, 0.3, output="sos") * (1 + x[:2, :1] * [1, 1, 1, 0, 1, 1]),
            np.sin(np.arange(40.0)),
            padtype=kind,
        )
        for kind in ("odd", "even", "constant", None)
    },
    "solve": lambda x: matrices.solve(np.triu(A), x[:4], **TRIANGLE),
    "convolve2d, wrap": lambda x: signal.convolve2d(x[:2, :1], x[:3, :2], "valid", "wrap"),
    "convolve2d, symm": lambda x: signal.convolve2d(x[:2, :1], x[:3, :2], "valid", "symm"),
    "convolve2d, fill": lambda x: signal.convolve2d(x[:2, :1], x[:3, :2], "valid", fillvalue=1.5),
    **{
        f"map_coordinates, {mode}, {order}": lambda x, mode=mode, order=order: (
            ndimage.map_coordinates(
                x, PLACES + 0.01 * x[:2, :1], mode=mode, order=order, **UNFILTERED
            )
        )
        for mode in ("nearest", "grid-constant")
        for order in (1, 2, 3, 5)
    },
    "shift": lambda x: ndimage.shift(x, x[0, :2], mode="grid-constant", **UNFILTERED),
    "zoom": lambda x: ndimage.zoom(x * (1 + 2j), 2.0, grid_mode=True, mode="mirror"),
    **{
        f"{name}, {axes}": lambda x, name=name, axes=axes: getattr(ndimage, name)(
            x, size=3, axes=axes
        )
        for name in ("median_filter", "uniform_filter")
        for axes in (1, (0,), None)
    },
    **{f"dctn, {axes}": lambda x, axes=axes: fft.dctn(x, axes=axes) for axes in (1, [0], (0, 1))},
    "maximum_filter": lambda x: ndimage.maximum_filter(x, 1, origin=-1),
    **{
        f"{name}, {norm}": lambda x, name=name, norm=norm: getattr(fft, name)(
            x * (1 + 2j), norm=norm, orthogonalize=norm is None
        )
        for name in ("dct", "idst", "dctn", "idstn")
        for norm in (None, "ortho")
    },
    **{
        name: lambda x, name=name: getattr(fft, name)(x, axes=1, s=4)
        for name in ("fftn", "ihfftn", "rfft2")
    },
    "stft": lambda x: signal.stft(
        x.ravel() * (1 + 2j), nperseg=5, detrend="linear", return_onesided=False
    )[2],
    "deconvolve": lambda x: joined(signal.deconvolve(x[:, 0], 1 + x[:2, 1] ** 2)),
    **{
        f"decimate, {k}, {zero_phase}": lambda x, k=k, zero_phase=zero_phase: signal.decimate(
            np.tile(x, (5, 1)),
            3,
            ftype=signal.dlti(*SYSTEM_OF_EACH[k]),
            axis=0,
            zero_phase=zero_phase,
        )
        for k in range(3)
        for zero_phase in (True, False)
    },
}
MARKS_OF_DISTRIBUTIONS = {
    "entropy, number": "once",
    "intervals": "once textless",
    **dict.fromkeys(("normal", "multinomial", "by name"), "textless"),
}
ROWS = {
    **{f"matrix, {name}": (f, (A, X), "") for name, f in MATRICES.items()},
    **{
        f"distribution, {name}": (
            f,
            (X, 0.2 + WEIGHTS),
            MARKS_OF_DISTRIBUTIONS.get(name, ""),
        )
        for name, f in DISTRIBUTIONS.items()
    },
    **{f"call, {name}": (f, (IMAGE,), "") for name, f in CALLED.items()},
    **{
        f"test, {name}": (attributes(call, names), args, marks_of(name))
        for name, (call, names, args) in TESTS.items()
    },
    **{f"omitting, {name}": (omitting(name), (GAMMA,), "") for name in OMITTING},
    "omitting, zscore": (
        lambda x: stats.zscore(holed(x), nan_policy="omit")[3:],
        (GAMMA,),
        "unserial",
    ),
    "omitting, pairs": (
        lambda p, q: stats.entropy(holed(p), holed(q, 4), nan_policy="omit"),
        (GAMMA, GAMMA**2),
        "",
    ),
    "omitting, rows": (
        lambda x: stats.skew(holed(x.reshape(3, 7)), axis=1, bias=False, nan_policy="omit"),
        (GAMMA,),
        "",
    ),
    **{f"density, {name}": (f, (ONE, MORE[:2]), "") for name, f in DENSITIES.items()},
    **{f"sparse, {name}": (read(make), (ENTRIES,), "") for name, make in MADE.items()},
    **{f"sparse, {name}": (read(make), (ENTRIES,), "counts") for name, make in OF_DENSE.items()},
    **{
        f"system, {name}": (lambda v, b, f=f: f(csc(v), b), (ENTRIES, X), "solver")
        for name, f in SYSTEMS.items()
    },
    "norms": (lambda v: joined([linalg.norm(csc(v), *how) for how in NORMS]), (ENTRIES,), ""),
    **{
        f"eigenpairs, {name}": (pairs(options), (np.array([0.6, 0.9]),), "solver")
        for name, options in EIGEN.items()
    },
    "triplets": (triplets, (np.array([0.6, 0.9]),), "solver"),
    **{f"rotation, {name}": (seen(name, f), (x,), "") for name, (f, x) in TURNED.items()},
    **{f"fftpack, {name}": (f, (MORE,), "") for name, f in TRANSFORMED.items()},
    **{
        f"filters, {band}": (designed(band), (np.zeros(2),), "")
        for band in ("low", "high", "bandpass", "bandstop")
    },
    "heard": (heard, (np.array([3.0, 20.0]),), ""),
    "bilinear": (lambda b, a, fs: joined(signal.bilinear(b, a, fs)), (X[:2], X[1:], 1.7), "alone"),
    "peaks": (peaks, (NOISE,), "counts"),
    "codes": (lambda x, c: vq.vq(x, c)[1], (VECTORS, VECTORS[:2] + 0.1), ""),
    "numbers of codes": (lambda x, c: vq.vq(x, c)[1], (ONE, OTHER[:3]), ""),
    "whitened": (vq.whiten, (VECTORS,), ""),
    "rosen, columns": (optimize.rosen, (SIDE,), ""),
}
