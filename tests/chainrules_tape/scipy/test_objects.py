"""Objects and results in the place of SciPy's: many examples have their lanes in them."""

import numpy as np
import pytest
from scipy import spatial as scipys_spatial

from chainrules_tape import LostGradientError, grad, vmap
from chainrules_tape.scipy import spatial, stats
from chainrules_tape.scipy.spatial import transform

SAMPLES = np.random.default_rng(3).normal(size=(3, 6))
NUMBERS = np.arange(6.0)
Rotation = transform.Rotation

RESULTS = {
    "pearsonr": lambda x: stats.pearsonr(x, NUMBERS**2)[0],
    "its p-value": lambda x: stats.pearsonr(x, NUMBERS**2).pvalue,
    "linregress": lambda x: stats.linregress(NUMBERS, x).stderr,
    "its other p-value": lambda x: stats.linregress(x, NUMBERS).pvalue,
    "gaussian_kde": lambda x: stats.gaussian_kde(x)(0.3)[0],
    "gaussian_kde at points": lambda x: stats.gaussian_kde(NUMBERS).logpdf(x)[0],
    "ttest_1samp": lambda x: stats.ttest_1samp(x, 0.1).statistic,
    "ttest_ind": lambda x: stats.ttest_ind(x, x**2, equal_var=False).pvalue,
    "ttest_rel": lambda x: stats.ttest_rel(x, x**2)[0],
    "turned": lambda x: np.sum(Rotation.from_rotvec(x[:3]).apply([1.0, 0.0, 0.3]) ** 3),
    "a matrix": lambda x: np.sum(Rotation.from_euler("xyz", x[:3]).as_matrix() ** 3),
    "angles": lambda x: np.sum(
        (Rotation.from_rotvec(x[:3]) * Rotation.from_mrp(x[3:])).as_euler("zyx")
    ),
    "their mean": lambda x: Rotation.from_rotvec(x.reshape(2, 3)).mean().magnitude(),
    "one of them": lambda x: Rotation.from_rotvec(x.reshape(2, 3))[1].inv().as_rotvec()[0],
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_in_lanes(name):
    for f in (RESULTS[name], grad(RESULTS[name])):
        expected = [f(x) for x in SAMPLES]
        np.testing.assert_allclose(vmap(f)(SAMPLES), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("module", [scipys_spatial, spatial], ids=["SciPy's", "ours"])
@pytest.mark.parametrize("name", ["KDTree", "cKDTree"])
def test_trees_say_why_they_have_no_rule(name, module):
    def nearest(x):
        tree = module.KDTree if name == "KDTree" else module.cKDTree
        return tree(x.reshape(3, 2)).query([0.0, 0.0])[0]

    with pytest.raises(LostGradientError, match=r"which points are near.*stop_gradient"):
        grad(nearest)(SAMPLES[0])
