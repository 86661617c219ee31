"""The rules of `pad` are the adjoint of what NumPy pads, in each mode, and ties share equally."""

import numpy as np
import pytest

from chainrules_py import OptionError, rrule


def pulled(x, y_bar, *args, **options):
    return rrule(np.pad, x, *args, **options)[1](y_bar)[0]


def test_pad_without_mode():
    np.testing.assert_array_equal(pulled(np.zeros(2), np.arange(5.0), (1, 2)), [1.0, 2.0])


def test_edges_collect_their_padding():
    np.testing.assert_array_equal(
        pulled(np.zeros(3), np.ones(8), (2, 3), mode="edge"), [3.0, 1.0, 4.0]
    )


@pytest.mark.parametrize("mode", ["edge", "wrap", "reflect", "symmetric", "mean"])
def test_padding_by_weights_that_add_up_to_one(mode):
    # Then the sum of all cotangents is preserved.
    y_bar = np.random.default_rng(0).normal(size=(9, 10))
    x_bar = pulled(np.zeros((3, 4)), y_bar, ((4, 2), (3, 3)), mode=mode)
    np.testing.assert_allclose(x_bar.sum(), y_bar.sum())


def test_ties_share_equally():
    np.testing.assert_allclose(
        pulled(np.ones(4), np.array([4.0, 0, 0, 0, 0]), (1, 0), mode="maximum"), np.ones(4)
    )


def test_functions_as_modes_are_refused():
    with pytest.raises(OptionError) as raised:
        rrule(np.pad, np.ones(3), 1, mode=lambda *args: None)
    assert (raised.value.primal, raised.value.option) == (np.pad, "mode")


def test_float32_stays_float32():
    for mode in ("reflect", "linear_ramp", "mean", "constant"):
        x_bar = pulled(np.ones(3, "float32"), np.ones(5, "float32"), 1, mode=mode)
        assert x_bar.dtype == "float32"


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
