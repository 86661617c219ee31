"""Samples of `scipy.stats`: each distribution at two points, by all parameters."""

from typing import Any

import numpy as np

from chainrules_py.errors import NotDifferentiableError
from chainrules_py.rulesets.scipy.stats.families import FAMILIES, Family
from chainrules_py.rulesets.scipy.stats.methods import (
    CONTINUOUS,
    DISCRETE,
    OF_PARAMETERS,
    QUANTILES,
    Distribution,
)
from chainrules_py.rulesets.scipy.stats.module import stats
from chainrules_py.rulesets.scipy.stats.orthants import orthant
from chainrules_py.rulesets.scipy.stats.poisson_sums import mean_log_of_next
from chainrules_py.testing.random_tangents import adding_to_nothing
from chainrules_py.testing.samples import Draw, Sample, Samples, Tag, samples_for
from chainrules_py.values.identity import takes

# Shapes; a distribution that is not here has none, or 1.7, 2.4 and 1.3.
SHAPES: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(
        ("bernoulli", "geom", "logser", "wrapcauchy", "skewcauchy", "triang", "genhalflogistic"),
        (0.4,),
    ),
    "binom": (6, 0.4),
    "erlang": (2,),
    "nbinom": (3.5, 0.4),
    **dict.fromkeys(("betabinom", "betanbinom"), (6, 1.7, 2.4)),
    "boltzmann": (0.4, 8),
    "truncnorm": (-1.2, 2.0),
    "norminvgauss": (1.7, 0.4),
    **dict.fromkeys(("genextreme", "genpareto"), (0.3,)),
    **dict.fromkeys(("f", "beta"), (4.6, 5.3)),
    **dict.fromkeys(("t", "pareto"), (4.3,)),
    **dict.fromkeys(("loguniform", "reciprocal"), (0.5, 2.5)),
    "genhyperbolic": (0.6, 1.7, 0.4),
    "geninvgauss": (0.6, 1.7),
    "trapezoid": (0.3, 0.6),
    "truncweibull_min": (1.7, 0.2, 2.4),
    "kappa4": (0.3, -0.2),
    "tukeylambda": (0.3,),
}
# Those that stand for all: the methods are the same for each distribution, and the tables are
# tested by finite differences.
REPRESENTATIVE = ("norm", "gamma", "truncnorm", "uniform", "poisson", "binom", "nbinom")
# Slopes that read sums which are not differentiated again
BY_SUMS = (
    "gammainc_by_a",
    "betainc_by_a",
    "stdtr_by_df",
    "fdtr_by_dfn",
    "chndtr",
    "gamma_density",
    "mean_log_of_next",
)
LOCATION, SCALE = 0.3, 1.4
DENSITIES = ("logpdf", "pdf", "logpmf", "pmf")


def shapes_of(name: str) -> tuple[Any, ...]:
    """The shapes at which a distribution is sampled."""
    return SHAPES.get(name, (1.7, 2.4, 1.3)[: getattr(stats, name).numargs])


def by_sums(family: Family) -> bool:
    """Whether a derivative by a shape is a sum that has no derivative itself."""
    return any(name in text for text in family.tables["cdf"].values() for name in BY_SUMS)


def unknown(family: Family, method: str) -> list[int]:
    """The positions of shapes by which the table has no derivative."""
    known = family.tables["log_density" if method in DENSITIES else "cdf"]
    shapes = [name.strip() for name in (getattr(stats, family.name).shapes or "").split(",")]
    return [2 + index for index, name in enumerate(shapes) if name and name not in known]


def about(family: Family, method: str) -> dict[str, Any]:
    """Collect the keywords of a distribution's samples: what is special about its method."""
    return {
        "fixed": [0, *unknown(family, method)],
        "second_order": method in DENSITIES or not by_sums(family),
        "name": family.name,
    }


SAMPLED = [
    (family, getattr(stats, family.name))
    for family in FAMILIES.values()
    if family.name in REPRESENTATIVE
]
CONTINUOUS_PRIMALS = {
    getattr(stats.rv_continuous, name): name for name in (*CONTINUOUS, *QUANTILES)
}
DISCRETE_PRIMALS = {getattr(stats.rv_discrete, name): name for name in DISCRETE}


