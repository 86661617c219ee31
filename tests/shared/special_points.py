"""Functions of one number, each in our words and in mpmath's, and the points at which its
derivatives are hard to compute.

A row is: a call of NumPy or SciPy, mpmath's expression of it, the interval in which it is looked at,
where it is not analytic, and which other numbers are hard. Points are of every size, and beside
these numbers. An expression that begins with "' " is the first derivative, where mpmath does not
have the function, or computes it slowly.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from chainrules_tape.scipy import special

INF = np.inf
POWERS = (300, 160, 100, 30, 17, 15, 12, 10, 8, 7, 6, 5, 4, 3, 2, 1)
SIZES = (
    *(10.0**-k for k in POWERS),
    *(0.3, 0.5, 0.7, 1.3, 2.2, 3.0, 4.1, 5.7, 10.0, 20.0, 30.0, 37.0, 100.0, 700.0),
    *(1e3, 1e4, 1e8, 1e16, 1e30, 1e100, 1e155, 1e300),
)
STEPS = (0.0, 2.0**-52, 1e-15, 1e-12, 1e-10, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1)

ALL, HALF, UNIT, SYMMETRIC = (-INF, INF), (0, INF), (0, 1), (-1, 1)
LINE, POSITIVE, MIDDLE = (-5.7, 5.7), (0, 5.7), (0.5, 5.7)
BESSEL = (1e-30, 1e4)
DECAYING = (1e-30, 30)  # mpmath takes seconds for these functions further out
WHOLE = (-5, -4, -2, 0)
BRANCH = -np.exp(-1)
BELOW_1 = 1 - 2.0**-53


class Row(NamedTuple):
    """A function, in two languages, and its points."""

    ours: str
    theirs: str
    between: tuple[float, float] = ALL
    singular: tuple[float, ...] = ()
    near: tuple[float, ...] = ()
    long: bool = False

    @property
    def points(self) -> list[float]:
        """Numbers of every size, and those beside hard ones, in the interval."""
        numbers = [sign * size for size in SIZES for sign in (-1, 1)]
        for hard in (*filter(None, self.singular), *self.near):
            numbers += [
                hard + sign * step * max(1.0, abs(hard)) for step in STEPS for sign in (-1, 1)
            ]
        low, high = self.between
        return sorted({float(x) for x in numbers if low <= x <= high and x not in self.singular})

    def is_there(self) -> bool:
        """Whether this version of SciPy has the function."""
        root, _, name = self.ours.partition("(")[0].partition(".")
        return root != "special" or hasattr(special, name)

    def function(self) -> Callable[[Any], Any]:
        """The function in our words."""
        code = compile(self.ours, self.ours, "eval")
        return lambda x: eval(code, {"np": np, "special": special, "x": x})

    def of_mpmath(self) -> tuple[Callable[[Any], Any], bool]:
        """The function in mpmath's words, and whether it is the first derivative."""
        from mpmath import mp

        code = compile(self.theirs.removeprefix("' "), self.theirs, "eval")
        names = {name: getattr(mp, name) for name in dir(mp) if not name.startswith("_")}
        return lambda x: eval(code, {**names, "x": x}), self.theirs.startswith("' ")


