"""The mean of log(k + 1) of a Poisson variable k, by which its entropy moves."""

from typing import Any

import numpy as np
from scipy import stats

from chainrules_py.makers import primitive, scalar_rule
from chainrules_py.tangents import not_implemented

_WIDTH = 40  # deviations from the mean; the rest is below 1e-300


@primitive
def mean_log_of_next(mu: Any) -> Any:
    """The sum over k of log(k + 1) times the probability of k: numbers around the mean, where all of the weight is."""
    mu = np.asarray(mu, float)
    reach = int(np.max(_WIDTH * (np.sqrt(mu) + 1), initial=0.0))
    k = np.floor(mu)[..., None] + np.arange(-reach, reach + 1)
    return np.sum(stats.poisson.pmf(k, mu[..., None]) * np.log1p(np.where(k < 0, 0, k)), axis=-1)


scalar_rule(mean_log_of_next, "mu", not_implemented("the second derivative of the entropy of a Poisson distribution"))