@samples_for(*CONTINUOUS_PRIMALS, dtypes=["float64"])
def continuous_samples(draw: Draw, primal) -> Samples:
    """Two points of each distribution."""
    method = CONTINUOUS_PRIMALS[primal]
    for family, distribution in SAMPLED:
        if isinstance(distribution, stats.rv_continuous):
            parameters = (*shapes_of(family.name), LOCATION, SCALE)
            p = np.array([0.3, 0.65])
            x = p if method in QUANTILES else distribution.ppf(p, *parameters)
            yield Sample(distribution, x, *parameters, **about(family, method))


@samples_for(*DISCRETE_PRIMALS, dtypes=["float64"])
def discrete_samples(draw: Draw, primal) -> Samples:
    """Two whole numbers, by the parameters."""
    method = DISCRETE_PRIMALS[primal]
    for family, distribution in SAMPLED:
        if isinstance(distribution, stats.rv_discrete):
            k = np.array([0, 1] if family.name == "bernoulli" else [1, 3])
            yield Sample(distribution, k, *shapes_of(family.name), **about(family, method))


@samples_for(*(getattr(Distribution, name) for name in OF_PARAMETERS), dtypes=["float64"])
def parameter_samples(draw: Draw, primal) -> Samples:
    """Moments of distributions with and without shapes."""
    for name in ("norm", "gamma", "beta"):
        second_order = primal.__name__ != "median" or name == "norm"
        args = getattr(stats, name), *shapes_of(name), LOCATION, SCALE
        yield Sample(*args, fixed=[0], second_order=second_order, name=name)
    if primal.__name__ != "entropy":
        yield Sample(stats.poisson, np.array([0.3, 2.5]), LOCATION, fixed=[0], name="poisson")


@samples_for(stats.rv_continuous.rvs, dtypes=["float64"])
def draws_by_quantiles(draw: Draw) -> Samples:
    """Of distributions that SciPy draws by the quantile of a uniform number, in one state."""
    options = {"random_state": 3}
    yield Sample(stats.fisk, 2.4, LOCATION, SCALE, options={**options, "size": 4}, fixed=[0])
    yield Sample(stats.burr, draw.between(1.5, 2.5, 3), 2.4, options=options, fixed=[0])
    yield Sample(stats.norm, draw.any(2), SCALE, options=options, fixed=[0])


@samples_for(stats.rv_discrete.rvs, dtypes=["float64"])
def draws_of_whole_numbers(draw: Draw) -> Samples:
    """Which jump: they are drawn by constants alone."""
    yield Sample(stats.poisson, 2, options={"random_state": 3}, fixed=[0])
    yield Sample(stats.poisson, 2.4, options={"random_state": 3}, error=NotDifferentiableError)


PAIRS = [(getattr(stats.rv_discrete, name), getattr(Distribution, name)) for name in OF_PARAMETERS]
OWN_OF_DISCRETE = [own for own, inherited in PAIRS if own is not inherited]  # since SciPy 1.18


@samples_for(*OWN_OF_DISCRETE, dtypes=["float64"])
def discrete_parameter_samples(draw: Draw, primal) -> Samples:
    """Of a variable whose moments and entropy move with its mean."""
    is_entropy = primal.__name__ == "entropy"
    args = stats.poisson, np.array([0.3, 2.5]), *([] if is_entropy else [LOCATION])
    yield Sample(*args, fixed=[0], second_order=not is_entropy, name="poisson")


NORMAL: Any = type(stats.multivariate_normal)
STUDENT: Any = type(stats.multivariate_t)
DIRICHLET: Any = type(stats.dirichlet)
MULTINOMIAL: Any = type(stats.multinomial)


