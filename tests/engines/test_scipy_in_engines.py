"""SciPy's solvers, integrals, interpolants and functions on the arrays of an engine, which then
differentiates: slopes are those of differences.
"""

import numpy as np
import pytest

from chainrules_tape.scipy import integrate, interpolate, linalg, optimize, spatial, special, stats
from engines_by_name import close, ways_of
from slopes import quotients

pytestmark = pytest.mark.usefixtures("double_precision")
X, KNOTS = np.array([0.3, 1.2, 0.7, 2.1, 0.4]), np.arange(5.0)


def by_args(x):
    def slope(t, y, rate):
        return -rate * y

    times = {"t_span": (0.0, 1.0), "t_eval": [0.0, 1.0]}
    return integrate.solve_ivp(slope, y0=KNOTS[1:3], args=(x[0],), **times, **CLOSELY).y[0, -1]


CLOSELY = {"rtol": 1e-9, "atol": 1e-12}
SOLVED = {
    "equation, by args": by_args,
    "brentq": lambda x: optimize.brentq(lambda t, p: t**3 - p, 0.0, 2.0, args=(x[0],)),
    "brentq of a closure": lambda x: optimize.brentq(lambda t: t**3 - x[0], 0.0, 2.0),
    "root": lambda x: np.sum(optimize.root(lambda t, p: t**3 - p, 1 * x, args=(x,)).x),
    "quad with args": lambda x: integrate.quad(
        lambda t, b: np.exp(-b * t), 0.0, x[0], args=(x[1],)
    )[0],
    "functions": lambda x: (
        np.sum(stats.norm.logpdf(x, x[0], 2.0))
        + special.logsumexp(x) * np.sum(special.gammaln(x)) * linalg.expm(x[:2, None] * x[:2])[0, 1]
    ),
    "distances": lambda x: (
        spatial.distance.cdist(x[:, None], x[:, None] ** 2)[0, 1] * spatial.distance.cosine(x, x**2)
    ),
    "CubicSpline": lambda y: interpolate.CubicSpline(KNOTS, y)(1.5),
    "grid": lambda y: interpolate.RegularGridInterpolator((KNOTS,), y)(np.array([[1.25]]))[0],
    "at points": lambda y: interpolate.CubicSpline(KNOTS, KNOTS**2)(y)[1],
}


# Of PyTorch's tensors NumPy makes no sums, and its transformations have no part of a result alone.
OF_TENSORS = {
    *("equation, by args", "brentq", "brentq of a closure", "CubicSpline"),
    *("grid", "at points", "distances"),
}
ASKED = {"torch": OF_TENSORS, "autograd": {"equation, by args", "brentq", "brentq of a closure"}}


@pytest.mark.one_in(3)
@ways_of()
@pytest.mark.parametrize("name", SOLVED)
def test_slopes(engine, way, name):
    has_more_results = name.startswith(("quad", "root"))  # without a tangent
    if name not in ASKED.get(engine.name, SOLVED) or ("forward" in way and has_more_results):
        pytest.skip("not asked of this engine")
    program = SOLVED[name]
    close(engine.tower(way, program)(engine.array(X)), quotients(program, X, 1e-5), 2e-6)
