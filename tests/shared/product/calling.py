"""Programs that differentiate, or call functions of SciPy's."""

from functools import partial

import numpy as np

import chainrules_tape.numpy as tnp
from chainrules_py import Tangent, default_rules, primitive
from chainrules_tape import (
    checkpoint,
    grad,
    hessian,
    higher_derivatives,
    hvp,
    jacobian,
    jvp,
    linearize,
    stop_gradient,
    taylor,
    vjp,
    vmap,
)
from chainrules_tape.scipy import (
    fft,
    interpolate,
    linalg,
    ndimage,
    optimize,
    special,
)
from chainrules_tape.scipy.spatial import distance
from engines_by_name import ENGINES
from late import Late

signal, stats = Late("chainrules_tape.scipy.signal"), Late("chainrules_tape.scipy.stats")

V = np.array([0.5, 1.3, 0.8])
PAIR, WHOLE = np.array([0.7, 1.3]), np.array([200, 7], np.uint8)
EXAMPLES = np.array([[0.3, -0.7, 1.1], [0.5, 0.9, -0.2]])


def loss(x):
    return np.sum(np.sin(x) * x)


def of_two_levels(x):
    """The first entry is of the inner derivative alone, the second of both."""

    def inner(z):
        y = tnp.zeros(2)
        y[0] = z
        y[1] = z * x[0]
        return y[0] * y[1]

    return grad(inner)(2.0) * x


def older_view(view):
    """A view that is older than writes at an inner level, for which the array is constant."""

    def inner(x, y):
        v = view(y)
        y[1] = x[0] * x[1]
        return np.sum(np.sin(v)) * x[2] + y[0] * x[0]

    return lambda x: grad(inner)(x, tnp.array(x * 0.7))


def shared_weights(w):
    def layer(x, w):
        h = tnp.zeros(3)
        h[1:] = w[1:] * x[:-1]
        h[0] += w[0]
        return h * x

    return vmap(layer, (0, None))(EXAMPLES, w)


def captured_by_checkpoints(x):
    """Layers, of which each captures what it depends on in another way."""
    shift = x[0]
    y = checkpoint(lambda y: np.tanh(y * x) + shift)(x)
    shift = None  # the function keeps what it has captured
    params = {"weights": [x, 2.0]}
    y = checkpoint(lambda y: params["weights"][0] * y * params["weights"][1])(y)
    inner = checkpoint(lambda y, w=x: np.sin(w * y))
    return checkpoint(lambda y: inner(y) * y, save={np.multiply})(y)


def written_in_place(x):
    x[0] = x[0] * x[1]
    part = x[1:]
    part *= x[0]
    return np.sum(x**2)


def written_by_an_inner_level(x):
    u = tnp.copy(x)

    def inner(y):
        u[0] = y * y * x[1]
        return u[0] * u[1]

    return grad(inner)(x[2]) * u[0] + u


def captured_by_a_pullback(x):
    u = x * 2.0
    _, pullback = vjp(lambda z: z * u, x * 1.0)
    u[0] = 7.0
    return pullback(V)[0] * x


def captured_by_linear_maps(x):
    u, w = x * 2.0, np.sin(x)
    _, push = linearize(lambda z: np.sin(z) * z * w, u)
    _, pullback = vjp(lambda z: (np.stack([w, u]) @ z) * z[0], u)
    u[0], w[1] = 7.0, 5.0
    return (push(V) + pullback(V[:2])[0]) * x


WRITES = [
    lambda y, i, m, x: np.copyto(y, x[::-1] ** 2, where=m),
    lambda y, i, m, x: np.copyto(y, x[0] ** 2, where=m),
    lambda y, i, m, x: np.putmask(y, m, x[:2] ** 2),
    lambda y, i, m, x: np.place(y, m, x[:2] ** 2),
    lambda y, i, m, x: np.place(y, m, [3.0, 4.0]),
    lambda y, i, m, x: np.put(y, i, x[0] ** 2),
    lambda y, i, m, x: np.put_along_axis(y, i, x[0] ** 2, 0),
    lambda y, i, m, x: y.__setitem__(i, x[0] ** 2),
    lambda y, i, m, x: np.add.at(y, i, x[0] ** 2),
]
MASKS = np.array([[True, False, True], [False, False, True], [True, True, True]])


def own_namespace(x):
    """What the array API standard has, by the namespace that an array names."""
    xp = x.__array_namespace__()
    y = xp.cumulative_sum(xp.clip(x, 0.2, 1.5)) * xp.atan2(x, xp.exp(x))
    matrix = xp.astype(xp.eye(3), xp.float64) + xp.linalg.outer(x, x)
    return xp.linalg.solve(matrix, xp.concat([y[:2], xp.asarray([1.0])])) + xp.std(x, correction=1)