@samples_for(NORMAL.logpdf, NORMAL.pdf, dtypes=["float64"])
def normal_samples(draw: Draw) -> Samples:
    """One point and several; the covariance as a matrix, a diagonal and a number."""
    law, symmetric = stats.multivariate_normal, {3: "symmetric"}
    yield Sample(
        law,
        draw.real(2, 3),
        draw.real(3),
        draw.positive_definite(3, 3),
        structures=symmetric,
    )
    yield Sample(law, draw.real(3), draw.real(3))
    yield Sample(law, draw.real(2))
    yield Sample(law, draw.real(4), None, draw.positive(), name="number")
    options = {"allow_singular": True}
    yield Sample(
        law,
        draw.real(3),
        draw.real(3),
        draw.positive(3),
        options=options,
    )


@samples_for(NORMAL.cdf, NORMAL.logcdf, dtypes=["float64"])
def normal_probability_samples(draw: Draw) -> Samples:
    """Of two coordinates, where SciPy's integral is exact, and of one."""
    law, symmetric = stats.multivariate_normal, {3: "symmetric"}
    both = draw.positive_definite(2, 2)
    yield Sample(law, draw.real(3, 2), draw.real(2), both, structures=symmetric)
    options = {"maxpts": 1000, "abseps": 1e-6, "releps": 1e-6, "rng": 3}
    options["allow_singular"] = True
    if not takes(NORMAL.cdf, "rng"):  # before SciPy 1.16
        del options["rng"]
    point, mean, diagonal = draw.real(2), draw.real(2), draw.positive(2)
    yield Sample(law, point, mean, diagonal, name="diagonal", options=options)
    yield Sample(law, draw.real(4), None, draw.positive(), name="number")
    yield Sample(law, draw.real(3), draw.real(1))
    yield Sample(law, draw.real(2))


@samples_for(orthant, dtypes=["float64"])
def orthant_samples(draw: Draw) -> Samples:
    """By the limits and by the covariance."""
    yield Sample(
        draw.real(3, 2),
        draw.positive_definite(2, 2),
        options={"how": {}},
        structures={1: "symmetric"},
    )


@samples_for(NORMAL.entropy, dtypes=["float64"])
def entropy_samples(draw: Draw) -> Samples:
    """By the covariance."""
    yield Sample(
        stats.multivariate_normal,
        None,
        draw.positive_definite(3, 3),
        structures={2: "symmetric"},
    )
    yield Sample(stats.multivariate_normal, draw.real(2), draw.positive(2), name="diagonal")
    yield Sample(stats.multivariate_normal, draw.real(2))
    yield Sample(stats.multivariate_normal)


@samples_for(STUDENT.logpdf, STUDENT.pdf, dtypes=["float64"])
def student_samples(draw: Draw) -> Samples:
    """One point and several."""
    law, symmetric = stats.multivariate_t, {3: "symmetric"}
    matrix = draw.positive_definite(3, 3)
    yield Sample(law, draw.real(2, 3), draw.real(3), matrix, 3.5, structures=symmetric)
    yield Sample(law, draw.real(3), None, matrix, 3.5, structures=symmetric)
    yield Sample(law, draw.real(3), draw.real(3), matrix, structures=symmetric)
    yield Sample(law, draw.real(3), draw.real(3))
    yield Sample(law, draw.real(2))


@samples_for(DIRICHLET.logpdf, DIRICHLET.pdf, dtypes=["float64"])
def dirichlet_samples(draw: Draw) -> Samples:
    """Points that lack the last coordinate, one and several; and a whole one."""
    point = np.array([0.2, 0.5])
    yield Sample(stats.dirichlet, point, draw.positive(3))
    yield Sample(stats.dirichlet, np.stack([point, 0.5 * point], axis=1), draw.positive(3))
    whole, plane = np.array([0.25, 0.625, 0.125]), {1: adding_to_nothing}
    yield Sample(stats.dirichlet, whole, draw.positive(3), structures=plane, name="whole")


@samples_for(MULTINOMIAL.logpmf, MULTINOMIAL.pmf, dtypes=["float64"])
def multinomial_samples(draw: Draw) -> Samples:
    """Counts, and probabilities that go on adding up to 1."""
    p = np.array([0.25, 0.125, 0.625])
    plane = {3: adding_to_nothing}
    yield Sample(stats.multinomial, np.array([[1, 0, 3], [2, 1, 1]]), 4, p, structures=plane)