UFUNCS = [
    Row("np.sqrt(x)", "sqrt(x)", HALF, (0,)),
    Row("np.cbrt(x)", "sign(x) * cbrt(abs(x))", ALL, (0,)),
    Row("np.square(x)", "x * x"),
    Row("np.reciprocal(x)", "1 / x", ALL, (0,)),
    Row("1.7 / x", "1.7 / x", ALL, (0,)),
    Row("x / 1.7", "x / mpf(1.7)"),
    Row("np.exp(x)", "exp(x)", (-700, 700)),
    Row("np.exp2(x)", "2 ** x", (-1e3, 1e3)),
    Row("np.expm1(x)", "expm1(x)", (-700, 700)),
    Row("np.log(x)", "log(x)", HALF, (0,), near=(1,)),
    Row("np.log2(x)", "log(x, 2)", HALF, (0,)),
    Row("np.log10(x)", "log(x, 10)", HALF, (0,)),
    Row("np.log1p(x)", "log(1 + x)", (-1, INF), (-1,)),
    Row("np.logaddexp(x, 0.0)", "log(1 + exp(x))", (-700, 700)),
    Row("np.logaddexp(0.0, x)", "log(1 + exp(x))", (-700, 700)),
    Row("np.logaddexp(1e3, x)", "log(exp(1e3) + exp(x))", (970, 1300), near=(1e3,)),
    Row("np.logaddexp2(x, 0.0)", "log(1 + 2 ** x, 2)", (-700, 700)),
    Row("np.logaddexp2(0.0, x)", "log(1 + 2 ** x, 2)", (-700, 700)),
    Row("np.sin(x)", "sin(x)"),
    Row("np.cos(x)", "cos(x)"),
    Row("np.tan(x)", "tan(x)", (-100, 100), (np.pi / 2, -np.pi / 2)),
    Row("np.arcsin(x)", "asin(x)", SYMMETRIC, (-1, 1)),
    Row("np.arccos(x)", "acos(x)", SYMMETRIC, (-1, 1)),
    Row("np.arctan(x)", "atan(x)"),
    Row("np.sinh(x)", "sinh(x)", (-700, 700)),
    Row("np.cosh(x)", "cosh(x)", (-700, 700)),
    Row("np.tanh(x)", "tanh(x)", (-100, 100)),
    Row("np.arcsinh(x)", "asinh(x)"),
    Row("np.arccosh(x)", "acosh(x)", (1, INF), (1,)),
    Row("np.arctanh(x)", "atanh(x)", SYMMETRIC, (-1, 1)),
    Row("np.hypot(x, 1.3)", "sqrt(x * x + mpf(1.3) ** 2)"),
    Row("np.hypot(1e-9, x)", "sqrt(x * x + mpf(1e-9) ** 2)", ALL, (0,)),
    Row("np.arctan2(x, 1.3)", "atan(x / 1.3)"),
    Row("np.arctan2(1.3, x)", "atan2(1.3, x)"),
    Row("np.arctan2(x, -1.3)", "-atan(x / 1.3)"),
    Row("x ** 3.0", "x ** 3", (-1e100, 1e100)),
    Row("x ** 2.5", "x ** 2.5", (0, 1e100), (0,)),
    Row("x ** -1.5", "x ** -1.5", (1e-100, INF), (0,)),
    Row("1.3 ** x", "mpf(1.3) ** x", (-1e3, 1e3)),
    Row("np.power(1e-300, x)", "mpf(1e-300) ** x", (-0.3, 0.5)),
    Row("np.float_power(x, 2.5)", "x ** 2.5", (0, 1e100), (0,)),
    Row("np.float_power(1.3, x)", "mpf(1.3) ** x", (-1e3, 1e3)),
    Row("np.sinc(x)", "sincpi(x)", (-1e8, 1e8), near=(1 / np.pi, 1, 3)),
    Row("np.i0(x)", "besseli(0, x)", (-700, 700)),
    Row("np.absolute(x)", "abs(x)", ALL, (0,)),
    Row("np.remainder(x, 1.5)", "x - 1.5 * floor(x / 1.5)", MIDDLE, (1.5, 3.0, 4.5)),
]

