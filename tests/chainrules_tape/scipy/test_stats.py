"""The distributions and the functions of `scipy.stats` on traced values."""

import copy
import pickle

import numpy as np
import pytest
from scipy import stats

from chainrules_tape import LostGradientError, grad, hessian, jacobian, vmap
from chainrules_tape.scipy import stats as traced

X = np.array([0.3, 1.2, 2.0])


def negative_log_likelihood(parameters):
    return -np.sum(traced.norm(parameters[0], np.exp(parameters[1])).logpdf(X))


def test_a_likelihood_has_its_gradient_and_hessian():
    at = np.array([X.mean(), np.log(X.std())])
    assert np.allclose(grad(negative_log_likelihood)(at), 0.0, atol=1e-12)
    assert np.allclose(
        hessian(negative_log_likelihood)(at), np.diag([3 / X.var(), 6.0]), atol=1e-10
    )


def test_plain_values_get_scipys_answer():
    assert np.array_equal(traced.gamma.cdf(X, 2.0, scale=1.5), stats.gamma.cdf(X, 2.0, scale=1.5))
    assert traced.gamma(2.0).mean() == 2.0
    assert traced.gmean(X) == stats.gmean(X)
    assert traced.norm.numargs == 0
    assert "norm" in repr(traced.norm)
    assert "norm" in dir(traced)


def test_a_normal_distribution_of_vectors():
    covariance = np.diag([1.0, 2.0, 4.0])
    score = grad(lambda m: traced.multivariate_normal(m, covariance).logpdf(X))(np.zeros(3))
    assert np.allclose(score, X / np.diag(covariance))


def test_scipys_own_name_is_refused_with_the_import_to_write():
    with pytest.raises(LostGradientError, match=r"from chainrules_tape.scipy import stats"):
        grad(lambda m: stats.norm.logpdf(0.5, m))(0.1)


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


@pytest.mark.parametrize(
    ("frozen", "method", "name"),
    [
        (lambda make, p: make.norm(p, scale=2.0), "logpdf", "x"),
        (lambda make, p: make.gamma(2.0, p), "ppf", "q"),
        (lambda make, p: make.binom(5, p), "logpmf", "k"),
        (lambda make, p: make.multivariate_normal([p, 0.0]), "logpdf", "x"),
    ],
)
def test_methods_of_frozen_distributions_take_their_argument_by_name(frozen, method, name):
    at = {name: [0.25, 0.5] if name != "k" else [2, 3]}

    def f(p, make=traced):
        return np.sum(getattr(frozen(make, p), method)(**at))

    h = 1e-6
    slope = (f(0.3 + h, stats) - f(0.3 - h, stats)) / (2 * h)
    assert grad(f)(0.3) == pytest.approx(slope, rel=1e-7)


def test_the_state_of_its_random_numbers_is_scipys():
    ours, theirs = traced.norm(0.5, scale=2.0), stats.norm(0.5, scale=2.0)
    ours.random_state = theirs.random_state = 3
    assert ours.rvs() == theirs.rvs()


# Many examples at once, by formulas of our own

RNG = np.random.default_rng(0)
ALPHAS = RNG.uniform(0.5, 2.0, (4, 3))
POINTS = RNG.dirichlet([1.0, 2.0, 3.0], 4)
FACTORS = RNG.normal(size=(4, 3, 3))
MATRICES = FACTORS @ FACTORS.swapaxes(1, 2) + np.eye(3)


@pytest.mark.parametrize("name", ["pdf", "logpdf"])
@pytest.mark.parametrize("points", [POINTS, POINTS[:, :2]], ids=["whole", "without the last"])
def test_densities_of_dirichlet_for_many_examples(name, points):
    ours, scipys = getattr(traced.dirichlet, name), getattr(stats.dirichlet, name)
    expected = [scipys(x, alpha) for x, alpha in zip(points, ALPHAS, strict=True)]
    np.testing.assert_allclose(vmap(ours)(points, ALPHAS), expected)
    within = vmap(grad(ours, argnums=1))(points, ALPHAS)
    step = 1e-6 * np.eye(3)
    ahead, behind = (
        [
            [scipys(x, alpha + sign * each) for each in step]
            for x, alpha in zip(points, ALPHAS, strict=True)
        ]
        for sign in (1, -1)
    )
    differences = (np.array(ahead) - behind) / 2e-6
    np.testing.assert_allclose(within, differences, rtol=1e-7, atol=1e-8)
    outside = grad(lambda alphas: np.sum(vmap(ours)(points, alphas)))(ALPHAS)
    np.testing.assert_allclose(outside, within)


