"""What rules refuse: a call, the class of its error, and its words or attributes."""

import math
from functools import partial

import numpy as np
import pytest
from numpy.polynomial import chebyshev, polynomial, polyutils
from scipy import linalg, ndimage, signal, special, stats

from chainrules_py import BatchingError, NoRuleError, NotDifferentiableError, batched, rrule
from chainrules_py.errors import NotImplementedTangentError, OptionError
from chainrules_py.projection.dense import dense_space
from chainrules_py.rulesets.formulas.jets import derivative
from chainrules_py.rulesets.formulas.reducing import spread_over
from chainrules_py.tangents import ZERO, Tangent
from chainrules_py.values.identity import takes
from chainrules_samples.scipy.stats import DIRICHLET, NORMAL, STUDENT
from chainrules_tape import grad, jvp, vjp, vmap
from chainrules_tape.scipy import stats as traced

ONES, SQUARE, IMAGE = np.ones(3), np.eye(4) + 0.1, np.cos(np.arange(20.0)).reshape(4, 5)
X, UNKNOWN = np.array([0.4, -0.3]), np.frompyfunc(float, 1, 1)
NORMALS = stats.multivariate_normal
LINE, REAL_PARTS = "one polynomial at a time", "pass their real parts"
REDUCTIONS = (
    *(np.sum, np.mean, np.prod, np.max, np.min, np.ptp),
    *(np.nansum, np.nanmean, np.nanprod, np.nanmax, np.nanmin),
)


def pulled(seed, primal, *args, **options):
    """Call the pullback of a rule."""
    return lambda: rrule(primal, *args, **options)[1](seed)


def ruled(primal, *args, **options):
    return partial(rrule, primal, *args, **options)


def all_ones(y):
    return Tangent[type(y)](*map(np.ones_like, y))