def buffers_for_scipy(x):
    y, b = np.zeros(3), np.ones(3)
    b[1] = 3.0
    ndimage.correlate1d(b, [1.0, 2.0, 1.0], output=y)
    z = special.erf(b, out=np.zeros(3))
    z[0] = 2.0
    special.xlogy(b, b + 1.0, out=b)
    return y * x * b + z * x


def places_to_write(x):
    """Other ones in other lanes, and the array is the same in all."""

    def written(i, m):
        def total(x):
            found = 0.0
            for write in WRITES:
                y = x * x
                write(y, i, m, x)
                found = found * 0.5 + np.sum(y * x)
            return found

        return grad(total)(x)

    return vmap(written)(PLACES, MASKS)


def chosen(x):
    """Entries that other lanes choose, too, at places of their own."""
    places = np.nonzero(x < 1)
    return np.sum(x[x > 0.6] ** 2) * np.sum(x[places]) + np.sum(np.compress(x > 0, x) ** 3)


def distances(name, options=lambda x: {}):
    """Between two points, and all of them, with options that may depend on the points."""

    def values(x, y):
        given = options(x)
        one = np.reshape(getattr(distance, name)(x[1], y[0], **given), 1)
        square = distance.squareform(distance.pdist(x, name, **given))
        return np.concatenate([one, np.ravel(distance.cdist(x, y, name, **given)), square[0]])

    return values


def by_variances(name):
    """The options are those of all points."""
    return lambda x, y: np.concatenate(
        [np.ravel(distance.cdist(x, y, name)), distance.pdist(x, name)]
    )


PLACED = np.array([[0.3, -0.5, 1.2], [0.1, 0.9, -0.4], [0.7, 0.2, 0.6]])
OTHERS = np.array([[1.35, 0.52, 0.17], [-0.12, 0.31, 0.83]])
MANY = np.sin(np.arange(1.0, 25.0) ** 2).reshape(8, 3)
OF_POINTS = {
    **{name: lambda x: {"w": np.array([0.7, 1.3, 0.0]) + x[0] ** 2} for name in distance.METRICS},
    "minkowski": lambda x: {"w": np.array([0.7, 1.3, 0.0]) + x[0] ** 2, "p": 1.5},
    "mahalanobis": lambda x: {"VI": x.T @ x + np.diag([1.1, 0.9, 1.4])},
    "seuclidean": lambda x: {"V": x[0] ** 2 + 0.1},
}
DISTANCES = {
    **{name: (distances(name), (PLACED, OTHERS), "") for name in distance.METRICS},
    **{f"{k}, options": (distances(k, f), (PLACED, OTHERS), "") for k, f in OF_POINTS.items()},
    **{
        f"{k}, variances": (by_variances(k), (MANY, OTHERS), "")
        for k in ("mahalanobis", "seuclidean")
    },
    "minkowski": (distances("minkowski", lambda x: {"p": 3}), (PLACED, OTHERS), ""),
    "jensenshannon": (
        lambda x, y: distance.jensenshannon(np.abs(x), y**2 + 0.2, axis=1, keepdims=True),
        (PLACED[:2], OTHERS),
        "",
    ),
    "hausdorff": (
        lambda x, y: distance.directed_hausdorff(x, y)[0],
        (PLACED, OTHERS),
        "counts classed",
    ),
}


def computed_twice(x):
    y = x * x
    y[0] = 3.0 * x[1]
    return y * (x * x)


PLACES = np.array([[0, 2], [1, 1], [2, 0]])


@primitive
def by_its_pullback(x, c):
    return np.sin(x) * c


@default_rules.rrule.register(by_its_pullback)
def by_its_pullback_rrule(x, c):
    return np.sin(x) * c, lambda y_bar: (np.cos(x) * c * y_bar, np.sum(np.sin(x) * y_bar))


@primitive
def by_its_tangent(x, c):
    return np.sin(x) * c, np.cos(x)


@default_rules.frule.register(by_its_tangent)
def by_its_tangent_frule(dots, x, c):
    sine, cosine = np.sin(x), np.cos(x)
    y_dot = cosine * c * dots[0] + sine * dots[1]
    return (sine * c, cosine), Tangent[tuple](y_dot, -sine * dots[0])


def of_one_mode(x):
    y, z = by_its_tangent(x, x[0])
    return by_its_pullback(x, x[1]) * y + z


def draws(x):
    """Of which some are equal calls."""
    rng = np.random.default_rng(3)
    y = stats.weibull_min.rvs(x[1], random_state=rng)
    return rng.weibull(x) * rng.weibull(x) ** 2 + rng.exponential(x[0]) * rng.normal(x, y)


