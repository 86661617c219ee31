"""Distributions on the whole line, or on a part of it that depends on the shape.

An entry has its name, the derivative of the log-density by x, and a point inside of the support
where 0 is none; the rest is by shapes (`families`).
"""

from chainrules_py.rulesets.scipy.stats.families import continuous

continuous("norm", "-x")
continuous("cauchy", "-2 * x / (1 + x * x)")
continuous("laplace", "-sign(x)")
continuous("logistic", "-tanh(0.5 * x)")
continuous("gumbel_r", "exp(-x) - 1", log_cdf={"x": "exp(-x)"})
continuous("gumbel_l", "1 - exp(x)", log_sf={"x": "-exp(x)"})
continuous("hypsecant", "-tanh(x)")
continuous("moyal", "0.5 * (exp(-x) - 1)")
continuous(
    "t",
    "-(1 + 1 / df) * x / (1 + u)",
    given={
        "u": "x * x / df",
        "fall": (
            "where(u < 1, minimum(u, 1.0) ** 2 * logarithmic_remainder(minimum(u, 1.0)), u / (1 +"
            " u) - log1p(u))"
        ),
    },
    df="0.5 * (psi_difference(0.5 * df, 0.5) - 1 / df + fall + u / (1 + u) / df)",
    cdf={"df": "stdtr_by_df(df, x)"},
    mean={"df": "0.0 * df"},
    var={"df": "-2 / ((df - 2) * (df - 2))"},
)
continuous(
    "gennorm",
    "-beta * abs(x) ** (beta - 1) * sign(x)",
    beta="1 / beta + psi(1 / beta) / (beta * beta) - xlogy(u, abs(x))",
    given={"u": "abs(x) ** beta", "a": "1 / beta", "y": "where(x == 0, 1.0, u)"},
    cdf={
        "beta": "0.5 * sign(x) * a * (gamma_density(a, y) * y * log(y) - a * gammainc_by_a(a, y))"
    },
)
continuous(
    "dgamma",
    "over(a - 1, x) - sign(x)",
    "1.0",
    a="log(abs(x)) - psi(a)",
    cdf={"a": "0.5 * sign(x) * gammainc_by_a(a, abs(x))"},
)
continuous(
    "dweibull",
    "over(c - 1, x) - c * u / x",
    "1.0",
    given={"u": "abs(x) ** c"},
    c="1 / c + log(abs(x)) * (1 - u)",
    cdf={"c": "0.5 * sign(x) * exp(-u) * u * log(abs(x))"},
)
continuous(
    "genlogistic",
    "(c + 1) * expit(-x) - 1",
    c="1 / c + log_expit(x)",
    log_cdf={"x": "c * expit(-x)", "c": "log_expit(x)"},
)
continuous(
    "loggamma",
    "c - exp(x)",
    c="x - psi(c)",
    # far below, the first term of its series
    cdf={"c": "where(x < -40, below(x) * (x - psi(c + 1)), gammainc_by_a(c, exp(x)))"},
)
continuous(
    "johnsonsu",
    "-x / (1 + x * x) - b * z / sqrt(1 + x * x)",
    given={"z": "a + b * arcsinh(x)"},
    a="-z",
    b="1 / b - z * arcsinh(x)",
    cdf={"a": "normal_density(z)", "b": "normal_density(z) * arcsinh(x)"},
)
continuous(
    "skewnorm",
    "a * mills(a * x) - x",
    a="x * mills(a * x)",
    cdf={"a": "-exp(-0.5 * x * x * (1 + a * a)) / (pi * (1 + a * a))"},
)
continuous(
    "exponnorm",
    "m - 1 / K",
    given={
        "m": "mills(x - 1 / K)",
        "tail": "exp(0.5 / (K * K) - x / K + log_ndtr(x - 1 / K)) / (K * K)",
    },
    K="(x + m - 1 / K) / (K * K) - 1 / K",
    cdf={"K": "-tail * (x + m - 1 / K)"},
)
continuous(
    "powernorm",
    "-x - (c - 1) * mills(-x)",
    c="1 / c + log_ndtr(-x)",
    log_sf={"x": "-c * mills(-x)", "c": "log_ndtr(-x)"},
)
continuous(
    "laplace_asymmetric",
    "where(x >= 0, -kappa, 1 / kappa)",
    given={"square": "kappa * kappa", "tail": "exp(where(x >= 0, -kappa * x, x / kappa))"},
    kappa="-where(x >= 0, x, x / square) - (1 - 1 / square) / (kappa + 1 / kappa)",
    cdf={"kappa": "tail * (abs(x) / (square + 1) + 2 * kappa / (square + 1) ** 2)"},
)
continuous(
    "skewcauchy",
    "-2 * x / (x * x + w * w)",
    given={"w": "1 + a * sign(x)", "u": "x / w"},
    a="2 * u * u * sign(x) / (w * (1 + u * u))",
    cdf={"a": "sign(x) * (arctan(u) - u / (1 + u * u)) / pi - 0.5"},
)
continuous(
    "genextreme",
    "(exp(-y) - 1 + c) / (1 - c * x)",
    "0.25 / maximum(1.0, abs(c))",
    given={"y": "x * log1p_quotient(-c * x)", "y_by_c": "-x * x * logarithmic_remainder(-c * x)"},
    c="(exp(-y) - 1 + c) * y_by_c + y",
    log_cdf={"x": "exp(-y) / (1 - c * x)", "c": "exp(-y) * y_by_c"},
)
continuous(
    "truncnorm",
    "-x",
    "clip(0.0, a, b)",
    a="exp(log_density(x) + 0.5 * (x * x - a * a))",
    b="-exp(log_density(x) + 0.5 * (x * x - b * b))",
    cdf={
        "a": "-exp(log_density(x) + 0.5 * (x * x - a * a)) * above(x)",
        "b": "-exp(log_density(x) + 0.5 * (x * x - b * b)) * below(x)",
    },
)
continuous(
    "tukeylambda",
    "(1 - lam) * (p ** (lam - 2.0) - q ** (lam - 2.0)) * slope * slope",
    given={
        "p": "below(x)",
        "q": "below(-x)",
        "slope": "1 / (p ** (lam - 1.0) + q ** (lam - 1.0))",
        "of_p": "log(p) ** 2 * exponential_remainder(lam * log(p))",
        "of_q": "log(q) ** 2 * exponential_remainder(lam * log(q))",
        "by_lam": "slope * (of_q - of_p)",
    },
    lam=(
        "(1 - lam) * (p ** (lam - 2.0) - q ** (lam - 2.0)) * by_lam * slope"
        " - (p ** (lam - 1.0) * log(p) + q ** (lam - 1.0) * log(q)) * slope"
    ),
    cdf={"lam": "by_lam"},
)
continuous(
    "crystalball",
    "where(tail, m / base, -x)",
    given={
        "tail": "x <= -beta",
        "base": "where(tail, m / beta - beta - x, 1.0)",
        "falling": "exp(-0.5 * beta * beta)",
        "lead": "m / (beta * (m - 1)) * falling",
        "whole": "lead + 2.5066282746310002 * ndtr(beta)",  # sqrt(2 pi)
        "by_beta": "(lead * (1 / beta + beta) - falling) / whole",
        "by_m": "lead / (m * (m - 1) * whole)",
    },
    beta="by_beta + where(tail, m * (m / (beta * beta) + 1) / base - m / beta - beta, 0.0)",
    m="by_m + where(tail, 1 + log(m / (beta * base)) - m / (beta * base), 0.0)",
    cdf={
        "beta": (
            "where(tail, below(x) * (by_beta - m / beta - beta + (m - 1) * (m / (beta * beta) + 1)"
            " / base), -above(x) * by_beta)"
        ),
        "m": (
            "where(tail, below(x) * (by_m + log(m / (beta * base)) + 1 - (m - 1) / (beta * base) -"
            " 1 / (m - 1)), -above(x) * by_m)"
        ),
    },
)
continuous(
    "kappa4",  # J. R. M. Hosking, 1994, with y = -log(1 - k x) / k and v = -log(1 - h exp(-y)) / h
    "by_y / (1 - k * x)",
    "-boxcox(-boxcox(0.5, 1.0 * h), 1.0 * k)",  # the median
    given={
        "y": "x * log1p_quotient(-k * x)",
        "w": "exp(-y)",
        "v": "w * log1p_quotient(-h * w)",
        "by_y": "k - 1 + (1 - h) * w / (1 - h * w)",
        "y_by_k": "-x * x * logarithmic_remainder(-k * x)",
        "v_by_h": "-w * w * logarithmic_remainder(-h * w)",
    },
    h="v - (1 - h) * v_by_h",
    k="y + by_y * y_by_k",
    cdf={"h": "-exp(-v) * v_by_h", "k": "exp(-v) * w / (1 - h * w) * y_by_k"},
)
continuous(
    "jf_skew_t",
    "by_t * (a + b) / root**3",
    given={
        "root": "sqrt(a + b + x * x)",
        "large": "(root + abs(x)) / root",
        "small": "(a + b) / (root * (root + abs(x)))",
        "plus": "where(x > 0, large, small)",  # 1 + t with t = x / root
        "minus": "where(x > 0, small, large)",
        "by_t": "(a + 0.5) / plus - (b + 0.5) / minus",
        "common": "-0.5 / (a + b) - 0.6931471805599453 - 0.5 * by_t * x / root**3",  # log(2)
        "moved": (
            "-0.25 * x / root**3 * exp((a - 1) * log(0.5 * plus) + (b - 1) * log(0.5 * minus) -"
            " betaln(a, b))"
        ),
    },
    a="log(plus) + psi_difference(a, b) + common",
    b="log(minus) + psi_difference(b, a) + common",
    cdf={
        "a": "where(x > 0, -betainc_by_b(b, a, 0.5 * minus), betainc_by_a(a, b, 0.5 * plus)) + moved",
        "b": "where(x > 0, -betainc_by_a(b, a, 0.5 * minus), betainc_by_b(a, b, 0.5 * plus)) + moved",
    },
)
continuous(
    # in the distance r from the mean, with Stirling's series, as its constants cancel where the
    # skewness is small
    "pearson3",
    "-(x + 0.5 * skew) / (1 + r)",
    given={"r": "0.5 * skew * x"},
    skew=(
        "0.5 * (skew * stirling_slope(4.0 / (skew * skew)) - x**3 * quadratic_remainder(r) - x / (1"
        " + r))"
    ),
)
