"""Interpolants of SciPy's by knots, values and points at once, and by one of them alone."""

import numpy as np
from scipy.sparse.linalg import spsolve

from chainrules_tape.scipy import interpolate

X = np.array([0.0, 0.7, 1.1, 2.0, 2.4, 3.1, 3.5, 4.2])
Y = np.cos(2.0 * np.arange(16.0)).reshape(8, 2)
INSIDE, OUTSIDE = np.array([0.25, 0.84, 1.66, 3.95]), np.array([-0.27, 0.3, 1.7, 4.5])
ENDS = ((1, np.array([0.3, 0.1])), (2, np.array([0.7, -0.2])))


def made(name, *more, **options):
    """Interpolants of a class, by the options of the class."""
    return lambda x, y: getattr(interpolate, name)(x, y, *more, **options)


def at(make, points=INSIDE, *of):
    return lambda x, y, p: make(x, y)(points + p, *of)


def integrals(make, *limits):
    """Integrals, by their limits as well, antiderivatives and derivatives."""

    def values(x, y, p):
        spline = make(x, y)
        parts = [
            spline.integrate(limits[0] + p[0], limits[1] + p[1]),
            spline.antiderivative()(INSIDE + p),
            spline.derivative(-2)(1.2),
            spline.derivative()(INSIDE + p),
        ]
        return np.concatenate([np.ravel(part) for part in parts])

    return values


def closed(make, points=OUTSIDE):
    """Values of which the last is the first, as a period wants them."""
    return lambda x, y, p: make(x, np.concatenate([y[:-1], y[:1]]))(points + p)


def on_grid(nu=None, **options):
    def values(x, y, p):
        table = np.outer(y[:, 0], np.cos(X))
        spline = interpolate.RegularGridInterpolator((x, X), table, **options)
        return spline(np.stack([INSIDE + p, 0.3 + 0.4 * INSIDE], -1), nu=nu)

    return values


def nodes(x, p):
    """Points of the plane, which move with the knots."""
    return np.stack([x * np.cos(2 * X), np.sin(x + X)], -1), np.stack([p + 0.1, 0.3 * p + 0.2], -1)


def radial(**options):
    def values(x, y, p):
        centres, points = nodes(x, p)
        return interpolate.RBFInterpolator(centres, y, **options)(points)

    return values


def by_parameters(kernel):
    def values(x, y, p):
        options = {"smoothing": 0.2 + p[0], "epsilon": 0.9 + p[1], "kernel": kernel, "degree": 2}
        return interpolate.RBFInterpolator(nodes(X, p)[0], y, **options)(nodes(X, X[:3])[1])

    return values


KERNELS = (
    *("linear", "thin_plate_spline", "cubic", "quintic", "multiquadric"),
    *("inverse_multiquadric", "inverse_quadratic", "gaussian"),
)


CORNERS = np.array([[0.0, 0.0], [1.0, 0.1], [0.1, 1.0], [1.1, 1.2], [0.5, 0.45]])
AMONG = np.array([[0.3, 0.2], [0.8, 0.7], [0.45, 0.9], [9.0, 9.0]])


def scattered(rescale):
    def values(x, y, p):
        corners = CORNERS + 0.1 * np.stack([x[:5] - X[:5], y[:5, 1]], -1)
        made = interpolate.LinearNDInterpolator(corners, y[:5], 0.5, rescale=rescale)
        return made(AMONG + 0.1 * p[:, None])

    return values


def griddata(method, rescale):
    return lambda x, y, p: interpolate.griddata(
        CORNERS, y[:5], tuple(AMONG[:3].T), method, rescale=rescale
    )


def filled(kind):
    def values(x, y, p):
        options = {"fill_value": (y[0], y[1]), "bounds_error": False, "axis": 0}
        return interpolate.interp1d(X, y, kind, **options)(OUTSIDE + p)

    return values


def fit(k, der=0, ext=0, points=INSIDE, **options):
    def values(x, y, p):
        spline = interpolate.splrep(x, y[:, 0], k=k, **options)
        return interpolate.splev(points + p, spline, der, ext)

    return values