# the call, the class, and the words or attributes
ROWS = {
    # --- options ---
    "einsum": (ruled(np.einsum, "i->", ONES, dtype="f"), OptionError, {"option": "dtype"}),
    **{
        f"{primal.__name__}, out": (
            *(ruled(primal, ONES, out=np.zeros(())), OptionError),
            {"option": "out"},
        )
        for primal in (*REDUCTIONS, np.fft.fft)
    },
    "pinv": (ruled(np.linalg.pinv, SQUARE, tol=1e-3), OptionError, {"option": "tol"}),
    "chebfit, full": (
        *(ruled(chebyshev.chebfit, ONES, ONES, deg=1, full=True), OptionError),
        {"option": "full"},
    ),
    "chebfit, rcond": (
        *(ruled(chebyshev.chebfit, ONES, ONES, deg=1, rcond=1e-3), OptionError),
        {"option": "rcond"},
    ),
    "solve, in place": (
        ruled(linalg.solve, SQUARE, ONES, overwrite_a=True),
        OptionError,
        "overwrite_a",
    ),
    "eigh, type": (ruled(linalg.eigh, SQUARE, SQUARE, type=2), OptionError, "type"),
    "qr of SciPy": (ruled(linalg.qr, SQUARE[:, :2]), NotDifferentiableError, "economic"),
    "polar": (ruled(linalg.polar, SQUARE[:2]), NotDifferentiableError, "side='left'"),
    "too many": (ruled(np.maximum.accumulate, ONES, 0, None, None, 1), TypeError, "axis dtype out"),
    "trans": (
        *(pulled(SQUARE, linalg.solve_triangular, SQUARE, SQUARE, trans="H"), ValueError),
        "2 or 'C' for its adjoint",
    ),
    **{
        f"{function.__name__}, axes": (
            *(pulled(IMAGE, function, IMAGE, axes=(1, 0), **options), OptionError),
            r"pass axes=\(0, 1\), and the values in this order",
        )
        for function, options in (
            (ndimage.median_filter, {"footprint": np.array([[0, 1, 1], [1, 1, 0]])}),
            (ndimage.maximum_filter, {"size": (2, 3)}),
            (ndimage.gaussian_laplace, {"sigma": (0.5, 0.8)}),
        )
    },
    "gmean": (
        pulled(1.0, stats.gmean, SQUARE, axis=()),
        ValueError,
        "write axis=None for all entries",
    ),
    "a rate": (
        *(lambda: grad(lambda s: traced.gamma.pdf(1.0, 2.0, rate=s))(1.5), OptionError),
        "parameters once: x, a, loc, scale",
    ),
    **{
        f"{name} twice": (ruled(method, *args, **{name: 1.0}), OptionError, "parameters once")
        for method, args, name in (
            *((stats.norm.logpdf, (0.5,), "x"), (stats.gamma.cdf, (0.5, 2.0), "a")),
            *((stats.norm.pdf, (0.5, 0.1), "loc"), (stats.norm.mean, (0.5,), "loc")),
        )
    },
    # --- shapes and values ---
    "fftn, axes": (
        *(pulled(np.ones((2, 3), complex), np.fft.fftn, np.ones((2, 3)), s=(2, 2), axes=(0, 0)),),
        *(NotDifferentiableError, {"argument": "axes"}),
    ),
    "another shape": (
        lambda: spread_over(
            np.ones(5), dense_space(np.ndarray, (2, 3), np.dtype(float)), 0, False, np
        ),
        *(ValueError, "reshape"),
    ),
    "matmul in lanes": (
        *(lambda: vmap(lambda x: x @ np.ones((4, 2, 2)))(np.ones((5, 3, 3))), ValueError),
        "matmul",
    ),
    "dist in lanes": (
        *(lambda: batched(math.dist, (True, True), SQUARE, SQUARE[:, :2]), ValueError),
        "same number of dimensions",
    ),
    "outer": (ruled(np.linalg.outer, SQUARE, ONES), ValueError, r"numpy\.linalg"),
    "cross": (ruled(np.linalg.cross, np.ones(2), np.ones(2)), ValueError, r"numpy\.linalg"),
    "put in lanes": (
        lambda: batched(np.put, (True, True, False), np.zeros((2, 3)), np.array([[0], [3]]), 1.0),
        *(IndexError, "out of bounds"),
    ),
    **{
        f"polydiv, {name}": (call, NotDifferentiableError, LINE)
        for name, call in (
            ("reverse", lambda: vjp(np.polydiv, SQUARE, ONES)),
            ("forward", lambda: jvp(np.polydiv, (SQUARE, ONES), (SQUARE, ONES))),
        )
    },
    **{
        spline.__name__: (
            *(pulled(np.ones(6), spline, np.ones((1, 6))), ValueError),
            "pass one with one axis",
        )
        for spline in (signal.cspline1d, signal.qspline1d)
    },
    "variance": (
        *(pulled(1.0, ndimage.variance, SQUARE + 0j), TypeError),
        "add the variances of their real and imaginary parts",
    ),
    **{
        f"{density.__name__} of complex": (pulled(1.0, density, *args), TypeError, REAL_PARTS)
        for density, args in (
            (NORMAL.logpdf, (NORMALS, X + 0j, X)),
            (STUDENT.pdf, (stats.multivariate_t, X, X + 0j)),
            (NORMAL.entropy, (NORMALS, X, np.eye(2) + 0j)),
            (DIRICHLET.logpdf, (stats.dirichlet, np.array([0.3, 0.7]) + 0j, np.array([2.0, 1.5]))),
        )
    },
    "entropy": (
        pulled(1.0, NORMAL.entropy, NORMALS, X, np.array([1.5])),
        ValueError,
        "a mean of 2 numbers",
    ),
    "tol": (ruled(polyutils.trimcoef, ONES, tol=-1), ValueError, "tol"),
    "roots of other degrees": (
        lambda: batched(
            polynomial.polyroots, (True,), np.array([[1.0, 2.0, 3.0], [1.0, 4.0, 0.0]])
        ),
        *(BatchingError, "shapes"),
    ),
    # --- no derivative there ---
    "qr, dependent": (
        lambda: pulled(all_ones(np.linalg.qr(np.eye(2))), np.linalg.qr, np.diag([1.0, 0.0]))(),
        *(np.linalg.LinAlgError, ""),
    ),
    "slogdet": (
        lambda: pulled(
            Tangent[type(np.linalg.slogdet(SQUARE))](ZERO, 1.0), np.linalg.slogdet, np.zeros((2, 2))
        )(),
        *(np.linalg.LinAlgError, ""),
    ),
    "schur": (pulled((np.ones((2, 2)), ZERO), linalg.schur, np.eye(2)), np.linalg.LinAlgError, ""),
    "inv": (ruled(linalg.inv, np.full((2, 2), np.nan)), ValueError, "infs or NaNs"),
    "a singular covariance": (
        lambda: grad(
            lambda c: traced.multivariate_normal.logpdf(np.ones(2), None, c, allow_singular=True)
        )(np.ones((2, 2))),
        *(OptionError, "subspace"),
    ),
    "a probability of a box": (
        lambda: grad(lambda x: traced.multivariate_normal.cdf(x, lower_limit=-X))(X),
        *(OptionError, "at its corners"),
    ),
    "a covariance": (
        lambda: grad(lambda x: traced.multivariate_normal.logpdf(x, None, np.ones((2, 2))))(X),
        *(np.linalg.LinAlgError, ""),
    ),
    # --- no formula ---
    "nct": (
        *(
            lambda: grad(lambda df: traced.nct.logpdf(0.5, df, 0.3))(4.0),
            NotImplementedTangentError,
        ),
        r"scipy\.stats\.nct by df",
    ),
    "struve": (
        *(lambda: grad(lambda v: special.struve(v, 1.3))(0.5), NotImplementedTangentError),
        "order",
    ),
    "gammainc": (
        lambda: grad(grad(grad(lambda a: special.gammainc(a, 1.3))))(0.5),
        *(NotImplementedTangentError, "third derivative"),
    ),
    "jve": (
        lambda: vjp(lambda z: special.jve(1.3, z), 1.0 + 2j)[1](1.0 + 0j),
        *(NotImplementedTangentError, "complex"),
    ),
    "a function without a rule": (
        *(lambda: derivative(lambda x: x * UNKNOWN(x), ONES, 1, np), NoRuleError),
        {"primal": UNKNOWN},
    ),
}
if not takes(np.sort, "descending"):  # since NumPy 2.5
    ROWS["sort"] = ruled(np.sort, np.ones(2), descending=True), OptionError, "descending"


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.filterwarnings("ignore")
def test_refused(name):
    call, error, said = ROWS[name]
    with pytest.raises(error, match=said if said and isinstance(said, str) else None) as caught:
        call()
    if isinstance(said, dict):
        assert {attribute: getattr(caught.value, attribute) for attribute in said} == said
