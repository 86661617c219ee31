"""Random draws of numpy.random, which have no derivative: a draw is a constant.

The generator's, and those of the legacy state behind numpy.random's functions.
"""

import numpy as np

from chainrules_py import non_differentiable

DRAWS = (
    *("random", "integers", "choice", "bytes", "shuffle", "permutation", "permuted"),
    *("rand", "randn", "randint", "random_sample"),
    *(
        "beta",
        "binomial",
        "chisquare",
        "dirichlet",
        "exponential",
        "f",
        "gamma",
        "geometric",
        "gumbel",
        "hypergeometric",
    ),
    *(
        "laplace",
        "logistic",
        "lognormal",
        "logseries",
        "multinomial",
        "multivariate_hypergeometric",
        "multivariate_normal",
    ),
    *(
        "negative_binomial",
        "noncentral_chisquare",
        "noncentral_f",
        "normal",
        "pareto",
        "poisson",
        "power",
        "rayleigh",
    ),
    *(
        "standard_cauchy",
        "standard_exponential",
        "standard_gamma",
        "standard_normal",
        "standard_t",
        "triangular",
        "uniform",
    ),
    *("vonmises", "wald", "weibull", "zipf"),
)
for source in (np.random.Generator, np.random.RandomState):
    non_differentiable(*(getattr(source, name) for name in DRAWS if hasattr(source, name)))