def fit_on_knots(k):
    def values(x, y, p):
        options = {"xb": x[0] - 0.2, "xe": x[-1] + 0.3 + p[1], "t": np.stack([1.6 + p[0]]), "k": k}
        return interpolate.splev(INSIDE, interpolate.splrep(x, y[:, 0], 1.5 + y[:, 1], **options))

    return values


def of_triple(evaluate):
    def values(x, y, p):
        knots = np.concatenate([X[:1]] * 4 + [x[2:6]] + [X[-1:]] * 4)
        return np.reshape(evaluate((knots, np.concatenate([y[:, 0], np.zeros(4)]), 3), p), -1)

    return values


def b_spline(points=INSIDE, *of, **options):
    def values(x, y, p):
        made = interpolate.BSpline(np.concatenate([x, x[:4] + 5.0]), y[:, 0], 3, **options)
        return made(points + p, *of)

    return values


def of_line(name="InterpolatedUnivariateSpline", points=INSIDE, *of, **options):
    """A spline of FITPACK's, by its data and the points of a call."""

    def values(x, y, p):
        given = {part: f(x, y, p) if callable(f) else f for part, f in options.items()}
        return getattr(interpolate, name)(x, y[:, 0], **given)(points + p, *of)

    return values


def of_surface(evaluate, **options):
    """A surface of FITPACK's, whose grid ends beyond the places of some points."""

    def values(x, y, p):
        table = np.outer(y[:, 0], np.cos(X)) + y[:, 1]
        spline = interpolate.RectBivariateSpline(x, X - 0.1 * x, table, **options)
        return np.ravel(evaluate(spline, OUTSIDE + p, 0.3 + 0.4 * INSIDE * (1 + p)))

    return values


def calculus_of_line(x, y, p):
    """Integrals and derivatives of a spline of FITPACK's."""
    spline = interpolate.UnivariateSpline(x, y[:, 0], s=0, k=4, ext=3)
    parts = [
        spline.integral(-0.4 + p[0], 3.1 + p[1]),
        spline.antiderivative()(INSIDE + p),
        spline.derivative(2)(OUTSIDE + p),
        spline.derivatives(1.3 + p[2]),
    ]
    return np.concatenate([np.ravel(part) for part in parts])


def calculus_of_surface(spline, x, y):
    """Integrals and derivatives of a surface of FITPACK's."""
    parts = [
        spline.integral(x[0], x[2], y[1], 4.7),
        spline.partial_derivative(1, 2).ev(x, y),
        spline(x, y, dx=1),
        spline.ev(x[1:3], y[1:3], 3, 1),
    ]
    return np.concatenate([np.ravel(part) for part in parts])


def smoothed(x, y, p):
    """The spline of a penalty, its integrals and slopes."""
    spline = interpolate.make_smoothing_spline(x, y, np.exp(y[:, 1]), lam=0.3 + p[0])
    parts = [
        spline(OUTSIDE + p),
        spline.integrate(0.4 + p[1], 5.0 + p[2]),
        spline.integrate(3.0, -1.0, extrapolate=False),
        spline.derivative()(INSIDE),
        spline.antiderivative(2)(INSIDE + p),
    ]
    return np.concatenate([np.ravel(part) for part in parts])


