"""Programs and functions of one number whose derivatives of all orders are searched, besides those
of `special_points`; and where a derivative is further off than the search allows, and why.

A row is as in `special_points`.
"""

from math import inf
from typing import NamedTuple

from special_points import ALL, LINE, MIDDLE, POSITIVE, SYMMETRIC, UNIT, Row

PROGRAMS = [
    Row("np.logaddexp(x, 1.3)", "log(exp(x) + exp(mpf(1.3)))", near=(1.3,)),
    Row("np.logaddexp(1.3, x)", "log(exp(x) + exp(mpf(1.3)))", near=(1.3,)),
    Row("np.logaddexp(x, -x)", "log(exp(x) + exp(-x))"),
    Row("np.logaddexp2(x, 1.3)", "log(2 ** x + 2 ** mpf(1.3), 2)", near=(1.3,)),
    Row("np.logaddexp.reduce(np.stack([x, 0 * x]), axis=0)", "log(1 + exp(x))"),
    Row("np.logaddexp.reduceat(np.stack([x, 0 * x]), [0], axis=0)[0]", "log(1 + exp(x))"),
    Row(
        "np.logaddexp.accumulate(np.stack([x, 0 * x, -x]), axis=0)[-1]", "log(1 + exp(x) + exp(-x))"
    ),
    Row("np.logaddexp2.reduce(np.stack([x, 0 * x]), axis=0)", "log(1 + 2 ** x, 2)"),
    Row("np.logaddexp2.accumulate(np.stack([x, 0 * x]), axis=0)[-1]", "log(1 + 2 ** x, 2)"),
    Row("special.logsumexp(np.stack([x, 0 * x]), axis=0)", "log(1 + exp(x))"),
    Row("special.softmax(np.stack([x, 0 * x]), axis=0)[0]", "1 / (1 + exp(-x))"),
    Row("special.log_softmax(np.stack([x, 0 * x]), axis=0)[0]", "-log(1 + exp(-x))"),
    Row("x * special.expit(x)", "x / (1 + exp(-x))"),
    Row("x / (1 + np.exp(-x))", "x / (1 + exp(-x))"),
    Row("x * np.tanh(np.logaddexp(x, 0.0))", "x * tanh(log(1 + exp(x)))"),
    Row("np.prod(np.stack([x, -x, 2 * x, x]), axis=0)", "-2 * x**4"),
    Row("np.multiply.reduce(np.stack([x, 3 * x, x]), axis=0)", "3 * x**3"),
    Row("np.cumprod(np.stack([x, 3 * x, x]), axis=0)[-1]", "3 * x**3"),
    Row("special.xlogy(x, 2.3 + x)", "x * log(mpf(2.3) + x)", (-0.3, 5.7), (-2.3,)),
    Row("special.xlog1py(x, x)", "x * log(1 + x)", (-0.3, 5.7), (-1,)),
    Row("special.rel_entr(x * x, 2.3)", "x**2 * log(x**2 / mpf(2.3))", POSITIVE, (0,)),
    Row("np.sinc(x) * np.i0(x)", "sincpi(x) * besseli(0, x)"),
]

