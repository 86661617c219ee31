"""Distributions of positive numbers: derivatives of the log-density by x, then by shapes."""

from functools import partial

from chainrules_py.rulesets.scipy.stats.families import continuous

positive = partial(continuous, middle="1.0")

positive("expon", "-1.0 + 0 * x")
positive("rayleigh", "1 / x - x", log_sf={"x": "-x"})
positive("maxwell", "2 / x - x")
positive("halfnorm", "-x")
positive("halfcauchy", "-2 * x / (1 + x * x)")
positive("halflogistic", "-tanh(0.5 * x)")
positive("levy", "(0.5 / x - 1.5) / x")
continuous("levy_l", "-(0.5 / x + 1.5) / x", "-1.0")
positive("gibrat", "-(1 + log(x)) / x")
positive("wald", "(0.5 / x - 1.5) / x - 0.5")
for _name in ("gamma", "erlang"):
    positive(
        _name,
        "over(a - 1, x) - 1",
        a="log(x) - psi(a)",
        cdf={"a": "gammainc_by_a(a, x)"},
        mean={"a": "1.0"},
        var={"a": "1.0"},
        entropy={"a": "-trigamma_excess(a)"},
    )
positive(
    "chi2",
    "over(0.5 * df - 1, x) - 0.5",
    df="0.5 * (log(0.5 * x) - psi(0.5 * df))",
    cdf={"df": "0.5 * gammainc_by_a(0.5 * df, 0.5 * x)"},
    mean={"df": "1.0"},
    var={"df": "2.0"},
    entropy={"df": "-0.5 * trigamma_excess(0.5 * df)"},
)
positive(
    "chi",
    "over(df - 1, x) - x",
    df="log(x) - 0.34657359027997264 - 0.5 * psi(0.5 * df)",  # log(2) / 2
    cdf={"df": "0.5 * gammainc_by_a(0.5 * df, 0.5 * x * x)"},
)
positive(
    "invgamma", "(1 / x - a - 1) / x", a="-log(x) - psi(a)", cdf={"a": "-gammainc_by_a(a, 1 / x)"}
)
positive(
    "gengamma",
    "(c * a - 1 - c * u) / x",
    given={"u": "x ** c"},
    a="c * log(x) - psi(a)",
    c="1 / c + (a - u) * log(x)",
    cdf={"a": "sign(c) * gammainc_by_a(a, u)", "c": "sign(c) * gamma_density(a, u) * u * log(x)"},
)
positive(
    "nakagami",
    "over(2 * nu - 1, x) - 2 * nu * x",
    given={"u": "nu * x * x"},
    nu="log(nu) + 1 - psi(nu) + 2 * log(x) - x * x",
    cdf={"nu": "gammainc_by_a(nu, u) + gamma_density(nu, u) * x * x"},
)
positive(
    "halfgennorm",
    "-beta * u / x",
    given={"u": "x ** beta"},
    beta="1 / beta + psi(1 / beta) / (beta * beta) - u * log(x)",
    cdf={
        "beta": (
            "gamma_density(1 / beta, u) * u * log(x) - gammainc_by_a(1 / beta, u) / (beta * beta)"
        )
    },
)
positive(
    "lognorm",
    "-(1 + z / s) / x",
    given={"z": "log(x) / s"},
    s="(z * z - 1) / s",
    log_cdf={"x": "mills(z) / (s * x)", "s": "-mills(z) * z / s"},
    log_sf={"x": "-mills(-z) / (s * x)", "s": "mills(-z) * z / s"},
    mean={"s": "s * exp(0.5 * s * s)"},
    var={"s": "2 * s * exp(s * s) * (2 * exp(s * s) - 1)"},
    entropy={"s": "1 / s"},
)
positive(
    "powerlognorm",
    "-(1 + (z + (c - 1) * mills(-z)) / s) / x",
    given={"z": "log(x) / s", "tail": "log_ndtr(-z)"},
    c="1 / c + tail",
    s="(z * z - 1 + (c - 1) * mills(-z) * z) / s",
    log_sf={"x": "-c * mills(-z) / (s * x)", "c": "tail", "s": "c * mills(-z) * z / s"},
)
positive(
    "fatiguelife",
    "1 / (x + 1) - 1.5 / x - (1 - 1 / (x * x)) / (2 * c * c)",
    given={"z": "(sqrt(x) - 1 / sqrt(x)) / c"},
    c="(z * z - 1) / c",
    cdf={"c": "-normal_density(z) * z / c"},
)
positive(
    "invgauss",
    "(0.5 / x - 1.5) / x - 0.5 / (mu * mu)",
    mu="(x / mu - 1) / (mu * mu)",
    cdf={"mu": "-2 / (mu * mu) * exp(2 / mu + log_ndtr(-(x / mu + 1) / sqrt(x)))"},
    mean={"mu": "1.0"},
    var={"mu": "3 * mu * mu"},
)
positive(
    "recipinvgauss", "(0.5 / (x * mu * mu) - 0.5) / x - 0.5", mu="(1 / (x * mu) - 1) / (mu * mu)"
)
positive(
    "weibull_min",
    "over(c - 1, x) - c * u / x",
    given={"u": "x ** c"},
    c="1 / c + log(x) * (1 - u)",
    log_sf={"x": "-c * u / x", "c": "-u * log(x)"},
    mean={"c": "-gamma(1 + 1 / c) * psi(1 + 1 / c) / (c * c)"},
    var={
        "c": (
            "2 / (c * c) * (gamma(1 + 1 / c) ** 2 * psi(1 + 1 / c) - gamma(1 + 2 / c) * psi(1 + 2"
            " / c))"
        )
    },
    entropy={"c": "(0.5772156649015329 / c - 1) / c"},
)
continuous(
    "weibull_max",
    "over(c - 1, x) - c * u / x",
    "-1.0",
    given={"u": "(-x) ** c"},
    c="1 / c + log(-x) * (1 - u)",
    log_cdf={"x": "-c * u / x", "c": "-u * log(-x)"},
)
positive(
    "invweibull",
    "(c * u - c - 1) / x",
    given={"u": "x ** -(1.0 * c)"},
    c="1 / c + log(x) * (u - 1)",
    log_cdf={"x": "c * u / x", "c": "u * log(x)"},
)
positive(
    "exponweib",
    "(c - 1 + c * u * ((a - 1) / expm1(u) - 1)) / x",
    given={
        "u": "x ** c",
        "log_base": "where(u > 1, log1p(-exp(-u)), log(-expm1(-where(u > 1, 1.0, u))))",
    },
    a="1 / a + log_base",
    c="1 / c + log(x) * (1 - u + (a - 1) * u / expm1(u))",
    log_cdf={"x": "a * c * u / (x * expm1(u))", "a": "log_base", "c": "a * u * log(x) / expm1(u)"},
)
positive(
    "exponpow",
    "(b - 1 - b * u * expm1(u)) / x",
    given={"u": "x ** b"},
    b="1 / b + log(x) * (1 - u * expm1(u))",
    log_sf={"x": "-b * u * exp(u) / x", "b": "-exp(u) * u * log(x)"},
)
continuous(
    "pareto",
    "-(b + 1) / x",
    "2.0",
    b="1 / b - log(x)",
    log_sf={"x": "-b / x", "b": "-log(x)"},
    mean={"b": "-1 / ((b - 1) * (b - 1))"},
    entropy={"b": "-1 / b - 1 / (b * b)"},
)
positive(
    "lomax",
    "-(c + 1) / (1 + x)",
    c="1 / c - log1p(x)",
    log_sf={"x": "-c / (1 + x)", "c": "-log1p(x)"},
)
continuous(
    "genpareto",
    "-(c + 1) / (1 + c * x)",
    "0.25 / maximum(1.0, abs(c))",
    given={"y": "x * log1p_quotient(c * x)", "y_by_c": "x * x * logarithmic_remainder(c * x)"},
    c="-y - (c + 1) * y_by_c",
    log_sf={"x": "-1 / (1 + c * x)", "c": "-y_by_c"},
)
positive(
    "fisk",
    "(2 * c * w - c - 1) / x",
    given={"w": "expit(-c * log(x))"},
    c="1 / c + log(x) * (2 * w - 1)",
    cdf={"c": "w * expit(c * log(x)) * log(x)"},
)
positive(
    "burr",
    "(c * (d + 1) * w - c - 1) / x",
    given={"w": "expit(-c * log(x))", "log_base": "log_expit(c * log(x))"},
    c="1 / c + log(x) * ((d + 1) * w - 1)",
    d="1 / d + log_base",
    log_cdf={"x": "c * d * w / x", "c": "d * w * log(x)", "d": "log_base"},
)
positive(
    "burr12",
    "(c - 1 - c * (d + 1) * v) / x",
    given={"v": "expit(c * log(x))", "log_base": "log_expit(-c * log(x))"},
    c="1 / c + log(x) * (1 - (d + 1) * v)",
    d="1 / d + log_base",
    log_sf={"x": "-c * d * v / x", "c": "-d * v * log(x)", "d": "log_base"},
)
positive(
    "mielke",
    "(k - 1 - (s + k) * v) / x",
    given={
        "v": "expit(s * log(x))",
        "soft": "-log_expit(-s * log(x))",
        "below_x": "exp(k * (log(x) - soft / s))",
    },
    k="1 / k + log(x) - soft / s",
    s="k * soft / (s * s) - (1 + k / s) * v * log(x)",
    cdf={"k": "below_x * (log(x) - soft / s)", "s": "below_x * k * (soft / s - v * log(x)) / s"},
)
positive(
    "loglaplace",
    "where(x < 1, c - 1, -c - 1) / x",
    c="1 / c - abs(log(x))",
    cdf={"c": "0.5 * exp(-c * abs(log(x))) * log(x)"},
)
positive(
    "f",
    "(0.5 * dfn - 1) / x - 0.5 * (dfn + dfd) * dfn / sum",
    given={"sum": "dfd + dfn * x"},
    dfn="0.5 * (log(dfn * x / sum) + psi_difference(0.5 * dfn, 0.5 * dfd) + dfd * (1 - x) / sum)",
    dfd="0.5 * (log(dfd / sum) + psi_difference(0.5 * dfd, 0.5 * dfn) + dfn * (x - 1) / sum)",
    cdf={"dfn": "fdtr_by_dfn(dfn, dfd, x)", "dfd": "fdtr_by_dfd(dfn, dfd, x)"},
    mean={"dfn": "0.0 * dfn", "dfd": "-2 / ((dfd - 2) * (dfd - 2))"},
)
positive(
    "betaprime",
    "over(a - 1, x) - (a + b) / (1 + x)",
    a="log(x) - log1p(x) + psi_difference(a, b)",
    b="psi_difference(b, a) - log1p(x)",
    given={
        "near": "where(x < 1, x, 1.0) / (1 + where(x < 1, x, 1.0))",
        "rest": "1 / (1 + where(x < 1, 1.0, x))",
    },
    cdf={
        "a": "where(x < 1, betainc_by_a(a, b, near), -betainc_by_b(b, a, rest))",
        "b": "where(x < 1, betainc_by_b(a, b, near), -betainc_by_a(b, a, rest))",
    },
)
positive(
    "gompertz",
    "1 - c * exp(x)",
    c="1 / c - expm1(x)",
    log_sf={"x": "-c * exp(x)", "c": "-expm1(x)"},
)
positive(
    "foldnorm",
    "c * tanh(c * x) - x",
    c="x * tanh(c * x) - c",
    cdf={"c": "normal_density(x + c) - normal_density(x - c)"},
)
positive(
    "foldcauchy",
    "-2 * ((x - c) * p * p + (x + c) * q * q) / (p + q)",
    given={"p": "1 / (1 + (x - c) ** 2)", "q": "1 / (1 + (x + c) ** 2)"},
    c="2 * ((x - c) * p * p - (x + c) * q * q) / (p + q)",
    cdf={"c": "(q - p) / pi"},
)
continuous(
    "genexpon",
    "b * c * fallen / rate - rate",
    "0.5",
    given={
        "fallen": "exp(-c * x)",
        "lost": "expm1(-c * x)",
        "rate": "a - b * lost",
        "sf": "exp(-(a + b) * x - b * lost / c)",
        "by_c": "b * (x * fallen + lost / c) / c",
    },
    a="1 / rate - x",
    b="-lost / rate - x - lost / c",
    c="b * x * fallen / rate + by_c",
    cdf={"a": "x * sf", "b": "(x + lost / c) * sf", "c": "-by_c * sf"},
)
positive(
    "alpha",
    "-(2 + (a - 1 / x) / x) / x",
    a="1 / x - a - mills(a)",
    cdf={"a": "normal_density(a - 1 / x) / ndtr(a) - below(x) * mills(a)"},
)
positive(
    "kappa3",
    "-(a + 1) * w / x",
    given={
        "from_one": "a * log(x) - log(a)",
        "w": "expit(from_one)",
        "whole": "log(a) - log_expit(-from_one)",
    },
    a="1 / a + whole / (a * a) - (1 + 1 / a) * ((1 - w) / a + w * log(x))",
    cdf={"a": "below(x) * (-log_expit(from_one) / a - expit(-from_one) * (1 / a - log(x))) / a"},
)
positive(
    "rel_breitwigner",
    "-4 * x * w / (rho * (1 + w * w))",
    given={"w": "(x - rho) * (x + rho) / rho", "root": "sqrt(1 + 1 / (rho * rho))"},
    rho=(
        "(0.5 / (1 + root) - 1 / root) / (root * rho**3) + 2 * w * (x * x / (rho * rho) + 1) / (1 +"
        " w * w)"
    ),
)
positive(
    # W. J. Reed, M. Jorgensen, 2004: of Mills' ratios R, of which R'(y) = y R(y) - 1
    "dpareto_lognorm",
    "(by_z / s - 1) / x",
    given={
        "z": "(log(x) - u) / s",
        "upper": "a * s - z",
        "lower": "b * s + z",
        "log_upper": "log_ndtr(-upper) + 0.5 * upper * upper",
        "log_lower": "log_ndtr(-lower) + 0.5 * lower * lower",
        "rest": "exp(-0.9189385332046727 - logaddexp(log_upper, log_lower))",  # log(2 pi) / 2
        "by_upper": "upper * expit(log_upper - log_lower) - rest",
        "by_lower": "lower * expit(log_lower - log_upper) - rest",
        "by_z": "by_lower - by_upper - z",
    },
    u="-by_z / s",
    s="a * by_upper + b * by_lower - z * by_z / s",
    a="b / (a * (a + b)) + s * by_upper",
    b="a / (b * (a + b)) + s * by_lower",
)