CUBIC = {
    "cubic": made("CubicSpline"),
    "cubic, natural": made("CubicSpline", bc_type="natural"),
    "cubic, clamped": made("CubicSpline", bc_type="clamped"),
    "cubic, slopes at ends": made("CubicSpline", bc_type=ENDS),
    "cubic, mixed ends": made("CubicSpline", bc_type=("not-a-knot", ENDS[0]), extrapolate=False),
    "pchip": made("PchipInterpolator"),
    "akima": made("Akima1DInterpolator"),
    "makima": made("Akima1DInterpolator", method="makima", extrapolate=True),
    "hermite": lambda x, y: interpolate.CubicHermiteSpline(x, y.T, np.cos(y).T, axis=1),
}
ANY = {
    "last axis": lambda x, y: interpolate.CubicSpline(x, y.T, axis=-1),
    "barycentric": made("BarycentricInterpolator"),
    "krogh": lambda x, y: interpolate.KroghInterpolator(x, y.T, axis=-1),
    "three axes": lambda x, y: interpolate.CubicSpline(x, np.stack([y, 2 * y], -1)),
    **{f"degree {k}": made("make_interp_spline", k) for k in (1, 2, 3, 5)},
    **{
        f"interp1d, {kind}": made("interp1d", kind, axis=0)
        for kind in ("linear", "slinear", "quadratic", "cubic", 5)
    },
}
FILLED = ("nearest", "zero", "previous", "next", "linear")
BY_ALL = {
    **{name: at(make) for name, make in {**CUBIC, **ANY}.items()},
    **{f"{name}, curvature": at(make, INSIDE, 2) for name, make in CUBIC.items()},
    "cubic, outside": at(CUBIC["cubic"], OUTSIDE, 1),
    **{
        f"{name}, {count} points": lambda x, y, p, make=CUBIC[name], count=count: make(
            x[:count], y[:count]
        )(p + 0.1)
        for name, count in (("cubic", 2), ("pchip", 2), ("cubic", 3), ("pchip", 3), ("akima", 3))
    },
    "coefficients": lambda x, y, p: interpolate.PPoly(np.reshape(y, (4, 4))[:, 1:], x[:4], axis=0)(
        INSIDE + p, 1
    ),
    **{f"interp1d, {kind}, filled": filled(kind) for kind in FILLED},
    **{f"grid, {method}": on_grid(method=method) for method in ("linear", "nearest")},
    **{f"radial, {kernel}": radial(kernel=kernel, epsilon=0.8) for kernel in KERNELS},
    "radial, neighbors": radial(neighbors=5),
    "radial, smoothed": radial(smoothing=0.1),
    **{f"parameters, {kernel}": by_parameters(kernel) for kernel in KERNELS},
    "scattered": scattered(False),
    "scattered, rescaled": scattered(True),
    "griddata": griddata("linear", True),
    "griddata, nearest": griddata("nearest", False),
    "knots of a triple": of_triple(lambda t, p: interpolate.splev(OUTSIDE + p, t, 1)),
    "knots of an integral": of_triple(lambda t, p: interpolate.splint(0.4 + p[0], 3.7 + p[1], t)),
    "knots": b_spline(INSIDE, 1),
    "knots of a period": b_spline(OUTSIDE, extrapolate="periodic"),
    "knots, a high derivative": b_spline(X[3:7] + 0.17, 3),
}
INTEGRALS = {
    **{
        f"{name}, integrals": integrals(make, 0.9, 3.3)
        for name, make in CUBIC.items()
        if name != "hermite"
    },
    "limits backwards": integrals(CUBIC["pchip"], 3.3, 0.9),
    "periods of pchip": integrals(made("PchipInterpolator", extrapolate="periodic"), -0.6, 9.4),
}
FITS = {
    "triple, a polynomial": fit(3, s=100.0),
    **{f"fit, degree {k}": fit_on_knots(k) for k in (1, 2, 3)},
}
FITPACKS = {
    **{f"triple, degree {k}": fit(k) for k in range(1, 6)},
    **{f"triple, ext={ext}": fit(3, ext=ext, points=OUTSIDE) for ext in (0, 1, 3)},
    "triple, slope": fit(3, 1),
    "triple, all points": fit(2, s=0.0),
    "FITPACK, degree 5": of_line(k=5),
    **{
        f"FITPACK, ext={ext}": of_line("UnivariateSpline", OUTSIDE, s=0, ext=ext)
        for ext in ("extrapolate", "zeros", 3)
    },
    "FITPACK, slope": of_line("UnivariateSpline", INSIDE, 1, s=0.0, bbox=(-0.5, 5.0)),
    "FITPACK, least squares": of_line(
        "LSQUnivariateSpline",
        t=lambda x, y, p: np.stack([1.6 + p[0]]),
        w=lambda x, y, p: 2 + y[:, 1],
    ),
    "FITPACK, calculus": calculus_of_line,
    "surface, pairs": of_surface(lambda spline, x, y: spline.ev(x, y)),
    "surface, a grid": of_surface(lambda spline, x, y: spline(x, y), kx=1, ky=2),
    "surface, calculus": of_surface(calculus_of_surface, kx=5, ky=4),
    "surface, of degree 1": of_surface(lambda spline, x, y: spline(x, y, grid=False), kx=1, ky=1),
    "smoothed": smoothed,
    **{
        f"degree 3, {bc}": at(made("make_interp_spline", bc_type=bc))
        for bc in ("natural", "clamped", "not-a-knot")
    },
}
PLAIN_LINE = interpolate.UnivariateSpline(X, Y[:, 0], s=0.1, ext=3)
PLAIN_SURFACE = interpolate.RectBivariateSpline(X, X, np.outer(Y[:, 0], Y[:, 1]), kx=2, s=0.1)
PLAIN_SPLINE = interpolate.make_smoothing_spline(X, Y, axis=0)
PLAIN_SPHERE = interpolate.RectSphereBivariateSpline(
    X[1:-1] / 2, X[1:-1], np.outer(Y[1:-1, 0], Y[1:-1, 1])
)
BY_POINTS = {
    "sphere, made before": lambda x, y, p: PLAIN_SPHERE.ev(0.6 + p, INSIDE * (1 + p), dphi=1),
    "FITPACK, made before": lambda x, y, p: PLAIN_LINE(OUTSIDE + p),
    "FITPACK, derivatives made before": lambda x, y, p: PLAIN_LINE.derivative()(OUTSIDE + p),
    "surface, made before": lambda x, y, p: PLAIN_SURFACE(OUTSIDE + p, INSIDE + p, dy=1),
    "surface, pairs made before": lambda x, y, p: PLAIN_SURFACE.ev(OUTSIDE + p, INSIDE),
    "surface, a triple": lambda x, y, p: interpolate.bisplev(
        OUTSIDE + p, 1.2 + p[1], [*PLAIN_SURFACE.tck, 2, 3], 1, 1
    ),
    "integral made before": lambda x, y, p: PLAIN_SPLINE.integrate(p[0], 3.3 + p[1]),
    "a slope made before": lambda x, y, p: PLAIN_SPLINE.derivative()(INSIDE + p),
}
BY_LIMITS = {
    "FITPACK, integral made before": lambda x, y, p: PLAIN_LINE.integral(-0.3 + p[0], 2 + p[1]),
    "surface, integral made before": lambda x, y, p: PLAIN_SURFACE.integral(
        p[0] - 9, 2.0, 1 + p[1], 9
    ),
}
BY_VALUES = {
    "cubic, a period": closed(made("CubicSpline", bc_type="periodic")),
}
DIRECT = {
    **{
        f"grid, {method}": on_grid(method=method, solver=spsolve)
        for method in ("slinear", "cubic", "quintic")
    },
    "grid, slopes": on_grid((1, 0), method="cubic", solver=spsolve),
}