HELD = {"k": np.array([0.3, -0.7, 1.1]), "n": 4, "c": [0.5]}
ONES = np.ones(3)


def with_functions_of(engine):
    """A program that calls functions of another engine: of a tree, with None, and a constant."""
    xp = engine.xp
    energy = engine.of(lambda p, x: xp.sum(p["k"] * xp.sin(x) ** 2) * p["n"] * p["c"][0])
    masked = engine.of(lambda mask, x: {"mask": mask, "y": x**2})
    constant = engine.of(lambda x: engine.array(ONES))

    def program(x):
        return np.tanh(energy(HELD, x * x)) * masked(None, x)["y"] + constant(x) * x

    return program


ROWS = {
    "draws": (draws, (V,), "counts"),
    **{
        f"functions of {name}": (
            Late(partial(with_functions_of, engine)),
            (V,),
            f"calls of_{name}",
        )
        for name, engine in ENGINES.items()
        if name != "tape"
    },
    **{f"distances, {name}": row for name, row in DISTANCES.items()},
    "gradient": (lambda x: grad(loss)(x) * x, (V,), "calls"),
    "pullback": (lambda x: vjp(np.sin, x)[1](x)[0], (V,), "calls"),
    "tangent": (lambda x: jvp(loss, (x,), (np.cos(x),))[1], (V,), "calls"),
    "linearized": (lambda x: linearize(np.sin, x)[1](x), (V,), "calls"),
    "matrix of slopes": (lambda x: jacobian(np.cumsum)(x) @ x, (V,), "calls"),
    "loss of a matrix of slopes": (
        lambda x: np.sin(jacobian(linalg.expm, mode="reverse")(np.outer(x[:2], V[:2]))),
        (V,),
        "calls once",
    ),
    "curvature": (lambda x: np.trace(hessian(loss)(x)), (V,), "calls"),
    "curvature along": (lambda x: hvp(loss, x, x), (V,), "calls"),
    "coefficients": (lambda x: taylor(loss, x, 2, V)[2], (V,), "calls"),
    "lanes": (lambda x: vmap(lambda t: t * x[0] + np.sin(t))(x), (V,), "calls"),
    "gradients in lanes": (lambda x: vmap(grad(lambda t: np.sin(t) * x[1]))(x), (V,), "calls"),
    "lanes in chunks": (
        lambda x: vmap(lambda t: np.sin(t) * t, chunk_size=2)(x) * x[0],
        (V,),
        "calls",
    ),
    "seeds in lanes": (
        lambda x: vmap(lambda bar: vjp(np.cumprod, x)[1](bar)[0])(np.eye(3)),
        (V,),
        "calls",
    ),
    "tangents in lanes": (
        lambda x: vmap(lambda dot: jvp(np.cumprod, (x,), (dot,))[1], out_axes=1)(np.eye(3)),
        (V,),
        "calls",
    ),
    "places in lanes": (
        lambda x: vmap(lambda i: grad(lambda y: np.sum(y[i] ** 2) * y[i[0]])(x))(PLACES),
        (V,),
        "calls",
    ),
    "choices in lanes": (
        lambda x: vmap(grad(chosen))(V + np.outer([0.1, 0.05], x - V)),
        (V,),
        "calls counts",
    ),
    "stopped gradient": (lambda x: x * np.sum(stop_gradient(V)), (V,), "calls"),
    "again": (lambda x: checkpoint(np.sin)(x * 2) * x, (V,), "calls held"),
    "a checkpoint of containers": (
        lambda x: checkpoint(lambda p: {"y": p["a"] * p["b"]})({"a": x, "b": np.sin(x)})["y"],
        (V,),
        "calls held",
    ),
    "series of examples, one at zero": (
        lambda x: vmap(
            lambda t: higher_derivatives(lambda y: np.sqrt(y * y + x[0]) * y * y, t, 3)[2]
        )(np.array([0.0, 1.0])),
        (V**2,),
        "calls once",
    ),
    "slopes of determinants, one of them zero": (
        lambda x: vmap(grad(np.linalg.det))(np.stack([np.outer(x, x), np.diag(x)])),
        (V,),
        "calls guarded once",
    ),
    "own namespace": (own_namespace, (V,), "calls"),
    "computed twice in a checkpoint": (
        lambda x: checkpoint(computed_twice)(x),
        (V,),
        "calls writes",
    ),
    "captured by checkpoints": (captured_by_checkpoints, (V,), "calls"),
    "gradient in place": (lambda x: grad(written_in_place)(x), (V,), "calls"),
    "tangent in place": (lambda x: jvp(written_in_place, (x[::-1],), (V,))[1], (V,), "calls"),
    "curvature in place": (lambda x: hvp(written_in_place, x, V), (V,), "calls"),
    "perturbations, forward": (
        lambda x: x * jvp(lambda y: x * y * y, (x,), (V,))[1],
        (V,),
        "calls",
    ),
    "perturbations, three deep": (
        lambda x: x * grad(lambda y: y * grad(lambda z: np.sum(x * y * z**2))(5.0))(2.0),
        (V,),
        "calls",
    ),
    "perturbations": (lambda x: x * grad(lambda y: np.sum(x * y * y))(x), (V,), "calls"),
    "perturbations in a list": (
        lambda x: grad(lambda y: np.sum(np.concatenate([x, y * y]) ** 2))(x * x),
        (V,),
        "calls",
    ),
    "a write of two levels": (of_two_levels, (V,), "calls writes"),
    "written by an inner level": (written_by_an_inner_level, (V,), "calls writes inner"),
    "captured by a pullback": (captured_by_a_pullback, (V,), "calls writes held"),
    "captured by linear maps": (captured_by_linear_maps, (V,), "calls writes"),
    "buffers for SciPy": (buffers_for_scipy, (V,), "calls writes"),
    "places to write": (places_to_write, (V,), "calls writes"),
    "an older view": (older_view(lambda y: y[1:]), (V,), "calls writes inner"),
    "an older raveled view": (older_view(lambda y: y.ravel()[1:]), (V,), "calls writes inner"),
    "an older name": (older_view(lambda y: y), (V,), "calls writes inner"),
    "shared weights": (shared_weights, (V,), "calls writes"),
    "a root that is the start": (
        lambda x: optimize.newton(
            lambda y: y**3 + y - x, np.float64(1.0), fprime=lambda y: 3 * y * y + 1, tol=1e-13
        ),
        (2.0,),
        "solver number guarded",
    ),
    "rules of one mode": (of_one_mode, (V,), ""),
    "special functions": (
        lambda x: special.gammaln(x) + special.expit(x) * special.j0(x),
        (V,),
        "",
    ),
    "small integers": (
        lambda x: np.stack(
            [
                *(WHOLE**x, np.float_power(WHOLE, x), np.arctan2(WHOLE, x), np.arctan2(x, WHOLE)),
                *(np.hypot(WHOLE, x), np.logaddexp(x, WHOLE), np.interp(x, [0.0, 2.0], WHOLE)),
                np.interp(50.0, WHOLE[::-1], x) * x,
                *(np.polyval(WHOLE, x), np.polyval(WHOLE > 9, x)),
            ]
        ),
        (PAIR,),
        "",
    ),
    "small integers, of SciPy": (
        lambda x: np.stack(
            [
                *(special.xlogy(x, WHOLE), special.xlog1py(x, WHOLE), special.powm1(WHOLE, x)),
                *(special.rel_entr(WHOLE, x), special.rel_entr(x, WHOLE)),
                *(special.inv_boxcox(x, WHOLE), special.elliprd(x, WHOLE, WHOLE)),
                *(special.stdtr(WHOLE, x), special.gammainc(WHOLE, x), special.ive(WHOLE, x)),
                *(stats.beta.mean(WHOLE, x), stats.gamma.logcdf(WHOLE, x, 0, 100.0)),
                linalg.lstsq(np.array([[2, 1], [1, 3], [4, 4]]), x[[0, 1, 0]], cond=1e-9)[0],
            ]
        ),
        (PAIR,),
        "twice textless",
    ),
    "log of sums": (lambda x: special.logsumexp(x) * special.softmax(x), (V,), ""),
    "densities": (
        lambda x: stats.norm.logpdf(x, 0.3, x[0]) + stats.gamma.logpdf(x, 2.0),
        (V,),
        "textless",
    ),
    "exponential": (lambda x: linalg.expm(np.outer(x, V) * 0.2), (V,), ""),
    "triangular": (
        lambda x: linalg.solve_triangular(np.tril(np.outer(x, x)) + np.eye(3), x, lower=True),
        (V,),
        "",
    ),
    "smoothed": (lambda x: ndimage.gaussian_filter1d(x**2, 1.0), (V,), ""),
    "filtered": (lambda x: signal.lfilter([1.0, 0.3], [1.0, -0.5], x) * x, (V,), ""),
    "cosines": (lambda x: fft.dct(x) ** 2, (V,), ""),
    "spline": (
        lambda x: interpolate.CubicSpline(np.arange(3.0), x)(np.array([0.4, 1.6])),
        (V,),
        "",
    ),
}