MORE = [
    Row("np.multiply(x, 0.7 * x)", "mpf(0.7) * x * x"),
    Row("np.deg2rad(x) * x", "x * x * pi / 180"),
    Row("special.kelvin(x)[0].real", "ber(0, x)", (0, 7)),
    Row("special.kelvin(x)[0].imag", "bei(0, x)", (0, 7)),
    Row("special.kelvin(x)[2].imag", "(bei(1, x) - ber(1, x)) / sqrt(2)", MIDDLE, (0,), long=True),
    Row("special.kerp(x)", "(ker(1, x) + kei(1, x)) / sqrt(2)", MIDDLE, (0,), long=True),
    Row("special.keip(x)", "(kei(1, x) - ker(1, x)) / sqrt(2)", MIDDLE, (0,), long=True),
    Row("special.hankel2(0.4, x).imag", "-bessely(0.4, x)", MIDDLE, (0,)),
    Row("special.ivp(1, x)", "besseli(1, x, 1)", long=True),
    Row(
        "special.kvp(0.4, x)",
        "-(besselk(mpf(0.4) - 1, x) + besselk(mpf(0.4) + 1, x)) / 2",
        MIDDLE,
        (0,),
        long=True,
    ),
    Row("special.yvp(0.4, x)", "bessely(0.4, x, 1)", MIDDLE, (0,), long=True),
    Row("special.jn(2, x)", "besselj(2, x)"),
    Row("special.iv(0, x)", "besseli(0, x)"),
    Row("special.iv(3, x)", "besseli(3, x)"),
    Row("special.struve(1, x)", "struveh(1, x)"),
    Row("special.modstruve(2, x)", "struvel(2, x)"),
    Row("special.spherical_jn(1, x) + 0 * x", "x / 3 * hyp0f1(2.5, -x * x / 4)", (1e-30, 5.7)),
    Row("special.spherical_in(2, x) + 0 * x", "x * x / 15 * hyp0f1(3.5, x * x / 4)", (1e-30, 5.7)),
    Row("special.eval_hermitenorm(5, x)", "x**5 - 10 * x**3 + 15 * x"),
    Row("special.eval_genlaguerre(2, 0.5, x)", "(x**2 - 5 * x + 15 / mpf(4)) / 2"),
    Row("special.eval_gegenbauer(3, 0.7, x)", "gegenbauer(3, mpf(0.7), x)"),
    Row("special.eval_jacobi(3, 0.4, 0.8, x)", "jacobi(3, mpf(0.4), mpf(0.8), x)"),
    Row("special.eval_sh_legendre(2, x)", "6 * x * x - 6 * x + 1"),
    Row("special.eval_sh_chebyt(2, x)", "8 * x * x - 8 * x + 1"),
    Row("special.eval_sh_chebyu(2, x)", "16 * x * x - 16 * x + 3"),
    Row("special.eval_chebyc(3, x)", "x**3 - 3 * x"),
    Row("special.eval_chebys(3, x)", "x**3 - 2 * x"),
    Row("special.elliprd(x, 0.3, 1.1)", "elliprd(x, 0.3, 1.1)", MIDDLE, (0,)),
    Row("special.elliprd(0.4, 0.3, x)", "elliprd(0.4, 0.3, x)", MIDDLE, (0,)),
    Row("special.chdtrc(5.0, x)", "gammainc(2.5, x / 2, regularized=True)", POSITIVE, (0,)),
    Row(
        "special.gdtr(1.3, 2.5, x)", "gammainc(2.5, 0, mpf(1.3) * x, regularized=True)", UNIT, (0,)
    ),
    Row("special.gdtrc(1.3, 2.5, x)", "gammainc(2.5, mpf(1.3) * x, regularized=True)", UNIT, (0,)),
    Row("special.pdtr(3, x)", "gammainc(4, x, regularized=True)", POSITIVE),
    Row("special.pdtrc(3, x)", "1 - gammainc(4, x, regularized=True)", POSITIVE),
    Row("special.nbdtr(3, 5, x)", "betainc(5, 4, 0, x, regularized=True)", UNIT, near=(1,)),
    Row("special.nbdtrc(3, 5, x)", "1 - betainc(5, 4, 0, x, regularized=True)", UNIT, near=(1,)),
    Row(
        "special.fdtrc(2.5, 4.0, x)",
        "1 - betainc(1.25, 2, 0, 2.5 * x / (4 + 2.5 * x), regularized=True)",
        POSITIVE,
        (0,),
    ),
    Row("special.stdtrit(3.0, special.stdtr(3.0, x))", "x", (-5.7, 2.2)),
    Row("special.gammaincinv(2.5, special.gammainc(2.5, x))", "x", MIDDLE, (0,)),
    Row("special.gammainccinv(2.5, special.gammaincc(2.5, x))", "x", MIDDLE, (0,)),
    Row("special.chdtri(5.0, special.chdtrc(5.0, x))", "x", MIDDLE, (0,)),
    Row("special.fdtri(2.5, 4.0, special.fdtr(2.5, 4.0, x))", "x", MIDDLE, (0,)),
    Row("special.pdtri(3, special.pdtr(3, x))", "x", MIDDLE, (0,)),
    Row("special.betaincinv(2.5, 0.7, special.betainc(2.5, 0.7, x))", "x", (0.1, 0.5), (0, 1)),
    Row("special.betainccinv(2.5, 0.7, special.betaincc(2.5, 0.7, x))", "x", (0.1, 0.5), (0, 1)),
    Row("special.nbdtri(3, 5, special.nbdtr(3, 5, x))", "x", (0.3, 0.5), (0, 1)),
    Row("special.gdtrix(1.3, 2.5, special.gdtr(1.3, 2.5, x))", "x", MIDDLE, (0,)),
    Row("special.kolmogi(special.kolmogorov(x))", "x", (0.5, 0.7)),
    Row("special.modfresnelm(x)[0].real", "' -cos(x * x)", MIDDLE),
    Row("np.divide(1.7, x)", "mpf(1.7) / x", ALL, (0,)),
    Row("np.lib.scimath.sqrt(x)", "sqrt(x)", POSITIVE, (0,)),
    Row("np.lib.scimath.log(x)", "log(x)", POSITIVE, (0,)),
    Row("np.lib.scimath.log2(x)", "log(x, 2)", POSITIVE, (0,)),
    Row("np.lib.scimath.log10(x)", "log(x, 10)", POSITIVE, (0,)),
    Row("np.lib.scimath.logn(3.0, x)", "log(x, 3)", POSITIVE, (0,)),
    Row("np.lib.scimath.power(x, 2.5)", "x ** 2.5", POSITIVE, (0,)),
    Row("np.lib.scimath.arcsin(x)", "asin(x)", SYMMETRIC, (-1, 1)),
    Row("np.lib.scimath.arccos(x)", "acos(x)", SYMMETRIC, (-1, 1)),
    Row("np.lib.scimath.arctanh(x)", "atanh(x)", SYMMETRIC, (-1, 1)),
    Row("np.polynomial.chebyshev.chebweight(x)", "1 / sqrt(1 - x * x)", SYMMETRIC, (-1, 1)),
    Row("np.polynomial.hermite.hermweight(x)", "exp(-x * x)", LINE),
    Row("np.polynomial.hermite_e.hermeweight(x)", "exp(-x * x / 2)", LINE),
    Row("np.polynomial.laguerre.lagweight(x)", "exp(-x)", LINE),
    Row("special.comb(x, 2.3)", "binomial(x, mpf(2.3))", (4.1, 5.7)),
    Row("special.perm(x, 2.0)", "x * (x - 1)", (4.1, 5.7)),
    Row("special.h1vp(0.4, x).real", "besselj(mpf(0.4), x, 1)", MIDDLE, (0,)),
    Row("special.h2vp(0.4, x).real", "besselj(mpf(0.4), x, 1)", MIDDLE, (0,)),
    Row("special.hankel1e(0.4, x).real", "exp(-j * x) * hankel1(mpf(0.4), x)", MIDDLE, (0,)),
    Row("special.hankel2e(0.4, x).real", "exp(j * x) * hankel2(mpf(0.4), x)", MIDDLE, (0,)),
    Row(
        "special.eval_sh_jacobi(2, 2.5, 1.3, x)",
        "jacobi(2, mpf(2.5) - mpf(1.3), mpf(1.3) - 1, 2 * x - 1) / binomial(5.5, 2)",
        SYMMETRIC,
        near=(1, -1),
    ),
    Row(
        "special.nrdtrimn(x, 1.3, 0.7)", "0.7 - mpf(1.3) * sqrt(2) * erfinv(2 * x - 1)", (0.2, 0.7)
    ),
    Row(
        "special.nrdtrisd(0.4, x, 1.7)",
        "mpf(1.3) / (sqrt(2) * erfinv(2 * x - 1))",
        (0.6, 0.7),
        (0.5,),
    ),
    Row(
        "special.wright_bessel(0.5, 1.3, x)",
        "fsum(x**k * rgamma(mpf(k) / 2 + mpf(1.3)) / factorial(k) for k in range(30))",
        (0.7, 2.2),
    ),
    Row(
        "special.log_wright_bessel(0.5, 1.3, x)",
        "log(fsum(x**k * rgamma(mpf(k) / 2 + mpf(1.3)) / factorial(k) for k in range(60)))",
        (0.7, 2.2),
    ),
    Row("special.pbvv(0.7, x)[0]", "pcfv(-mpf(0.7) - 0.5, x)", MIDDLE),
    Row("special.pbwa(0.7, x)[0]", "pcfw(0.7, x)", (1.3, 1.3)),
    Row(
        "special.chndtr(x, 3.0, 1.2)",
        "' exp(-mpf(0.6) - x / 2) / 2 * fsum(mpf(0.6)**k * (x / 2)**(k + 0.5)"
        " * rgamma(k + 1.5) / factorial(k) for k in range(30))",
        (0.7, 4.1),
        (0,),
    ),
]


