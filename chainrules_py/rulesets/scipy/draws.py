"""Draws of numpy.random that move like quantiles; SciPy has their distribution function F.

The derivative of a draw by a parameter is -(dF/dparameter) / F' there, as in `rulesets.draws`, which
imports this for the first one.
"""

import math
from functools import cache
from typing import Any

import numpy as np
from scipy import special

from chainrules_py import ignore_derivatives
from chainrules_py.annotations import Function
from chainrules_py.rulesets.formulas.known_values import greatest_known
from chainrules_py.rulesets.scipy.special.incomplete import (
    inverse_beta_by_parameter,
    inverse_gamma_by_a,
    stdtr_by_df,
    stdtr_by_t,
)
from chainrules_py.rulesets.scipy.special.parameter_derivatives import (
    betainc_by_a,
    betainc_by_b,
    gamma_density,
    gammainc_by_a,
)
from chainrules_py.values.arrays import call


def student_draw_by_df(df, y, xp) -> Any:
    return -stdtr_by_df(df, y, xp) / stdtr_by_t(df, y, xp)


# --- Wald: the inverse Gaussian of a mean, of which the scale is a parameter of its own ---


def wald_by_mean(mean, scale, y, xp) -> Any:
    """The mean of -2 exp(2 scale / mean) Phi(-w) over the density, in which exponents cancel."""
    x = y / scale
    tail = call(special.erfcx, (y / mean + 1.0) * xp.sqrt(0.5 / x))
    return math.sqrt(2 * math.pi) * x**1.5 * tail * (scale / mean) ** 2


def wald_by_scale(mean, scale, y, xp):
    """Scaling both parameters scales the draw by the same factor."""
    return (y - mean * wald_by_mean(mean, scale, y, xp)) / scale


# --- Noncentral chi-squared: chi-squared of df + 2 j, where j is a draw of Poisson's ---


def mixed(function, df, nonc, y, xp) -> Any:
    """The sum of a function of df / 2 + j and y / 2 over the numbers j, by their probabilities."""
    mean = 0.5 * xp.expand_dims(nonc, -1)
    reach = 30 + greatest_known(xp.ceil(10.0 * xp.sqrt(ignore_derivatives(mean))))
    near = xp.floor(mean) + np.arange(-reach, reach + 1.0)
    j = xp.maximum(near, 0.0)
    logarithm = call(special.xlogy, j, mean) - mean - call(special.gammaln, j + 1.0)
    weights = xp.where(near < 0, 0.0, xp.exp(logarithm))
    at = 0.5 * xp.expand_dims(df, -1) + j, 0.5 * xp.expand_dims(y, -1)
    return xp.sum(weights * function(*at), axis=-1)


def noncentral_by_df(df, nonc, y, xp):
    slope = mixed(lambda a, x: call(gammainc_by_a, a, x), df, nonc, y, xp)
    return -slope / mixed(lambda a, x: gamma_density(a, x, xp), df, nonc, y, xp)


def noncentral_by_nonc(df, nonc, y, xp):
    """The density of two more degrees of freedom over that of these: F moves by minus the former."""
    density = mixed(lambda a, x: gamma_density(a, x, xp), df, nonc, y, xp)
    return mixed(lambda a, x: gamma_density(a + 1.0, x, xp), df, nonc, y, xp) / density


# --- Von Mises, around the circle from its mode ---


@cache
def nodes() -> tuple[Any, Any]:
    """Gauss-Legendre nodes and weights between 0 and 1."""
    at, weights = np.polynomial.legendre.leggauss(64)
    return 0.5 * (at + 1.0), 0.5 * weights


def vonmises_by_mu(mu, kappa, y, xp):
    return xp.ones_like(y)


def vonmises_by_kappa(mu, kappa, y, xp):
    """Minus the integral of (cos t - I1 / I0) exp(kappa cos t) from the mode, divided by exp(kappa
    cos t) here.
    """
    z = xp.expand_dims(xp.remainder(y - mu + math.pi, 2 * math.pi) - math.pi, -1)
    own = xp.expand_dims(kappa, -1)
    at, weights = nodes()
    cosine = xp.cos(z * at)
    mean = call(special.i1e, own) / call(special.i0e, own)
    inside = (cosine - mean) * xp.exp(own * (cosine - xp.cos(z)))
    return -xp.sum(weights * z * inside, axis=-1)


SLOPES: dict[str, tuple[Function, ...]] = {
    "standard_gamma": (inverse_gamma_by_a,),
    "standard_t": (student_draw_by_df,),
    "beta": (inverse_beta_by_parameter(betainc_by_a), inverse_beta_by_parameter(betainc_by_b)),
    "noncentral_chisquare": (noncentral_by_df, noncentral_by_nonc),
    "vonmises": (vonmises_by_mu, vonmises_by_kappa),
    "wald": (wald_by_mean, wald_by_scale),
}