ALONG_ROWS: dict[Any, tuple[dict[str, Any], ...]] = {
    **dict.fromkeys(
        (stats.gmean, stats.hmean),
        ({}, {"axis": 1}, {"weights": np.array([[0.5], [1.0], [2.0], [0.7]])}),
    ),
    stats.sem: ({}, {"axis": 1, "ddof": 0}),
    stats.variation: ({}, {"axis": None, "ddof": 1}),
    stats.moment: ({}, {"order": 3}, {"order": 2, "center": 0.4, "axis": 1}),
    stats.skew: ({}, {"bias": False}, {"axis": None}),
    stats.kurtosis: ({}, {"bias": False, "fisher": False}, {"axis": None}),
    stats.zscore: ({}, {"ddof": 1, "axis": None}),
    stats.entropy: ({}, {"base": 2.0, "axis": 1}),
}


@samples_for(*ALONG_ROWS, dtypes=["float64"])
def statistics_samples(draw: Draw, primal) -> Samples:
    """Along an axis and over all entries, with each option."""
    for options in ALONG_ROWS[primal]:
        yield Sample(draw.positive(4, 5), options=options)
    yield Sample(draw.positive(4, 5), options=ALONG_ROWS[primal][-1] | {"nan_policy": "omit"})
    if primal is not stats.zscore:
        yield Sample(draw.positive(4, 5), options={"keepdims": True})


@samples_for(stats.entropy, dtypes=["float64"])
def relative_entropy_samples(draw: Draw) -> Samples:
    """Against another distribution; against one of several, and several against one."""
    yield Sample(draw.positive(4, 2), draw.positive(4, 2))
    yield Sample(draw.positive(2, 3), draw.positive(1, 3), options={"axis": -1})


@samples_for(stats.pmean, dtypes=["float64"])
def power_mean_samples(draw: Draw) -> Samples:
    """Powers of either sign, with each option."""
    yield Sample(draw.positive(4, 3), options={"p": 1.7})
    yield Sample(draw.positive(4, 3), options={"p": -2.0, "axis": 1, "keepdims": True})
    yield Sample(draw.positive(4), options={"p": 0.5, "weights": np.array([0.5, 1.0, 2.0, 0.7])})
    yield Sample(draw.positive(4, 3), options={"p": 1.7, "nan_policy": "omit"})


@samples_for(stats.mode, dtypes=["float64"])
def mode_samples(draw: Draw) -> Samples:
    """Of numbers that differ, and of some that are equal; where there is none in a row."""
    yield Sample(draw.distinct(5))
    yield Sample(draw.distinct(3, 4), options={"axis": 1, "keepdims": True})
    yield Sample(draw.distinct(3, 4), options={"axis": None})
    with_nan = np.array([[0.5, np.nan], [0.2, 0.7], [np.nan, 0.9]])
    yield Sample(with_nan, options={"nan_policy": "omit"})
    yield Sample(np.array([2.0, 1.0, 2.0, 3.0]), tags=[Tag.TIE])


@samples_for(stats.rankdata, stats.tiecorrect, dtypes=["float64"])
def ranks_samples(draw: Draw) -> Samples:
    """Ranks and counts."""
    yield Sample(draw.positive(5))


@samples_for(mean_log_of_next, dtypes=["float64"])
def poisson_samples(draw: Draw) -> Samples:
    """Small and large means."""
    yield Sample(np.array([0.3, 2.5, 40.0]), 0)


@samples_for(stats.percentileofscore, dtypes=["float64"])
def percentile_samples(draw: Draw) -> Samples:
    """The share of numbers below one."""
    yield Sample(draw.positive(5), 1.0)


@samples_for(*(getattr(stats.rv_discrete, name) for name in QUANTILES), dtypes=["float64"])
def step_samples(draw: Draw) -> Samples:
    """Quantiles that are whole numbers, and some that a location moves."""
    yield Sample(stats.poisson, np.array([0.2, 0.7]), 3.0, fixed=[0])
    yield Sample(stats.binom, np.array([0.2, 0.7]), 5, 0.4, draw.any(2), fixed=[0, 2])