# What a test that is not long looks at besides `PROGRAMS` and `special_points.UFUNCS`: zeros, and
# removable singularities.
QUICK = [
    *("cosm1", "exprel", "expit", "log_expit", "softplus", "entr", "xlogy", "xlog1py", "rel_entr"),
    *("kl_div", "pseudo_huber", "boxcox", "erf", "sici", "shichi", "i0", "i1", "j0", "j1", "iv"),
    *("kelvin", "ber", "bei", "struve", "modstruve", "itstruve0", "pdtr", "nbdtr"),
]


# Of which mpmath takes seconds: a test that is not slow looks at a few points; or, where even those
# take as long, at none.
DEAR = [
    *("elliprd", "elliprf", "elliprg", "ellipkm1", "keip", "ker", "kei", "k0", "kve", "kvp", "y0"),
    *("yn", "ive", "iti0k0", "airye", "voigt_profile", "chdtrc", "gdtrc", "zeta", "chndtr", "pbwa"),
    *("ellipeinc", "elliprc"),
]
DEAREST = [
    *("ellipkinc", "ellipj", "agm", "hyperu", "pbdv"),
    *("ellipk", "ellipe", "kerp", "k1", "kn", "k0e", "k1e", "y1", "i0e", "i1e", "kolmogi"),
]


