"""Means of log(k + 1) and its differences for a Poisson variable k: derivatives of its entropy."""

import numpy as np

from chainrules_py.makers import primitive
from chainrules_py.rulesets.scipy.special.declaring import named, special_rule
from chainrules_py.rulesets.scipy.stats.module import stats
from chainrules_py.tangents import NO_TANGENT

_WIDTH = 40  # deviations from the mean; the rest is below 1e-300


@named
@primitive
def mean_log_of_next(mu, order):
    """The mean of the differences of log(k + 1) of this order, for a Poisson variable k.

    Its derivative by `mu` is the mean of the differences of the next order.
    """
    mu = np.asarray(mu, float)
    reach = int(np.max(_WIDTH * (np.sqrt(mu) + 1), initial=0.0))
    k = np.floor(mu)[..., None] + np.arange(-reach, reach + 1 + order)
    differences = np.diff(np.log1p(np.where(k < 0, 0, k)), n=order, axis=-1)
    return np.sum(stats.poisson.pmf(k[..., : 2 * reach + 1], mu[..., None]) * differences, axis=-1)


special_rule(mean_log_of_next, "mu, order", "mean_log_of_next(mu, order + 1)", NO_TANGENT)
