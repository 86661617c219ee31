"""Distributions whose densities are made of modified Bessel functions.

Quotients of these are computed with the scaled functions (`ive`, `kve`), which do not overflow.
"""

from functools import partial

from chainrules_py.rulesets.scipy.stats.families import continuous

positive = partial(continuous, middle="1.0")

for _name in ("vonmises", "vonmises_line"):
    continuous(_name, "-kappa * sin(x)", kappa="cos(x) - i1e(kappa) / i0e(kappa)")
positive(
    "rice",
    "1 / x - x + b * ratio",
    given={"ratio": "i1e(x * b) / i0e(x * b)"},
    b="x * ratio - b",
    cdf={"b": "2 * b * chndtr_by_nc(x * x, 2.0, b * b)"},
)
positive(
    "ncx2",
    "-0.5 + (0.5 * df - 1) / x + 0.5 * ratio * root / x",
    given={"root": "sqrt(nc * x)", "ratio": "ive(0.5 * df, root) / ive(0.5 * df - 1, root)"},
    df="0.5 * (0.5 * log(x / nc) + ive_by_v(0.5 * df - 1, root) / ive(0.5 * df - 1, root))",
    nc="0.5 * (ratio * root / nc - 1)",
    cdf={"nc": "chndtr_by_nc(x, df, nc)"},
    mean={"df": "1.0", "nc": "1.0"},
    var={"df": "2.0", "nc": "4.0"},
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
    "genhyperbolic",
    "b - a * x / root * kve(p - 1.5, z) / kve(p - 0.5, z)",
    given={
        "root": "sqrt(1 + x * x)",
        "z": "a * root",
        "rate": "sqrt(a * a - b * b)",
        "slope": "kve(p + 1, rate) / kve(p, rate) / rate",
    },
    p=(
        "log(rate * root / a) - kve_by_v(p, rate) / kve(p, rate) + kve_by_v(p - 0.5, z) /"
        " kve(p - 0.5, z)"
    ),
    a="a * slope - root * kve(p + 0.5, z) / kve(p - 0.5, z)",
    b="x - b * slope",
)
positive(
    "geninvgauss",
    "(p - 1) / x - 0.5 * b * (1 - 1 / (x * x))",
    p="log(x) - kve_by_v(p, b) / kve(p, b)",
    b="0.5 * ((kve(p - 1, b) + kve(p + 1, b)) / kve(p, b) - x - 1 / x)",
)
