"""Trees of points, which have no rule."""

import numpy as np
import pytest
from scipy import spatial as scipys_spatial

from chainrules_tape import LostGradientError, grad
from chainrules_tape.scipy import spatial


@pytest.mark.parametrize("module", [scipys_spatial, spatial], ids=["SciPy's", "ours"])
@pytest.mark.parametrize("name", ["KDTree", "cKDTree"])
def test_trees_say_why_they_have_no_rule(name, module):
    def nearest(x):
        tree = module.KDTree if name == "KDTree" else module.cKDTree
        return tree(x.reshape(3, 2)).query([0.0, 0.0])[0]

    with pytest.raises(LostGradientError, match=r"which points are near.*stop_gradient"):
        grad(nearest)(np.arange(6.0))
