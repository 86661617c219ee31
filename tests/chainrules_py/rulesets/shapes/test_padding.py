"""The rules of `pad` are the adjoint of what NumPy pads, in each mode, and ties share equally."""

import numpy as np
import pytest

from chainrules_py import rrule


def pulled(x, y_bar, *args, **options):
    return rrule(np.pad, x, *args, **options)[1](y_bar)[0]


def test_ties_share_equally():
    np.testing.assert_allclose(
        pulled(np.ones(4), np.array([4.0, 0, 0, 0, 0]), (1, 0), mode="maximum"), np.ones(4)
    )


LINEAR = [
    *((mode, {}) for mode in ("edge", "wrap", "reflect", "symmetric", "linear_ramp")),
    *((mode, {"reflect_type": "odd"}) for mode in ("reflect", "symmetric")),
]


@pytest.mark.parametrize(("mode", "options"), LINEAR)
@pytest.mark.parametrize("n", [1, 2, 3, 5])
# a few runs of slices, or an index
@pytest.mark.parametrize("width", [(0, 1), (2, 0), (3, 4), (30, 17)])
def test_padding_is_the_adjoint_of_what_numpy_pads(mode, options, n, width):
    y_bar = np.random.default_rng(n).normal(size=n + sum(width))
    jacobian = np.stack([np.pad(unit, width, mode, **options) for unit in np.eye(n)])
    np.testing.assert_allclose(
        pulled(np.zeros(n), y_bar, width, mode=mode, **options),
        jacobian @ y_bar,
        rtol=1e-12,
        atol=1e-12,
    )