def rows(programs, *moving, marks=""):
    """Programs of small steps from knots, values and points; the others stay where they are."""
    steps = {"x": np.zeros(8), "y": np.zeros((8, 2)), "p": np.zeros(4)}

    def program(f):
        def moved(*own):
            x, y, p = (steps | dict(zip(moving, own, strict=True))).values()
            return f(X + 0.1 * x, Y + y, 0.1 * p)

        return moved

    args = tuple(steps[name] for name in moving)
    said = ", ".join(moving)
    return {
        f"interpolant, {name} by {said}": (program(f), args, marks) for name, f in programs.items()
    }


ROWS = {
    **rows(BY_ALL, "x", "y", "p"),
    **rows(FITS, "x", "y", "p", marks="alone"),
    **rows(FITPACKS, "x", "y", "p"),
    **rows(BY_POINTS, "p"),
    **rows(BY_LIMITS, "p", marks="classed"),
    **rows(INTEGRALS, "x", "y", "p", marks="alone"),
    **rows(INTEGRALS, "y", "p"),
    **rows(BY_VALUES, "y", "p"),
    **rows(DIRECT, "y", "p", marks="direct"),
    **rows({"degree 3, a period": closed(made("make_interp_spline", bc_type="periodic"))}, "p"),
    **{
        row: program
        for name, moving in zip([*CUBIC, *ANY], "xyp" * 8, strict=False)
        for row, program in rows({name: BY_ALL[name]}, moving).items()
    },
}
