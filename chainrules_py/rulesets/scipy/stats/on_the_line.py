"""Distributions on the whole line, or on a part of it that depends on the shape."""

from chainrules_py.rulesets.scipy.stats.families import continuous

continuous("norm", "-x")
continuous("cauchy", "-2 * x / (1 + x * x)")
continuous("laplace", "-sign(x)")
continuous("logistic", "-tanh(0.5 * x)")
continuous("gumbel_r", "exp(-x) - 1")
continuous("gumbel_l", "1 - exp(x)")
continuous("hypsecant", "-tanh(x)")
continuous("moyal", "0.5 * (exp(-x) - 1)")
continuous(
    "t",
    "-(1 + 1 / df) * x / (1 + u)",
    given={"u": "x * x / df"},
    df="0.5 * (psi(0.5 * (df + 1)) - psi(0.5 * df) - 1 / df - log1p(u) + (1 + 1 / df) * u / (1 + u))",
    cdf={"df": "student_by_df(df, x)"},
    mean={"df": "0.0 * df"},
    var={"df": "-2 / ((df - 2) * (df - 2))"},
)
continuous(
    "gennorm",
    "-beta * abs(x) ** (beta - 1) * sign(x)",
    beta="1 / beta + psi(1 / beta) / (beta * beta) - xlogy(u, abs(x))",
    given={"u": "abs(x) ** beta", "a": "1 / beta", "y": "where(x == 0, 1.0, u)"},
    cdf={"beta": "0.5 * sign(x) * a * (gamma_density(a, y) * y * log(y) - a * gammainc_by_a(a, y))"},
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
    "genlogistic", "(c + 1) * expit(-x) - 1", c="1 / c + log_expit(x)", cdf={"c": "exp(c * log_expit(x)) * log_expit(x)"}
)
continuous("loggamma", "c - exp(x)", c="x - psi(c)", cdf={"c": "gammainc_by_a(c, exp(x))"})
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
    cdf={"c": "-exp(c * log_ndtr(-x)) * log_ndtr(-x)"},
)
continuous(
    "norminvgauss",
    "b - (a * ratio + 2 / root) * x / root",
    given={
        "root": "sqrt(1 + x * x)",
        "ratio": "k0e(a * root) / k1e(a * root)",
        "rate": "sqrt(a * a - b * b)",
    },
    a="a / rate - root * ratio",
    b="x - b / rate",
)
continuous(
    "laplace_asymmetric",
    "where(x >= 0, -kappa, 1 / kappa)",
    given={"square": "kappa * kappa", "tail": "exp(where(x >= 0, -kappa * x, x / kappa))"},
    kappa="-where(x >= 0, x, x / square) - (1 - 1 / square) / (kappa + 1 / kappa)",
    cdf={"kappa": "tail * (abs(x) / (square + 1) + 2 * kappa / (square + 1) ** 2)"},
)
for _name in ("vonmises", "vonmises_line"):
    continuous(_name, "-kappa * sin(x)", kappa="cos(x) - i1e(kappa) / i0e(kappa)")
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
    given={"y": "x * log_quotient(-c * x)", "y_by_c": "-x * x * logarithmic_remainder(-c * x)"},
    c="(exp(-y) - 1 + c) * y_by_c + y",
    cdf={"c": "exp(-exp(-y) - y) * y_by_c"},
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
