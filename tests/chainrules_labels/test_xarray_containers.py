"""Arrays with labels as arguments, tangents and indices. Derivatives of programs on them are cells of
`product.united`.
"""

import numpy as np
import pytest

from chainrules_py.errors import SeedError
from chainrules_tape import (
    checkpoint,
    grad,
    hvp,
    jacobian,
    jvp,
    seen_through,
    taylor,
    value_and_grad,
    vjp,
    vmap,
)
from chainrules_tape.refusals.errors import LostGradientError, OutputError

xarray = pytest.importorskip("xarray")
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")

X = xarray.DataArray(
    np.array([[0.3, 0.7, 1.1], [0.2, 0.5, 0.9]]),
    dims=("site", "time"),
    coords={"site": [10, 20], "time": [0, 0, 1]},
    attrs={"unit": "m"},
)
W = np.array([1.5, -2.0])


def differences(f, x):
    """Central differences of a function of a DataArray."""

    def moved(index, step):
        other = x.copy(deep=True)
        other.values[index] += step
        return float(f(other))

    slopes = [(moved(i, 1e-6) - moved(i, -1e-6)) / 2e-6 for i in np.ndindex(x.shape)]
    return np.reshape(slopes, x.shape)


def mean_of_squares(x):
    return (x.groupby("time").mean() ** 2).sum() * x.isel(time=-1).sum()


def test_derivatives_have_the_labels_of_the_argument():
    slope, expected = grad(mean_of_squares)(X), differences(mean_of_squares, X)
    assert type(slope) is xarray.DataArray
    assert slope.dims == X.dims
    xarray.testing.assert_equal(slope.coords.to_dataset(), X.coords.to_dataset())
    np.testing.assert_allclose(slope.data, expected, atol=1e-8)
    derivative = jvp(mean_of_squares, (X,), (X * X,))[1]
    np.testing.assert_allclose(derivative.data, np.sum(expected * X.data**2), atol=1e-8)


def energy(x):
    return (np.sin(x) ** 3).sum()


def plain_energy(x):
    return np.sum(np.sin(x) ** 3)


def test_every_transform_knows_them():
    value, slope = value_and_grad(energy)(X)
    assert float(value) == plain_energy(X.data)
    np.testing.assert_array_equal(slope.data, grad(plain_energy)(X.data))
    np.testing.assert_array_equal(hvp(energy, X, X).data, hvp(plain_energy, X.data, X.data))
    np.testing.assert_array_equal(grad(checkpoint(energy))(X).data, slope.data)
    np.testing.assert_allclose(
        taylor(energy, X, 3, X)[3], taylor(plain_energy, X.data, 3, X.data)[3]
    )
    y, pull = vjp(lambda x: x.mean("time") ** 2, X)
    (pulled,) = pull(y)
    np.testing.assert_allclose(
        pulled.data, np.repeat(2.0 / 3.0 * X.data.mean(1, keepdims=True) ** 3, 3, axis=1)
    )
    assert jacobian(lambda x: x.sum("time"))(X).shape == (2, 2, 3)
    assert grad(energy)(X.astype(np.float32)).dtype == np.float32


def test_datasets():
    points = xarray.Dataset(
        {"a": ("t", W), "count": ("t", np.array([1, 2])), "c": ((), 3.0)}, coords={"t": [5, 6]}
    )

    def loss(d):
        return (d["a"] ** 2 * d["count"] * d["c"]).sum()

    slope = grad(loss)(points)
    assert set(slope.data_vars) == {"a", "c"}  # integers have no tangent
    np.testing.assert_allclose(slope["a"], 2.0 * W * [1, 2] * 3.0)
    np.testing.assert_allclose(slope["c"], np.sum(W**2 * [1, 2]))
    xarray.testing.assert_equal(slope["a"].t, points.t)
    np.testing.assert_allclose(
        jvp(loss, (points,), (slope,))[1],
        slope["a"].data @ slope["a"].data + float(slope["c"]) ** 2,
    )


def test_what_would_lose_the_derivative_is_refused():
    with pytest.raises(LostGradientError, match=r"x\.data"):
        grad(lambda x: np.sum(x.values))(X)
    with pytest.raises(OutputError, match="jacobian"):
        grad(lambda x: x**2)(X)


def test_sorted_by_its_own_values_where_xarray_is_seen_through():
    def last(x):
        moved = (x * x).sel(site=20)
        return moved.sortby(-moved).isel(time=2).data

    with seen_through("xarray"):
        found = grad(last)(X)
    np.testing.assert_allclose(found, [[0.0, 0.0, 0.0], [0.4, 0.0, 0.0]])


def test_a_tangent_goes_by_its_labels():
    """Its axes may be in another order: the numbers of a square array would still fit."""
    x = X.isel(time=slice(2)).assign_coords(time=[0, 1])
    x_dot = x.copy(data=np.array([[1.0, 2.0], [3.0, 4.0]]))

    def entry(x):
        return (x**2).isel(site=0, time=1)

    expected = jvp(entry, (x,), (x_dot,))[1]
    assert expected == 2.0 * x[0, 1] * 2.0
    assert jvp(entry, (x,), (x_dot.transpose(),))[1] == expected
    assert vjp(lambda x: x**2, x)[1](x_dot.transpose())[0].identical(2.0 * x * x_dot)
    for other in (x_dot.isel(site=[1, 0]), x_dot.rename(site="place"), x_dot.data):
        with pytest.raises(SeedError):
            jvp(entry, (x,), (other,))
    variables = xarray.Dataset({"x": x})
    dots = xarray.Dataset({"x": x_dot.transpose()})
    assert jvp(lambda d: entry(d["x"]), (variables,), (dots,))[1] == expected
    with pytest.raises(SeedError, match="variables"):
        jvp(lambda d: entry(d["x"]), (variables,), (xarray.Dataset({"y": x_dot}),))


SITES = xarray.DataArray([1.0, 2.0, 3.0], dims="site")
INDICES = {
    "a mask": SITES > 1.5,
    "integers": SITES.astype(int) - 1,
    "in a tuple": (..., SITES > 1.5),
    "a position": xarray.DataArray(1),
}


@pytest.mark.parametrize("index", INDICES.values(), ids=INDICES)
def test_index_with_labels_is_the_array_in_it(index):
    examples = np.arange(6.0).reshape(2, 3)
    plain = [example[index] for example in examples]
    slopes = np.zeros((2, 3))
    for slope, example in zip(slopes, examples, strict=True):
        slope[index] = 2 * example[index]

    np.testing.assert_array_equal(vmap(lambda x: x[index])(examples), plain)
    square = grad(lambda x: np.sum(x[index] ** 2))
    np.testing.assert_array_equal([square(example) for example in examples], slopes)
    np.testing.assert_array_equal(vmap(square)(examples), slopes)
