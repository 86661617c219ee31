"""Distributions of whole numbers, by their parameters.

What counts how many draws there are is a whole number, too.
"""

from chainrules_py.rulesets.scipy.stats.families import discrete

discrete(
    "bernoulli",
    p="over(x, p) - over(1 - x, 1 - p)",
    pmf={"p": "where(x == 0, -1.0, where(x == 1, 1.0, 0.0))"},
    cdf={"p": "where(x == 0, -1.0, 0.0)"},
    mean={"p": "1.0"},
    var={"p": "1 - 2 * p"},
)
discrete(
    "binom",
    constants=("n",),
    p="over(x, p) - over(n - x, 1 - p)",
    pmf={
        "p": (
            "where(p < 0.5, (n - x + 1) * exp(log_density(x - 1)) - (n - x) * exp(log_density(x)),"
            " x * exp(log_density(x)) - (x + 1) * exp(log_density(x + 1)))"
        )
    },
    cdf={
        "p": (
            "-where(p < 0.5, over(n - x, 1 - p) * exp(log_density(x)), over(x + 1, p) *"
            " exp(log_density(x + 1)))"
        )
    },
    mean={"p": "1.0 * n"},
    var={"p": "n * (1 - 2 * p)"},
)
discrete(
    "geom",
    p="1 / p - over(x - 1, 1 - p)",
    pmf={"p": "exp(log_density(x)) - (x - 1) * exp(log_density(x - 1))"},
    cdf={"p": "x * (1 - p) ** (x - 1.0)"},
    mean={"p": "-1 / (p * p)"},
    var={"p": "(p - 2) / p**3"},
)
discrete(
    "nbinom",
    n="psi_difference(n, x) + log(p)",
    p="n / p - over(x, 1 - p)",
    pmf={"p": "n * exp(log_density(x)) - (n + x - 1) * exp(log_density(x - 1))"},
    cdf={"n": "betainc_by_a(n, x + 1.0, p)", "p": "beta_density(n, x + 1.0, p)"},
    mean={"n": "(1 - p) / p", "p": "-n / (p * p)"},
    var={"n": "(1 - p) / (p * p)", "p": "n * (p - 2) / p**3"},
)
discrete(
    "poisson",
    mu="over(x, mu) - 1",
    pmf={"mu": "exp(log_density(x - 1)) - exp(log_density(x))"},
    cdf={"mu": "-gamma_density(x + 1.0, mu)"},
    mean={"mu": "1.0"},
    var={"mu": "1.0"},
    entropy={"mu": "mean_log_of_next(mu, 0) - log(mu)"},
)
discrete(
    "betabinom",
    constants=("n",),
    a="psi_difference(a, x) - psi_difference(a + b, n)",
    b="psi_difference(b, n - x) - psi_difference(a + b, n)",
)
discrete(
    "betanbinom",
    constants=("n",),
    a="psi_difference(a, n) - psi_difference(a + b, n + x)",
    b="psi_difference(b, x) - psi_difference(a + b, n + x)",
)
discrete(
    "planck",
    lambda_="1 / expm1(lambda_) - x",
    log_sf={"lambda_": "-(x + 1)"},
)
discrete(
    "dlaplace",
    a="1 / sinh(a) - abs(x)",
    cdf={
        "a": (
            "expit(-a) * where(x >= 0, exp(-a * abs(x)) * (x + expit(a)), exp(-a * abs(x + 1)) * (x"
            " + expit(-a)))"
        )
    },
)
discrete(
    "boltzmann",
    constants=("N",),
    lambda_="1 / expm1(lambda_) - N / expm1(lambda_ * N) - x",
)
discrete("logser", p="x / p + 1 / ((1 - p) * log1p(-p))")
discrete(
    "skellam",
    mu1="exp(log_density(x - 1) - log_density(x)) - 1",
    mu2="exp(log_density(x + 1) - log_density(x)) - 1",
)
discrete("yulesimon", alpha="1 / alpha - psi_difference(alpha + 1, x)")