SPECIAL = [
    # --- exponentials, logarithms, powers ---
    Row("special.cbrt(x)", "sign(x) * cbrt(abs(x))", ALL, (0,)),
    Row("special.exp2(x)", "2 ** x", (-1e3, 1e3)),
    Row("special.exp10(x)", "10 ** x", (-300, 300)),
    Row("special.expm1(x)", "expm1(x)", (-700, 700)),
    Row("special.log1p(x)", "log(1 + x)", (-1, INF), (-1,)),
    Row("special.cosm1(x)", "cos(x) - 1", (-1e4, 1e4)),
    Row("special.exprel(x)", "expm1(x) / x", (-700, 700), near=(0.5, -0.5)),
    Row("special.powm1(1.3, x)", "mpf(1.3) ** x - 1", (-1e3, 1e3)),
    Row("special.powm1(x, 2.5)", "x ** 2.5 - 1", (0, 1e100), (0,), near=(1,)),
    Row("special.sindg(x)", "sin(x * pi / 180)", (-1e4, 1e4), near=(90, 180)),
    Row("special.cosdg(x)", "cos(x * pi / 180)", (-1e4, 1e4), near=(90, 180)),
    Row("special.tandg(x)", "tan(x * pi / 180)", (-5.7, 198), (90,), near=(45, 180)),
    Row("special.cotdg(x)", "cot(x * pi / 180)", (-5.7, 198), (0, 180), near=(90, 45)),
    Row("special.boxcox(2.3, x)", "expm1(x * log(2.3)) / x", (-700, 700), (0,)),
    Row("special.boxcox(x, 0.4)", "(x ** 0.4 - 1) / 0.4", HALF, (0,), near=(1,)),
    Row("special.boxcox1p(2.3, x)", "expm1(x * log(3.3)) / x", (-100, 100), (0,)),
    Row("special.boxcox1p(x, 0.4)", "((1 + x) ** 0.4 - 1) / 0.4", (-1, INF), (-1,)),
    Row("special.inv_boxcox(0.7, x)", "(1 + 0.7 * x) ** (1 / x)", (-1 / 0.7, INF), (0, -1 / 0.7)),
    Row("special.inv_boxcox(x, 0.4)", "(1 + x * 0.4) ** (1 / mpf(0.4))", (-1, 1e100)),
    Row("special.inv_boxcox1p(0.7, x)", "(1 + 0.7 * x) ** (1 / x) - 1", (-0.3, INF), (0,)),
    Row("special.inv_boxcox1p(x, 0.4)", "(1 + x * 0.4) ** (1 / mpf(0.4)) - 1", (-0.3, 1e100)),
    Row("special.wrightomega(x)", "lambertw(exp(x))", (-100, 100), near=(1,)),
    Row("special.lambertw(x).real", "lambertw(x).real", (BRANCH, INF), (BRANCH,)),
    # --- logistic ---
    Row("special.expit(x)", "1 / (1 + exp(-x))", (-700, 700)),
    Row("special.log_expit(x)", "-log(1 + exp(-x))", (-700, 700)),
    Row("special.softplus(x)", "log(1 + exp(x))", (-700, 700)),
    Row("special.logit(x)", "log(x / (1 - x))", UNIT, (0, 1), near=(0.5,)),
    # --- entropies ---
    Row("special.entr(x)", "-x * log(x)", HALF, (0,), near=(np.exp(-1),)),
    Row("special.xlogy(x, 2.3)", "x * log(2.3)"),
    Row("special.xlogy(2.3, x)", "2.3 * log(x)", HALF, (0,)),
    Row("special.xlog1py(2.3, x)", "2.3 * log(1 + x)", (-1, INF), (-1,)),
    Row("special.xlogy(x, x)", "x * log(x)", HALF, (0,), near=(np.exp(-1),)),
    Row("special.rel_entr(x, 0.7)", "x * log(x / 0.7)", HALF, (0,), near=(0.7,)),
    Row("special.rel_entr(0.7, x)", "0.7 * log(0.7 / x)", HALF, (0,), near=(0.7,)),
    Row("special.kl_div(x, 0.7)", "x * log(x / 0.7) - x + 0.7", HALF, (0,), near=(0.7,)),
    Row("special.kl_div(0.7, x)", "0.7 * log(0.7 / x) - 0.7 + x", HALF, (0,), near=(0.7,)),
    Row("special.pseudo_huber(1.3, x)", "mpf(1.3)**2 * (sqrt(1 + (x / 1.3)**2) - 1)"),
    Row("special.pseudo_huber(x, 1.3)", "x**2 * (sqrt(1 + (1.3 / x)**2) - 1)", HALF, (0,)),
    # --- error functions ---
    Row("special.erf(x)", "erf(x)", (-26, 26)),
    Row("special.erfc(x)", "erfc(x)", (-26, 26)),
    Row("special.erfi(x)", "erfi(x)", (-26, 26)),
    Row("special.erfinv(x)", "erfinv(x)", (1e-30, 1), (1,)),
    Row("special.erfcinv(x)", "erfinv(1 - x)", (1e-12, 1.999), near=(1,)),
    Row(
        "special.erfcx(x)", "' 2 * x * exp(x * x) * erfc(x) - 2 / sqrt(pi)", (-26, 1e8), near=(10,)
    ),
    Row(
        "special.dawsn(x)",
        "' 1 - sqrt(pi) * x * exp(-x * x) * erfi(x)",
        (-700, 700),
        near=(10, 0.924138873),
    ),
    Row(
        "special.wofz(x).imag",
        "' 2 / sqrt(pi) - 2 * x * exp(-x * x) * erfi(x)",
        (-700, 700),
        near=(10,),
    ),
    Row("special.wofz(x).real", "exp(-x * x)", (-20, 20)),
    Row("special.ndtr(x)", "erfc(-x / sqrt(2)) / 2", (-30, 30)),
    Row("special.log_ndtr(x)", "' sqrt(2 / pi) * exp(-x * x / 2) / erfc(-x / sqrt(2))", (-1e4, 30)),
    Row("special.ndtri(x)", "sqrt(2) * erfinv(2 * x - 1)", (1e-12, 1), (1,), near=(0.5,)),
    Row("special.ndtri_exp(x)", "sqrt(2) * erfinv(2 * exp(x) - 1)", (-30, -1e-8)),
    Row("special.fresnel(x)[0]", "fresnels(x)", (-100, 1e8)),
    Row("special.fresnel(x)[1]", "fresnelc(x)", (-100, 1e8)),
    Row("special.modfresnelp(x)[0].real", "' -cos(x * x)", (-100, 100)),
    Row("special.modfresnelp(x)[0].imag", "' -sin(x * x)", (-100, 100)),
    Row(
        "special.modfresnelp(x)[1].real",
        "re(exp(-j * (x * x + pi / 4)) / sqrt(pi) * sqrt(pi) / 2 * exp(j * pi / 4) * erfc(x *"
        " exp(-j * pi / 4)))",
        (0, 100),
    ),
    Row(
        "special.owens_t(x, 0.7)",
        "' -exp(-x * x / 2) * erf(0.7 * x / sqrt(2)) / sqrt(8 * pi)",
        (-10, 10),
    ),
    Row(
        "special.owens_t(0.7, x)",
        "' exp(-mpf(0.7)**2 * (1 + x * x) / 2) / (1 + x * x) / (2 * pi)",
        (-10, 10),
    ),
    Row(
        "special.voigt_profile(x, 0.8, 0.3)",
        "re(exp(-((x + 0.3j) / (0.8 * sqrt(2)))**2) * erfc(-j * (x + 0.3j) / (0.8 * sqrt(2)))) /"
        " (0.8 * sqrt(2 * pi))",
        (-1e3, 1e3),
        near=(8,),
    ),
    Row(
        "special.voigt_profile(0.4, x, 0.3)",
        "re(exp(-((0.4 + 0.3j) / (x * sqrt(2)))**2) * erfc(-j * (0.4 + 0.3j) / (x * sqrt(2)))) / (x"
        " * sqrt(2 * pi))",
        (0.001, 1e3),
        (0,),
        near=(0.04,),
    ),
    Row(
        "special.voigt_profile(0.4, 0.8, x)",
        "re(exp(-((0.4 + j * x) / (0.8 * sqrt(2)))**2) * erfc(-j * (0.4 + j * x) / (0.8 *"
        " sqrt(2)))) / (0.8 * sqrt(2 * pi))",
        (0, 1e3),
    ),
    # --- gamma ---
    Row(
        "special.gamma(x)", "gamma(x)", (-5.7, 100), (0, -1, -2, -3, -5), near=(1.4616321449683622,)
    ),
    Row("special.rgamma(x)", "rgamma(x)", (-30, 100), near=(-1, -2, -5, -20)),
    Row(
        "special.gammaln(x)",
        "log(abs(gamma(x)))",
        (-5.7, INF),
        (0, -1, -3, -5),
        near=(1, 2, 1.4616321449683622),
    ),
    Row("special.loggamma(x)", "loggamma(x)", HALF, (0,), near=(1, 2, 1.4616321449683622)),
    Row("special.psi(x)", "psi(0, x)", (-5.7, INF), (0, -1, -3, -5), near=(1.4616321449683622,)),
    Row("special.polygamma(1, x)", "psi(1, x)", HALF, (0,)),
    Row("special.polygamma(3, x)", "psi(3, x)", (1e-30, 1e30), (0,)),
    Row("special.zeta(2.5, x)", "zeta(2.5, x)", BESSEL, (0,), long=True),
    Row("special.factorial(x)", "gamma(x + 1)", (0, 100), near=(0.4616321449683622,)),
    Row("special.beta(2.3, x)", "beta(2.3, x)", (1e-160, 1e8), (0,)),
    Row("special.beta(1e-9, x)", "beta(1e-9, x)", (1e-160, 1e8), (0, -1e-9)),
    Row("special.betaln(2.3, x)", "log(beta(2.3, x))", HALF, (0,)),
    Row("special.betaln(1e-9, x)", "log(beta(1e-9, x))", HALF, (0,)),
    Row("special.binom(4.3, x)", "binomial(4.3, x)", (-30, 1e3), near=(-1, 4.3, 5.3)),
    Row("special.binom(5.0, x)", "binomial(5, x)", (-30, 1e3), near=(-1, 2, 5, 6)),
    Row("special.binom(x, 1.4)", "binomial(x, 1.4)", (-0.3, 1e8), near=(0.4,)),
    Row("special.binom(x, 2.0)", "x * (x - 1) / 2", (-0.3, 1e8), near=(1, 0.5)),
    Row("special.poch(x, 2.3)", "rf(x, 2.3)", (0, 1e8)),
    Row("special.poch(x, 1.0)", "x", (-5.7, 30), near=WHOLE),
    Row("special.poch(x, 4.0)", "x * (x + 1) * (x + 2) * (x + 3)", (-5.5, 0.1), near=WHOLE),
    Row("special.poch(x, -2.0)", "1 / ((x - 1) * (x - 2))", (-5, 0.3), near=WHOLE),
    Row("special.poch(x, 0.7)", "rf(x, 0.7)", (-0.6, 0.3), (-0.7,)),
    Row("special.poch(2.3, x)", "rf(2.3, x)", (-0.3, 100)),
    Row(
        "special.multigammaln(x, 3)",
        "loggamma(x) + loggamma(x - 0.5) + loggamma(x - 1)",
        (1, INF),
        (1,),
    ),
    Row("special.comb(4.3, x)", "binomial(4.3, x)", (0, 4.3), (4.3,), near=(2,)),
    Row("special.perm(4.3, x)", "gamma(5.3) / gamma(5.3 - x)", (0, 4.3), (4.3,), near=(2,)),
    # --- integrals ---
    Row("special.exp1(x)", "' -exp(-x) / x", (0, 700), (0,)),
    Row("special.expi(x)", "' exp(x) / x", (-700, 700), (0,)),
    Row("special.expn(2, x)", "' -e1(x)", (0, 700), (0,)),
    Row("special.sici(x)[0]", "' sinc(x)", (-1e4, 1e4)),
    Row("special.sici(x)[1]", "' cos(x) / x", (0, 1e4), (0,)),
    Row("special.shichi(x)[0]", "' sinh(x) / x if x else mpf(1)", (-700, 700), near=(1, -1)),
    Row("special.shichi(x)[1]", "' cosh(x) / x", (0, 700), (0,)),
    Row("special.spence(x)", "' log(x) / (1 - x) if x != 1 else mpf(-1)", HALF, (0,), near=(1,)),
    Row("special.itj0y0(x)[0]", "' besselj(0, x)", (0, 100)),
    Row("special.itj0y0(x)[1]", "' bessely(0, x)", (1e-30, 100), (0,)),
    Row("special.iti0k0(x)[0]", "' besseli(0, x)", (0, 100)),
    Row("special.iti0k0(x)[1]", "' besselk(0, x)", (1e-30, 100), (0,)),
    Row("special.it2j0y0(x)[0]", "' (1 - besselj(0, x)) / x if x else mpf(0)", (0, 100), near=(1,)),
    Row("special.it2i0k0(x)[0]", "' (besseli(0, x) - 1) / x if x else mpf(0)", (0, 100), near=(1,)),
    Row("special.itairy(x)[0]", "' airyai(x)", POSITIVE),
    Row("special.itairy(x)[2]", "' airyai(-x)", POSITIVE),
    Row("special.itstruve0(x)", "' struveh(0, x)", DECAYING),
    Row("special.it2struve0(x)", "' -struveh(0, x) / x", DECAYING),
    Row("special.itmodstruve0(x)", "' struvel(0, x)", DECAYING),
    # --- Bessel ---
    Row("special.j0(x)", "besselj(0, x)", (-0.3, 1e4)),
    Row("special.j1(x)", "besselj(1, x)", (-0.3, 1e4), near=(1.8411837813406593,)),
    Row("special.jv(0.4, x)", "besselj(0.4, x)", BESSEL, (0,)),
    Row("special.jv(2, x)", "besselj(2, x)", (0, 1e4)),
    Row("special.jv(11.5, x)", "besselj(11.5, x)", (1e-8, 1e4), (0,)),
    Row("special.jve(0.4, x)", "besselj(0.4, x)", BESSEL, (0,)),
    Row("special.y0(x)", "bessely(0, x)", BESSEL, (0,)),
    Row("special.y1(x)", "bessely(1, x)", BESSEL, (0,)),
    Row("special.yn(3, x)", "bessely(3, x)", BESSEL, (0,)),
    Row("special.yv(0.4, x)", "bessely(0.4, x)", BESSEL, (0,)),
    Row("special.yve(0.4, x)", "bessely(0.4, x)", BESSEL, (0,)),
    Row("special.i0(x)", "besseli(0, x)", (-0.3, 700)),
    Row("special.i1(x)", "besseli(1, x)", (-0.3, 700)),
    Row("special.iv(0.4, x)", "besseli(0.4, x)", (1e-30, 700), (0,)),
    Row("special.iv(2, x)", "besseli(2, x)", (0, 700)),
    Row("special.k0(x)", "besselk(0, x)", (1e-15, 10), (0,), long=True),
    Row("special.k1(x)", "besselk(1, x)", (1e-15, 10), (0,), long=True),
    Row("special.kn(3, x)", "besselk(3, x)", (1e-15, 10), (0,), long=True),
    Row("special.kv(0.4, x)", "besselk(0.4, x)", DECAYING, (0,)),
    Row("special.i0e(x)", "exp(-x) * besseli(0, x)", (0, 1e8), (0,), near=(30,)),
    Row("special.i1e(x)", "exp(-x) * besseli(1, x)", (0, 1e8), (0,), near=(30,)),
    Row("special.ive(0.4, x)", "exp(-x) * besseli(0.4, x)", BESSEL, (0,), near=(30,)),
    Row("special.k0e(x)", "exp(x) * besselk(0, x)", (1e-15, 1e8), (0,), long=True),
    Row("special.k1e(x)", "exp(x) * besselk(1, x)", (1e-15, 1e8), (0,), long=True),
    Row("special.kve(0.4, x)", "exp(x) * besselk(0.4, x)", (1e-30, 100), (0,)),
    Row("special.hankel1(0.4, x).imag", "bessely(0.4, x)", BESSEL, (0,)),
    Row("special.jvp(0.4, x)", "besselj(0.4, x, 1)", (1e-30, 700), (0,), long=True),
    Row("special.spherical_jn(2, x)", "sqrt(pi / (2 * x)) * besselj(2.5, x)", (1e-30, 1e3), (0,)),
    Row("special.spherical_jn(0, x)", "sinc(x)", (1e-30, 1e3)),
    Row("special.spherical_yn(2, x)", "sqrt(pi / (2 * x)) * bessely(2.5, x)", (1e-30, 1e3), (0,)),
    Row("special.spherical_jn(1, x)", "sqrt(pi / (2 * x)) * besselj(1.5, x)", (1e-100, 5.7), (0,)),
    Row("special.spherical_in(1, x)", "sqrt(pi / (2 * x)) * besseli(1.5, x)", (1e-100, 5.7), (0,)),
    Row("special.spherical_yn(1, x)", "sqrt(pi / (2 * x)) * bessely(1.5, x)", (1e-17, 5.7), (0,)),
    Row("special.spherical_kn(1, x)", "sqrt(pi / (2 * x)) * besselk(1.5, x)", (1e-17, 5.7), (0,)),
    Row("special.spherical_in(2, x)", "sqrt(pi / (2 * x)) * besseli(2.5, x)", (1e-30, 100), (0,)),
    Row("special.spherical_kn(2, x)", "sqrt(pi / (2 * x)) * besselk(2.5, x)", (1e-30, 100), (0,)),
    Row(
        "special.spherical_jn(2, x, True)",
        "diff(lambda t: sqrt(pi / (2 * t)) * besselj(2.5, t), x)",
        (0.3, 30),
        (0,),
        long=True,
    ),
    Row("special.ber(x)", "ber(0, x)", (0, 30)),
    Row("special.bei(x)", "bei(0, x)", (0, 30)),
    Row("special.ker(x)", "ker(0, x)", (1e-12, 5.7), (0,)),
    Row("special.kei(x)", "kei(0, x)", (1e-12, 5.7), (0,)),
    Row("special.berp(x)", "(ber(1, x) + bei(1, x)) / sqrt(2)", (1e-12, 5.7), (0,), long=True),
    Row("special.beip(x)", "(bei(1, x) - ber(1, x)) / sqrt(2)", (1e-12, 5.7), (0,), long=True),
    Row("special.struve(0.4, x)", "struveh(0.4, x)", (1e-12, 30), (0,)),
    Row("special.struve(0, x)", "struveh(0, x)", (1e-12, 30)),
    Row("special.modstruve(0, x)", "struvel(0, x)", (1e-12, 30)),
    Row("special.modstruve(0.4, x)", "struvel(0.4, x)", (1e-12, 30), (0,)),
    Row("special.airy(x)[0]", "airyai(x)", (-30, 30)),
    Row("special.airy(x)[2]", "airybi(x)", (-30, 30)),
    Row("special.airye(x)[0]", "airyai(x) * exp(2 * x**1.5 / 3)", (0, 100), (0,)),
    Row("special.airye(x)[2]", "airybi(x) * exp(-2 * x**1.5 / 3)", (0, 100), (0,)),
    Row("special.airye(x)[1]", "airyai(x, 1) * exp(2 * x**1.5 / 3)", (0, 100), (0,)),
    Row("special.airye(x)[3]", "airybi(x, 1) * exp(-2 * x**1.5 / 3)", (0, 100), (0,)),
    # --- elliptic ---
    Row("special.ellipk(x)", "ellipk(x)", (-INF, 1), (1,)),
    Row("special.ellipkm1(x)", "ellipk(1 - x)", (0, 5), (0,), near=(1,)),
    Row("special.ellipe(x)", "ellipe(x)", (-INF, 1), (1,)),
    Row("special.ellipkinc(x, 0.7)", "ellipf(x, 0.7)", (-100, 100)),
    Row("special.ellipkinc(1.1, x)", "ellipf(1.1, x)", (-1e3, BELOW_1), near=(1,)),
    Row("special.ellipkinc(1e-5, x)", "ellipf(1e-5, x)", (-1e3, BELOW_1), near=(1,)),
    Row("special.ellipkinc(4.5, x)", "ellipf(4.5, x)", (-1e3, 1), (1,)),
    Row("special.ellipeinc(x, 0.7)", "ellipe(x, 0.7)", (-100, 100)),
    Row("special.ellipeinc(1.1, x)", "ellipe(1.1, x)", (-1e3, BELOW_1), near=(1,)),
    Row("special.ellipeinc(4.5, x)", "ellipe(4.5, x)", (-1e3, 1), (1,)),
    Row("special.ellipj(x, 0.7)[0]", "ellipfun('sn', x, m=0.7)", (-10, 10)),
    Row("special.ellipj(x, 0.7)[1]", "ellipfun('cn', x, m=0.7)", (-10, 10)),
    Row("special.ellipj(x, 0.7)[2]", "ellipfun('dn', x, m=0.7)", (-10, 10)),
    Row("special.ellipj(1.1, x)[0]", "ellipfun('sn', 1.1, m=x)", (0, BELOW_1), near=(1,)),
    Row("special.ellipj(1.1, x)[1]", "ellipfun('cn', 1.1, m=x)", (0, BELOW_1), near=(1,)),
    Row("special.ellipj(1.1, x)[2]", "ellipfun('dn', 1.1, m=x)", (0, BELOW_1), near=(1,)),
    Row("special.elliprf(x, 0.3, 1.1)", "elliprf(x, 0.3, 1.1)", (0, 1e8), (0,), near=(0.3, 1.1)),
    Row("special.elliprc(x, 0.7)", "elliprc(x, 0.7)", (0, 1e8), (0,), near=(0.7,)),
    Row("special.elliprc(0.7, x)", "elliprc(0.7, x)", (0, 1e8), (0,), near=(0.7,)),
    Row("special.elliprg(x, 0.3, 1.1)", "elliprg(x, 0.3, 1.1)", (0, 1e8), (0,), near=(0.3, 1.1)),
    Row("special.agm(1.3, x)", "agm(1.3, x)", HALF, (0,), near=(1.3,)),
    # --- incomplete gamma and beta ---
    Row("special.gammainc(2.5, x)", "gammainc(2.5, 0, x, regularized=True)", (0, 700), (0,)),
    Row("special.gammaincc(2.5, x)", "' -(x**1.5) * exp(-x) / gamma(2.5)", (0, 700), (0,)),
    Row("special.gammainc(0.3, x)", "gammainc(0.3, 0, x, regularized=True)", (0, 700), (0,)),
    Row(
        "special.gammainc(40.0, x)",
        "gammainc(40, 0, x, regularized=True)",
        (1e-7, 700),
        (0,),
        near=(40, 16, 64),
    ),
    Row("special.gammainc(x, 1.7)", "gammainc(x, 0, 1.7, regularized=True)", DECAYING, (0,)),
    Row("special.gammaincc(x, 1.7)", "gammainc(x, 1.7, regularized=True)", DECAYING, (0,)),
    Row("special.gammainc(x, 1e-6)", "gammainc(x, 0, 1e-6, regularized=True)", DECAYING, (0,)),
    Row(
        "special.gammainc(x, 25.0)",
        "gammainc(x, 0, 25, regularized=True)",
        (1e-30, 60),
        (0,),
        near=(24, 25),
    ),
    Row("special.betainc(2.5, 0.7, x)", "betainc(2.5, 0.7, 0, x, regularized=True)", UNIT, (0, 1)),
    Row(
        "special.betaincc(2.5, 0.7, x)",
        "' -(x**1.5) * (1 - x) ** (mpf(0.7) - 1) / beta(2.5, 0.7)",
        UNIT,
        (0, 1),
    ),
    Row(
        "special.betainc(x, 0.7, 0.3)",
        "betainc(x, 0.7, 0, 0.3, regularized=True)",
        (1e-12, 30),
        (0,),
    ),
    Row(
        "special.betainc(0.7, x, 0.3)",
        "betainc(0.7, x, 0, 0.3, regularized=True)",
        (1e-12, 30),
        (0,),
    ),
    Row(
        "special.betainc(x, 20.0, 0.6)",
        "betainc(x, 20, 0, 0.6, regularized=True)",
        (1e-12, 30),
        (0,),
    ),
    Row(
        "special.stdtr(2.5, x)",
        "' (1 + x * x / 2.5) ** -1.75 / sqrt(2.5) / beta(1.25, 0.5)",
        (-1e8, 1e8),
    ),
    Row(
        "special.fdtr(2.5, 4.0, x)",
        "betainc(1.25, 2, 0, 2.5 * x / (4 + 2.5 * x), regularized=True)",
        (1e-30, 1e3),
        (0,),
    ),
    Row("special.chdtr(5.0, x)", "gammainc(2.5, 0, x / 2, regularized=True)", (0, 700), (0,)),
    Row(
        "special.kolmogorov(x)",
        "' -8 * x * nsum(lambda k: (-1)**(int(k) - 1) * k**2 * exp(-2 * k**2 * x**2), [1, inf],"
        " method='d')",
        (0.2, 4.1),
        near=(0.8,),
        long=True,
    ),
    # --- hypergeometric and polynomials ---
    Row("special.hyp0f1(1.3, x)", "hyp0f1(1.3, x)", (-100, 100)),
    Row("special.hyp1f1(0.7, 1.6, x)", "hyp1f1(0.7, 1.6, x)", (-100, 100)),
    Row("special.hyp2f1(0.7, 1.6, 2.9, x)", "hyp2f1(0.7, 1.6, 2.9, x)", (-100, 0.9), (1,)),
    Row("special.hyperu(0.7, 1.6, x)", "hyperu(0.7, 1.6, x)", (1e-12, 1e3), (0,)),
    Row("special.pbdv(1.3, x)[0]", "pcfd(1.3, x)", (0.3, 4.1), long=True),
    Row(
        "special.eval_legendre(5, x)", "(63 * x**5 - 70 * x**3 + 15 * x) / 8", (-1, 3), near=(1, -1)
    ),
    Row("special.eval_chebyt(5, x)", "16 * x**5 - 20 * x**3 + 5 * x", (-1, 3), near=(1, -1)),
    Row("special.eval_chebyu(5, x)", "32 * x**5 - 32 * x**3 + 6 * x", (-1, 3), near=(1, -1)),
    Row("special.eval_hermite(5, x)", "32 * x**5 - 160 * x**3 + 120 * x", (-100, 100)),
    Row("special.eval_laguerre(3, x)", "(-x**3 + 9 * x**2 - 18 * x + 6) / 6", (-100, 100)),
    Row("special.lpmv(1, 2, x)", "-3 * x * sqrt(1 - x * x)", SYMMETRIC, (-1, 1)),
]