def test_points_outside_of_the_simplex_are_refused_as_scipy_does():
    with pytest.raises(ValueError, match="within the normal simplex"):
        vmap(traced.dirichlet.logpdf)(2.0 * POINTS, ALPHAS)
    with pytest.raises(ValueError, match="greater than 0"):
        vmap(traced.dirichlet.logpdf)(POINTS, -ALPHAS)


def entropy(covariance):
    return traced.multivariate_normal.entropy(np.zeros(3), covariance)


@pytest.mark.parametrize(
    "covariances", [MATRICES, ALPHAS, ALPHAS[:, 0]], ids=["matrices", "diagonals", "numbers"]
)
def test_entropies_of_normal_distributions_for_many_examples(covariances):
    expected = [stats.multivariate_normal.entropy(np.zeros(3), each) for each in covariances]
    np.testing.assert_allclose(vmap(entropy)(covariances), expected)
    outside = grad(lambda some: np.sum(vmap(entropy)(some)))(covariances)
    np.testing.assert_allclose(outside, vmap(grad(entropy))(covariances))


def test_entropies_beside_a_singular_matrix_and_one_with_one_triangle():
    singular, lower = MATRICES.copy(), np.tril(MATRICES)
    singular[1, 2] = singular[1, :, 2] = 0.0
    for covariances in (singular, lower):
        expected = [stats.multivariate_normal.entropy(np.zeros(3), each) for each in covariances]
        np.testing.assert_allclose(vmap(entropy)(covariances), expected)


def test_the_mode_moves_with_the_entries_that_are_equal_to_it():
    f = lambda x: traced.mode(x).mode  # noqa: E731
    assert grad(f)(np.array([3.0, 1.0, 2.0])).tolist() == [0.0, 1.0, 0.0]
    assert grad(f)(np.array([3.0, 1.0, 3.0])).tolist() == [0.5, 0.0, 0.5]
    assert vmap(f)(np.array([[3.0, 1.0], [2.0, 5.0]])).tolist() == [1.0, 2.0]


def test_quantiles_of_discrete_distributions_move_with_the_location():
    for quantile in (
        lambda loc: traced.poisson.ppf(0.3, 2.5, loc),
        lambda loc: traced.poisson.isf(0.3, 2.5, loc=loc),
        lambda loc: traced.binom(5, 0.4, loc=loc).ppf(0.3),
        lambda loc: traced.poisson.median(2.5, loc=loc),
    ):
        assert grad(quantile)(0.5) == 1.0
    assert grad(lambda mu: traced.poisson.median(mu))(2.5) == 0.0


@pytest.mark.parametrize(
    "ends",
    [
        lambda p, stats: stats.norm.interval(0.9, p[0], p[1]),
        lambda p, stats: stats.norm(1.0, 2.0).interval(p[0]),
        lambda p, stats: stats.gamma(p[0], scale=p[1]).interval(0.7),
        lambda p, stats: stats.t.interval(confidence=0.9, df=3.0, loc=p[0], scale=p[1]),
    ],
)
def test_intervals_move_with_their_ends(ends):
    p = np.array([0.5, 0.3])
    for mode in ("forward", "reverse"):
        moved = jacobian(lambda p: np.stack(ends(p, traced)), mode=mode)(p)
        steps = 1e-6 * np.eye(2)
        expected = [np.subtract(ends(p + d, stats), ends(p - d, stats)) / 2e-6 for d in steps]
        assert np.allclose(moved, np.stack(expected, axis=-1), rtol=1e-6)
    assert ends(p, traced) == ends(p, stats)
