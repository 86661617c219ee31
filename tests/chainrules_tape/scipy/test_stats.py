"""The distributions and the functions of `scipy.stats` on traced values."""

import copy
import pickle

import numpy as np
import pytest
from scipy import stats

from chainrules_tape import grad, value_and_grad, vmap
from chainrules_tape.scipy import stats as traced

X = np.array([0.3, 1.2, 2.0])


def test_plain_values_get_scipys_answer():
    assert np.array_equal(traced.gamma.cdf(X, 2.0, scale=1.5), stats.gamma.cdf(X, 2.0, scale=1.5))
    assert traced.gamma(2.0).mean() == 2.0
    assert traced.gmean(X) == stats.gmean(X)
    assert traced.norm.numargs == 0
    assert "norm" in repr(traced.norm)
    assert "norm" in dir(traced)


def test_a_distribution_is_one_of_scipys_to_those_who_ask():
    assert isinstance(traced.norm, stats.rv_continuous)
    assert isinstance(traced.poisson, stats.rv_discrete)
    for made in (traced, stats):
        assert isinstance(made.norm(0.0, 1.0), stats.distributions.rv_frozen)
        assert isinstance(
            made.multivariate_normal([0.0, 0.0]), type(stats.multivariate_normal([0.0, 0.0]))
        )
    assert type(traced.gamma(2.0)) is type(stats.gamma(2.0))
    assert (
        grad(
            lambda s: s if isinstance(traced.norm(0.0, s), stats.distributions.rv_frozen) else 0.0
        )(2.0)
        == 1.0
    )


def test_a_frozen_distribution_takes_traced_values_and_may_be_copied():
    frozen = traced.norm(0.5, scale=2.0)
    for one in (frozen, pickle.loads(pickle.dumps(frozen)), copy.deepcopy(frozen)):
        assert grad(one.logpdf)(1.5) == pytest.approx(-0.25)
        assert one.interval(0.5) == stats.norm(0.5, scale=2.0).interval(0.5)
    normal = traced.multivariate_normal([0.0, 0.0])
    np.testing.assert_allclose(
        grad(pickle.loads(pickle.dumps(normal)).logpdf)(np.array([1.0, 2.0])), [-1.0, -2.0]
    )
    assert pickle.loads(pickle.dumps(traced.norm)).cdf(0.0) == 0.5


def test_the_state_of_its_random_numbers_is_scipys():
    ours, theirs = traced.norm(0.5, scale=2.0), stats.norm(0.5, scale=2.0)
    ours.random_state = theirs.random_state = 3
    expected = theirs.rvs()
    assert ours.rvs() == expected

    def drawn(mean, make=traced.norm):
        frozen = make(mean)
        frozen.random_state = 3
        return np.sum(copy.copy(frozen).rvs())

    assert value_and_grad(lambda x: 2.0 * drawn(x) - x)(0.5) == pytest.approx((expected, 1.0))
    assert drawn([0.5], traced.multivariate_normal) == drawn([0.5], stats.multivariate_normal)


# Many examples at once, by formulas of our own

RNG = np.random.default_rng(0)
ALPHAS = RNG.uniform(0.5, 2.0, (4, 3))
POINTS = RNG.dirichlet([1.0, 2.0, 3.0], 4)


def test_points_outside_of_the_simplex_are_refused_as_scipy_does():
    with pytest.raises(ValueError, match="within the normal simplex"):
        vmap(traced.dirichlet.logpdf)(2.0 * POINTS, ALPHAS)
    with pytest.raises(ValueError, match="greater than 0"):
        vmap(traced.dirichlet.logpdf)(POINTS, -ALPHAS)