class Inexact(NamedTuple):
    """An interval of |x| in which derivatives of a call, from an order on, are further off."""

    call: str
    order: int
    between: tuple[float, float]
    why: str


BASE = "so near to the zero of 1 + 0.7 * x, the base of all powers, that it has few digits"
COMPONENT = "the real part of complex derivatives that are larger than it by e**(x * x)"
OPPOSITE = "a difference of terms that are larger by (length / width)**2, once for each order"
INEXACT = [
    Inexact("special.inv_boxcox(0.7, x)", 4, (1.4285714284, 1.4285714285), BASE),
    Inexact("special.wofz(x).real", 1, (9.0, inf), COMPONENT),
    Inexact("special.voigt_profile(0.4, x, 0.3)", 4, (0.03, 0.05), OPPOSITE),
]

# Third derivatives by these parameters raise NotImplementedTangentError.
REFUSED = [
    *("special.gammainc(x, 1.7)", "special.gammaincc(x, 1.7)", "special.gammainc(x, 1e-6)"),
    *("special.gammainc(x, 25.0)", "special.betainc(x, 0.7, 0.3)", "special.betainc(0.7, x, 0.3)"),
    "special.betainc(x, 20.0, 0.6)",
]


# Functions with written partials that have no row, by the reason.
OF_SCALARS = "a function of one number of Python's, with the formula of one that has a row"
PIECES = "linear or constant between its jumps and kinks: all derivatives from the second on are 0"
KINKS = (
    "polynomials between kinks of a derivative that a search of smooth functions knows nothing of"
)
INVERSE = "an inverse by a parameter, whose third derivatives mpmath has by slow root finding alone"
SEVERAL = "of several numbers, integers or angles, and a product of functions that have rows"
IMPLICIT = "an integral or an inverse of one that mpmath has no expression of"
WITHOUT_ROW = {
    OF_SCALARS: ["math.erf", "math.erfc", "math.gamma", "math.lgamma"],
    PIECES: [
        *("math.remainder", "numpy.add", "numpy.ceil", "numpy.copysign", "numpy.degrees"),
        *("numpy.divmod", "numpy.fabs", "numpy.floor", "numpy.fmax", "numpy.fmin", "numpy.fmod"),
        *("numpy.frexp", "numpy.heaviside", "numpy.ldexp", "numpy.maximum", "numpy.minimum"),
        *("numpy.modf", "numpy.negative", "numpy.nextafter", "numpy.positive", "numpy.rad2deg"),
        *("numpy.radians", "numpy.rint", "numpy.spacing", "numpy.subtract", "numpy.trunc"),
        *("scipy.signal.sawtooth", "scipy.special.gammasgn", "scipy.special.radian"),
        "scipy.special.round",
    ],
    KINKS: ["scipy.signal.gauss_spline", "scipy.special.huber"],
    INVERSE: [
        *(
            "scipy.special.btdtria",
            "scipy.special.btdtrib",
            "scipy.special.chdtriv",
            "scipy.special.chndtrinc",
            "scipy.special.chndtrix",
            "scipy.special.fdtridfd",
            "scipy.special.gdtria",
        ),
        *("scipy.special.gdtrib", "scipy.special.pdtrik", "scipy.special.stdtridf"),
    ],
    SEVERAL: ["math.fma", "scipy.special.sph_harm_y"],
    IMPLICIT: ["scipy.special.besselpoly", "scipy.special.tklmbda"],
}


class Asymmetric(NamedTuple):
    """Two arguments of a function, the points at which its Hessian is not symmetric, and why."""

    primal: str
    pair: tuple[int, int]
    points: str
    why: str


NO_VALUE = (
    "of a negative base, no other exponent nearby has a real value: the derivative by the exponent"
    " is zero by convention, and the mixed one does not exist"
)
NARROW = "the difference of two terms that are 1e16 times larger, for a width of 1e-8"
OUTSIDE = "SciPy has a value for a negative width, and w is huge there"
ASYMMETRIC = [
    Asymmetric("numpy.power", (0, 1), "x <= 0", NO_VALUE),
    Asymmetric("numpy.float_power", (0, 1), "x <= 0", NO_VALUE),
    Asymmetric("scipy.special.voigt_profile", (0, 1), "y < 1e-7", f"{NARROW}; {OUTSIDE}"),
    Asymmetric(
        "scipy.special.voigt_profile", (1, 2), "(x < 1e-7) | (y < 0)", f"{NARROW}; {OUTSIDE}"
    ),
    Asymmetric(
        "scipy.special.poch",
        (0, 1),
        "abs(x) < 1e-7",
        "a difference of terms that are 1e8 times larger",
    ),
]
