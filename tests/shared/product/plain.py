"""Programs without writes, a row each: containers, closures, branches, loops, dtypes."""

import functools
import operator
from dataclasses import dataclass

import numpy as np

X = np.linspace(0.1, 0.9, 6).reshape(2, 3)
V = np.array([0.5, -1.5, 2.0])
W = np.array([[0.3, -0.7, 1.1], [0.5, 0.9, -0.2], [1.3, 0.1, 0.4]])
Z = np.array([0.3 + 0.4j, -0.2 + 0.1j])
TABLE = [0.3, 0.7]
MASK = [True, False, True]


@dataclass
class Layer:
    """A container of users'."""

    w: np.ndarray
    b: float
    name: str = "layer"


def running_maximum(x):
    best, total = x[0], 0.0
    for entry in x:
        if entry > best:
            best = entry
        total = total + best**2
    return total


def newton(x):
    guess = x[0]
    while abs(guess**3 - x[0]) > 1e-13:
        guess = guess - (guess**3 - x[0]) / (3 * guess**2)
    return guess * x[1]


def oscillator(x):
    place, speed = x[0], x[1]
    for _ in range(12):
        speed = speed - 0.1 * np.sin(place) * x[2]
        place = place + 0.1 * speed
    return np.stack([place, speed])


def softmax(x):
    shifted = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return shifted / np.sum(shifted, axis=-1, keepdims=True)


def fibonacci(x, n=6):
    return x if n < 2 else fibonacci(x, n - 1) * 0.5 + np.sin(fibonacci(x, n - 2))


def generated(x):
    def squares():
        for entry in x:
            yield entry**2

    return sum(squares()) * x[0]


def mapped(f, *args):
    return np.stack(list(map(f, *args)))


def ramp(x, slope):
    return x**2 if x > 0 else slope * x


def collatz_like(x):
    while x < 3:
        x = 1.5 * x + 0.5 if x > 0 else -x
    return x


