"""Programs that differentiate, or call functions that take functions: SciPy's solvers and integrals."""

import numpy as np

import chainrules_tape.numpy as tnp
from chainrules_py import implicit_function
from chainrules_tape import (
    checkpoint,
    grad,
    hessian,
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
    integrate,
    interpolate,
    linalg,
    ndimage,
    optimize,
    signal,
    special,
    stats,
)

V = np.array([0.5, 1.3, 0.8])
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


ROWS = {
    "gradient": (lambda x: grad(loss)(x) * x, (V,), "calls"),
    "pullback": (lambda x: vjp(np.sin, x)[1](x)[0], (V,), "calls"),
    "tangent": (lambda x: jvp(loss, (x,), (np.cos(x),))[1], (V,), "calls"),
    "linearized": (lambda x: linearize(np.sin, x)[1](x), (V,), "calls"),
    "matrix of slopes": (lambda x: jacobian(np.cumsum)(x) @ x, (V,), "calls"),
    "curvature": (lambda x: np.trace(hessian(loss)(x)), (V,), "calls rough"),
    "curvature along": (lambda x: hvp(loss, x, x), (V,), "calls rough"),
    "coefficients": (lambda x: taylor(loss, x, 2, V)[2], (V,), "calls rough"),
    "lanes": (lambda x: vmap(lambda t: t * x[0] + np.sin(t))(x), (V,), "calls"),
    "gradients in lanes": (lambda x: vmap(grad(lambda t: np.sin(t) * x[1]))(x), (V,), "calls"),
    "stopped gradient": (lambda x: x * np.sum(stop_gradient(V)), (V,), "calls"),
    "again": (lambda x: checkpoint(np.sin)(x * 2) * x, (V,), "calls"),
    "perturbations": (lambda x: x * grad(lambda y: np.sum(x * y * y))(x), (V,), "calls"),
    "a write of two levels": (of_two_levels, (V,), "calls writes"),
    "an older view": (older_view(lambda y: y[1:]), (V,), "calls writes inner"),
    "an older raveled view": (older_view(lambda y: y.ravel()[1:]), (V,), "calls writes inner"),
    "an older name": (older_view(lambda y: y), (V,), "calls writes inner"),
    "shared weights": (shared_weights, (V,), "calls writes"),
    "root": (
        lambda x: optimize.brentq(lambda y: y**3 + y - x[0], -4.0, 4.0, xtol=1e-14) * x[1],
        (V,),
        "solver",
    ),
    "a root that is the start": (
        lambda x: optimize.newton(
            lambda y: y**3 + y - x, np.float64(1.0), fprime=lambda y: 3 * y * y + 1, tol=1e-13
        ),
        (2.0,),
        "solver number",
    ),
    "system": (
        lambda x: optimize.root(lambda y: y + 0.1 * y**3 - x, V, tol=1e-13).x,
        (V,),
        "solver",
    ),
    "minimum": (
        lambda x: (
            optimize.minimize(
                lambda y: np.sum((y - x) ** 2 + 0.1 * y**4),
                V,
                jac=lambda y: 2 * (y - x) + 0.4 * y**3,
                tol=1e-8,
            ).x
        ),
        (V,),
        "solver rough",
    ),
    "equation": (
        lambda x: implicit_function(fixed, lambda y, x: y + 0.1 * np.sin(y) - x)(x),
        (V,),
        "solver",
    ),
    "integral of a function": (
        lambda x: integrate.quad(lambda t: np.exp(-x[0] * t) * x[1], 0.0, x[2])[0],
        (V,),
        "solver",
    ),
    "solution": (
        lambda x: integrate.solve_ivp(
            lambda t, y: -x[0] * y + np.sin(t * x[1]), (0.0, 1.0), x[2:], rtol=1e-10, atol=1e-12
        ).y[0, -1],
        (V,),
        "solver rough counts",
    ),
    "special functions": (
        lambda x: special.gammaln(x) + special.expit(x) * special.j0(x),
        (V,),
        "",
    ),
    "log of sums": (lambda x: special.logsumexp(x) * special.softmax(x), (V,), ""),
    "densities": (lambda x: stats.norm.logpdf(x, 0.3, x[0]) + stats.gamma.logpdf(x, 2.0), (V,), ""),
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


def fixed(x):
    y = np.array(x)
    for _ in range(40):
        y = x - 0.1 * np.sin(y)
    return y
