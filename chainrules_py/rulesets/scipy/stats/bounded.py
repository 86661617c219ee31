"""Distributions on an interval."""

from functools import partial

from chainrules_py.rulesets.scipy.stats.families import continuous

unit = partial(continuous, middle="0.5")

unit("uniform", "0 * x")
unit("arcsine", "(x - 0.5) / (x * (1 - x))")
continuous("anglit", "-2 * tan(2 * x)")
continuous("cosine", "-tan(0.5 * x)")
continuous("semicircular", "-x / (1 - x * x)")
unit(
    "beta",
    "over(a - 1, x) - over(b - 1, 1 - x)",
    a="log(x) + psi_difference(a, b)",
    b="log1p(-x) + psi_difference(b, a)",
    cdf={"a": "betainc_by_a(a, b, x)", "b": "betainc_by_b(a, b, x)"},
    given={"whole": "a + b", "variance": "a * b / (whole * whole * (whole + 1))"},
    mean={"a": "b / (whole * whole)", "b": "-a / (whole * whole)"},
    var={
        "a": "variance * (1 / a - 2 / whole - 1 / (whole + 1))",
        "b": "variance * (1 / b - 2 / whole - 1 / (whole + 1))",
    },
    entropy={
        "a": "trigamma_excess(whole) - zeta(2, whole) - trigamma_excess(a)",
        "b": "trigamma_excess(whole) - zeta(2, whole) - trigamma_excess(b)",
    },
)
unit("powerlaw", "over(a - 1, x)", a="1 / a + log(x)", log_cdf={"x": "a / x", "a": "log(x)"})
continuous(
    "rdist",
    "-(c - 2) * x / (1 - x * x)",
    c="0.5 * (log1p(-x * x) + psi_difference(0.5 * c, 0.5))",
    cdf={
        "c": (
            "0.5 * (betainc_by_a(0.5 * c, 0.5 * c, 0.5 * (1 + x)) - betainc_by_a(0.5 * c, 0.5 * c,"
            " 0.5 * (1 - x)))"
        )
    },
)
unit(
    "bradford",
    "-c / (1 + c * x)",
    given={"whole": "log1p(c)"},
    c="1 / c - 1 / ((1 + c) * whole) - x / (1 + c * x)",
    cdf={"c": "(x / (1 + c * x) - log1p(c * x) / whole / (1 + c)) / whole"},
)
unit(
    "triang",
    "where(x < c, 1 / x, -1 / (1 - x))",
    c="where(x < c, -1 / c, 1 / (1 - c))",
    cdf={"c": "where(x < c, -((x / c) ** 2), -(((1 - x) / (1 - c)) ** 2))"},
)
unit(
    "johnsonsb",
    "(2 * x - 1 - b * z) / (x * (1 - x))",
    given={"z": "a + b * logit(x)"},
    a="-z",
    b="1 / b - z * logit(x)",
    cdf={"a": "normal_density(z)", "b": "normal_density(z) * logit(x)"},
)
unit(
    "argus",
    "1 / x - x / rest + chi * chi * x",
    given={
        "rest": "1 - x * x",
        "whole": "gammainc(1.5, 0.5 * chi * chi)",
        "of_chi": "gamma_density(1.5, 0.5 * chi * chi)",
        "half": "0.5 * chi * chi * rest",
    },
    chi="3 / chi - chi * of_chi / whole - chi * rest",
    cdf={
        "chi": (
            "chi * (gammainc(1.5, half) * of_chi / whole - gamma_density(1.5, half) * rest) / whole"
        )
    },
)
continuous(
    "wrapcauchy",
    "-2 * c * sin(x) / away",
    "1.0",
    given={"away": "1 + c * c - 2 * c * cos(x)"},
    c="2 * (cos(x) - c) / away - 2 * c / (1 - c * c)",
    cdf={"c": "sin(x) / (pi * away)"},
)
continuous(
    "truncexpon",
    "-1.0 + 0 * x",
    "0.5 * b",
    b="-1 / expm1(b)",
    cdf={"b": "expm1(-x) / (-expm1(-b) * expm1(b))"},
)
continuous(
    "truncpareto",
    "-(b + 1) / x",
    "0.5 * (1 + c)",
    given={"beyond": "c ** (1.0 * b) - 1"},
    b="1 / b - log(x) - log(c) / beyond",
    c="-b / (c * beyond)",
    cdf={
        "b": "x ** -(1.0 * b) * log(x) * (1 + 1 / beyond) - below(x) * log(c) / beyond",
        "c": "-below(x) * b / (c * beyond)",
    },
)
for _name in ("loguniform", "reciprocal"):
    continuous(
        _name,
        "-1 / x",
        "0.5 * (a + b)",
        given={"whole": "log(b) - log(a)"},
        a="1 / (a * whole)",
        b="-1 / (b * whole)",
        cdf={"a": "-above(x) / (a * whole)", "b": "-below(x) / (b * whole)"},
    )
unit(
    "trapezoid",
    "where(x < c, 1 / x, where(x > d, -1 / (1 - x), 0.0))",
    given={"whole": "1 + d - c"},
    c="1 / whole - where(x < c, 1 / c, 0.0)",
    d="where(x > d, 1 / (1 - d), 0.0) - 1 / whole",
    cdf={
        "c": "where(x < c, below(x) * (1 / whole - 1 / c), -above(x) / whole)",
        "d": "where(x > d, above(x) * (1 / whole - 1 / (1 - d)), -below(x) / whole)",
    },
)
continuous(
    "genhalflogistic",
    "(c - tanh(0.5 * y)) / (1 - c * x)",
    "0.5 / c",
    given={"y": "x * log1p_quotient(-c * x)", "y_by_c": "-x * x * logarithmic_remainder(-c * x)"},
    c="y + (c - tanh(0.5 * y)) * y_by_c",
    cdf={"c": "2 * expit(y) * expit(-y) * y_by_c"},
)
continuous(
    "truncweibull_min",
    "over(c - 1, x) - c * u / x",
    "0.5 * (a + b)",
    given={
        "u": "x ** (1.0 * c)",
        "low": "a ** (1.0 * c)",
        "high": "b ** (1.0 * c)",
        "at_low": "-1 / expm1(low - high)",  # the density of exp(-u) at the ends, over the whole
        "at_high": "1 / expm1(high - low)",
        "left": "1 / expm1(high - u)",
        "by_a": "c * a ** (c - 1.0) * at_low",
        "by_b": "-c * b ** (c - 1.0) * at_high",
        "by_whole": "xlogy(low, a) * at_low - xlogy(high, b) * at_high",
    },
    c="1 / c + log(x) * (1 - u) + by_whole",
    a="by_a",
    b="by_b",
    log_sf={
        "x": "-c * u / x * (1 + left)",
        "c": "by_whole - u * log(x) - (u * log(x) - xlogy(high, b)) * left",
        "a": "by_a",
        "b": "by_b + c * b ** (c - 1.0) * left",
    },
)