ROWS = {
    "elementwise": (lambda x: np.sum(np.sin(x) * x * 2.0), (X,), ""),
    "operators": (lambda x: (-x + 2.0) ** 2 / (1.0 + x) - abs(x) // 5.0 + x % 7.0, (X,), ""),
    "broadcasting": (lambda x: (x - np.max(x, axis=1, keepdims=True)) ** 2 / x[0], (X,), ""),
    "logsumexp": (lambda x: np.log(np.sum(np.exp(x), axis=1)), (X,), ""),
    "entries": (lambda x: x[:, 1] * x[0, 2], (X,), ""),
    "entries at arrays": (
        lambda x: x[:, np.array([0, 2, 2])] * x[np.array([1, 0])][:, :1],
        (X,),
        "",
    ),
    "an entry, linear first": (lambda x: x[0] + x[0] ** 2 + x[-1] * np.exp(x[-1]), (V,), ""),
    "an entry, linear last": (lambda x: x[0] ** 2 * x[1] + x[0], (V,), ""),
    "parts, linear first": (
        lambda x: (
            np.sum(x[:1])
            + np.sum(x[:1] ** 2 * x[1:])
            + np.sum(x[[0, 0]])
            + np.sum(x[[0, 1]] ** 3)
            + np.sum(x[MASK])
            + np.sum(x[MASK] ** 3)
        ),
        (V,),
        "",
    ),
    "entries at own places": (
        lambda x: x[np.argsort(x)] * x[np.argmax(x)] + np.take(x, np.argsort(-x)) ** 2,
        (V,),
        "",
    ),
    "entries by ranges": (
        lambda x: (
            x[range(2)] * x[[1, 0]] + x[np.array([0, 1]), range(2)][:, None] * x[range(2), 1:2]
        ),
        (X,),
        "",
    ),
    "new axes": (lambda x: x[..., None, ::-1] * x[0], (X,), ""),
    "masks": (lambda x: np.sum(x[x > 0.5] ** 3), (X,), "counts"),
    "inverse": (lambda x: np.linalg.inv(x @ x.T + 2.0 * np.eye(2)), (X,), ""),
    "methods": (lambda x: (x.T @ x).sum() + x.mean() * x.max() - x.std(), (X,), ""),
    "joining": (lambda x: np.concatenate([x, x * 2.0]) ** 2, (X,), ""),
    "stacks": (
        lambda x: np.stack([x[0], np.sin(x[1])], axis=1) * np.vstack([x[0], x[1]]).T,
        (X,),
        "",
    ),
    "fft": (lambda x: np.abs(np.fft.fft(x)) ** 2, (X,), ""),
    "irfft": (lambda x: np.fft.irfft(np.fft.rfft(x) ** 2, 3) ** 3, (X,), ""),
    "diagonal entries": (
        lambda x: np.diagonal(x, 1) ** 2 * np.trace(x) + np.sum(np.diag(x[0])),
        (X,),
        "",
    ),
    "einsum": (lambda x: np.einsum("ij,kj->ik", x, np.sin(x)) ** 2, (X,), ""),
    "pad": (lambda x: np.pad(x, 1, "reflect") ** 3, (X,), ""),
    "delete": (lambda x: np.delete(x, 1, axis=1) ** 3, (X,), ""),
    "repeat": (lambda x: np.repeat(x, 2, axis=1) * np.tile(x, 2), (X,), ""),
    "where": (lambda x: np.where(x > 0.5, x**3, np.sqrt(x)), (X,), ""),
    "clip": (lambda x: np.clip(x * 2, 0.5, 1.5) * x, (X,), ""),
    "polynomial": (lambda x: np.polyval(x[0], x[1] ** 2), (X,), ""),
    "sorting": (lambda x: np.sort(x * x, axis=1) ** 3 + np.median(x**3), (X,), ""),
    "largest": (lambda x: np.max(x * x, axis=0) - np.min(np.sin(x)), (X,), ""),
    "quantiles": (lambda x: np.quantile(x**3, 0.3, axis=1), (X,), ""),
    "statistics": (
        lambda x: np.std(x * x) + np.linalg.norm(x) + np.var(x, axis=1, ddof=1),
        (X,),
        "",
    ),
    "running": (lambda x: np.cumsum(x**2, axis=1) * np.cumprod(x, axis=0), (X,), ""),
    "products": (lambda x: np.prod(x, axis=1) * np.prod(x), (X,), ""),
    "differences": (
        lambda x: np.sum(np.diff(x, axis=1) ** 3) + np.gradient(x**3, axis=1),
        (X,),
        "",
    ),
    "determinant": (lambda x: np.linalg.slogdet(x @ x.T + np.eye(2))[1], (X,), ""),
    "solve": (lambda x: np.linalg.solve(x @ x.T + np.eye(2) * x[0, 0], x) ** 2, (X,), ""),
    "cholesky factor": (lambda x: np.linalg.cholesky(x @ x.T + np.eye(2)) ** 3, (X,), ""),
    "singular values": (lambda x: np.linalg.svd(x, compute_uv=False) ** 3, (X,), ""),
    "eigenvectors": (
        lambda x: np.linalg.eigh(x @ x.T + np.diag([1.0, 4.0])).eigenvectors ** 2,
        (X,),
        "",
    ),
    "eigenvalues": (lambda x: np.linalg.eigvalsh(x @ x.T) ** 2, (X,), ""),
    "outer": (lambda x: np.inner(x[0], x[1]) ** 2 + np.outer(x[0], x[1]) ** 2, (X,), ""),
    "tensordot": (
        lambda x: np.tensordot(x, x, axes=([1], [1])) * np.kron(x[0], x[1])[:2],
        (X,),
        "",
    ),
    "convolution": (lambda x: np.convolve(x[0], x[1]) ** 2, (X,), ""),
    "interpolation": (lambda x: np.interp(x[0] * 2, [0.0, 0.5, 2.0], x[1] ** 2), (X,), ""),
    "shapes": (lambda x: np.moveaxis(x.reshape(3, 2), 0, 1) * np.roll(x, 1) + np.flip(x), (X,), ""),
    "fortran order": (lambda x: x * np.ravel(x, "F").reshape(2, 3), (np.asfortranarray(X),), ""),
    "triangles": (lambda x: np.tril(x @ x.T) + np.triu(x @ x.T, 1) ** 2, (X,), ""),
    "meshgrid": (lambda x: np.multiply(*np.meshgrid(x[0], x[1] ** 2)), (X,), ""),
    "empty": (lambda x: np.sum(x[3:] ** 2) + np.sum(np.sin(x)), (V,), ""),
    "no entries": (lambda x, y: np.sum(x) + np.sum(y**2), (np.ones((0, 2)), V), ""),
    "unused": (lambda x, y: x * 2.0, (V, W), ""),
    "constant": (lambda x: np.ones(2), (V,), ""),
    "identity": (lambda x: x, (V,), ""),
    "one number": (lambda x: np.sin(x) * x, (np.float64(0.7),), "number"),
    "python float": (lambda x: 3.0 * x**2 - x / 4.0, (0.7,), "number"),
    "python floats": (lambda x, y: x**y - y / x + divmod(x, 0.4)[1], (0.7, 1.3), "number"),
    "without axes": (lambda x: np.exp(x) * x, (np.array(0.4),), ""),
    "single precision": (
        lambda x: np.tanh(x) * np.float32(2.0) + x[0],
        (V.astype("float32"),),
        "float32",
    ),
    "mixed precision": (lambda x, y: x * y + np.sin(x), (V.astype("float32"), V * 0.3), "float32"),
    "complex": (lambda z: np.sin(z) * np.conj(z) + np.abs(z), (Z,), "complex"),
    "parts of complex": (lambda z: z.real**2 * z.imag + np.angle(z), (Z,), "complex"),
    "real to complex": (lambda x: np.exp(1j * x) * x[0], (V,), ""),
    "complex solve": (lambda z: np.linalg.solve(np.outer(z, z) + np.eye(2), z), (Z,), "complex"),
    "nest": (
        lambda p: np.sum(np.sin(p[0][0]) * p[0][1][0]) * p[1],
        (((V, [V * 2]), np.float64(1.5)),),
        "list",
    ),
    "python complex": (lambda z: z * z, (2 + 1j,), "complex number"),
    "single number": (lambda x: x * x, (np.float32(0.7),), "float32 number"),
    "dict": (lambda p: p["w"] @ p["v"] + p["b"], ({"w": W, "v": V, "b": 0.5},), "list"),
    "list": (lambda p: p[0] * p[1][0] - p[1][1], ([V, (V**2, 0.3)],), "list"),
    "dataclass": (lambda layer: np.tanh(layer.w @ V) * layer.b, (Layer(W, 0.4),), "list"),
    "several results": (lambda x: (np.sin(x), [x[0] ** 2], {"sum": np.sum(x)}), (V,), "list"),
    "softmax": (softmax, (X,), ""),
    "oscillator": (oscillator, (V,), ""),
    "running maximum": (running_maximum, (V,), "decides"),
    "newton": (newton, (np.array([1.7, 0.4]),), "decides"),
    "recursion": (fibonacci, (V,), ""),
    "generator": (generated, (V,), ""),
    "captured": (lambda x: np.sum(np.sin(W @ x)) * TABLE[1], (V,), "captures"),
    "min and max of Python": (lambda x: max(x[0], x[1] ** 2) * min(x[2], 3.0), (V,), "decides"),
    "sorted": (lambda x: sum(k * y for k, y in enumerate(sorted(x))), (V,), "decides"),
    "array of a list": (lambda x: np.array([[np.cos(x[0]), -x[1]], [x[1], 2.0]]) @ x[:2], (V,), ""),
    "lists beside arrays": (
        lambda x: (
            np.concatenate([[0.0], x, (1, 2)]) * np.hstack([np.take(x, [0, 2, 2]), [1.0] * 3])
            + np.sum(
                np.stack([x, [1.0, 2.0, 3.0]]) * np.where([True, False, True], x, [1.0, 2.0, 3.0])
            )
        ),
        (V,),
        "",
    ),
    "piecewise": (
        lambda x: np.piecewise(x, [x > 0], [lambda t: t**2, lambda t: 0.3 * t]),
        (V,),
        "counts",
    ),
    "piecewise by functions": (
        lambda x: np.piecewise(x, [x < 1, x < -1], [np.sin, np.exp, np.log]),
        (V,),
        "counts",
    ),
    "piecewise with a parameter": (
        lambda x, p: np.piecewise(x, [x > 0], [np.power, np.multiply], p),
        (V, 1.5),
        "counts",
    ),
    "piecewise nowhere": (lambda x: np.piecewise(x, [x > 9], [np.log, 7.0]) + x, (V,), "counts"),
    "piecewise by neighbours": (
        lambda x: np.piecewise(x, [np.array([True, False, True])], [np.cumsum, np.sin]),
        (V,),
        "",
    ),
    "windows of matrices": (
        lambda x: np.prod(np.lib.stride_tricks.sliding_window_view(x, (2, 2)), axis=(-2, -1)),
        (X,),
        "",
    ),
    "windows along an axis": (
        lambda x: np.prod(np.lib.stride_tricks.sliding_window_view(x, (2, 2), (1, 1)), axis=-1),
        (X,),
        "",
    ),
    "required order": (
        lambda x: np.asanyarray(np.require(x, x.dtype, "F"), order="F") ** 3,
        (X,),
        "",
    ),
    "select": (lambda x: np.select([x > 1, x > 0], [x**2, np.sin(x)], 0.5), (V,), ""),
    "map": (lambda x: np.sum(mapped(np.sin, x)) * x[0], (V,), ""),
    "map of a closure": (
        lambda x: mapped(lambda t: t * x[2] + np.sin(x[1]), (1.0, x[0])),
        (V,),
        "",
    ),
    "reduce": (lambda x: functools.reduce(operator.mul, x), (V,), ""),
    "reduce of matrices": (lambda x: functools.reduce(np.matmul, (W * x, W, W.T * x[0])), (V,), ""),
    "map, the shortest ends it": (lambda x: sum(map(operator.mul, x, (3.0, x[0]))), (V,), ""),
    "reduce through containers": (
        lambda x: functools.reduce(lambda s, t: (s[1] * t, s[0] + t), x, (1.0, x[0]))[0],
        (V,),
        "",
    ),
    "map inside reduce": (
        lambda x: functools.reduce(lambda y, row: y + sum(map(operator.mul, row, x)) ** 2, W, 0.0),
        (V,),
        "",
    ),
    "vectorize, broadcasting": (
        lambda x: np.vectorize(ramp)(W * x[:, None], x) * W,
        (V,),
        "decides",
    ),
    "vectorize, a loop": (lambda x: np.vectorize(collatz_like)(x) * V, (V,), "decides"),
    "vectorize, a closure alone": (
        lambda x: np.vectorize(lambda t: t * x[0] if t > 0 else x[1])(W),
        (V,),
        "",
    ),
    "vectorize, several outputs": (
        lambda x: np.multiply(*np.vectorize(lambda t, s: (t * s, t**2))(x, x[0])),
        (V,),
        "",
    ),
    "vectorize, excluded": (
        lambda x: np.vectorize(lambda t, c: t * c[0] + c[1] ** 2, excluded={1})(W, x),
        (V,),
        "",
    ),
    "vectorize, keywords": (
        lambda x: np.vectorize(ramp, excluded=["slope"])(x=x, slope=x[1]),
        (V,),
        "decides",
    ),
    "vectorize, a signature": (
        lambda x: np.vectorize(np.dot, signature="(n),(n)->()")(W * x, x) ** 2,
        (V,),
        "",
    ),
    "vectorize, new axes": (
        lambda x: np.vectorize(lambda t: np.stack([t, t * x[0]]), signature="()->(n)")(x) ** 2,
        (V,),
        "",
    ),
    "vectorize, complex": (lambda x: np.vectorize(lambda t: t * (x[0] + 1j))(x), (V,), ""),
    "vectorize, in itself": (
        lambda w: np.vectorize(
            lambda row: np.sum(np.vectorize(lambda t, s: t * s if s > 0 else s)(row, row[0])),
            signature="(n)->()",
        )(w),
        (W,),
        "decides",
    ),
    # the cotangents of linear terms are plain where those of the others are traced
    "a plain cotangent before a traced one": (lambda x: x[1] ** 3 + np.sum(2 * x[1:]), (V,), ""),
    "a plain cotangent after a traced one": (lambda x: np.sum(2 * x[1:]) + x[1] ** 3, (V,), ""),
    "ufunc methods": (lambda x: np.add.outer(x, x**2) * np.maximum.accumulate(x), (V,), ""),
    "rounded": (lambda x: np.floor(x) * x + np.sign(x), (V * 1.1,), ""),
    "absolute": (lambda x: np.abs(x) * np.hypot(x, 2.0), (V,), ""),
    "hyperbolic": (lambda x: np.arctan2(np.sinh(x), np.cosh(x)) + np.log1p(np.exp(x)), (V,), ""),
    "powers": (lambda x: np.abs(x) ** x[2] + x**3 + 2.0**x, (V,), ""),
    "averages": (lambda x: np.average(x, axis=1, weights=np.array([1.0, 2.0, 3.0])), (X,), ""),
    "covariance": (lambda x: np.cov(x) + np.corrcoef(x), (W,), ""),
    "unique": (lambda x: np.unique(x * 2), (V,), "counts"),
    "nan functions": (lambda x: np.nansum(np.where(V > 0, x**2, np.nan)) * np.nanmax(x), (V,), ""),
    "broadcast arrays": (lambda x: np.multiply(*np.broadcast_arrays(x, W * x)), (V,), ""),
    "take along": (lambda x: np.take_along_axis(x, np.array([[0], [2]]), 1) * x, (X,), ""),
    "cross": (lambda x: np.cross(x, np.sin(W) * x), (V,), ""),
    "matrix power": (lambda x: np.linalg.matrix_power(W * x, 3), (V,), ""),
    "least squares": (lambda x: np.linalg.lstsq(W * x, x, rcond=None)[0], (V,), ""),
    "pinv": (lambda x: np.linalg.pinv(W[:, :2] * x[:2]), (V,), ""),
    "qr": (lambda x: np.abs(np.linalg.qr(W * x)[1]), (V,), ""),
    "trapezoids": (lambda x: np.trapezoid(np.sin(x) ** 2, V), (V,), ""),
}
