"""Programs on arrays with labels have the gradients of the same programs on plain arrays."""

import numpy as np
import pytest

from chainrules_py.errors import SeedError
from chainrules_tape import (
    checkpoint,
    grad,
    hvp,
    jacobian,
    jvp,
    numpy as tnp,
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
C = xarray.DataArray(np.array([1.5, -2.0]), dims="site", coords={"site": [10, 20]})
W = np.array([1.5, -2.0])


def differences(f, x):
    """Central differences of a function of a DataArray."""

    def moved(index, step):
        other = x.copy(deep=True)
        other.values[index] += step
        return float(f(other))

    slopes = [(moved(i, 1e-6) - moved(i, -1e-6)) / 2e-6 for i in np.ndindex(x.shape)]
    return np.reshape(slopes, x.shape)


PROGRAMS = {
    "all reductions": lambda x: x.mean() * x.std() + x.var() - x.max() * x.min() + x.prod(),
    "median": lambda x: x.median("time").sum() + x.quantile(0.4),
    "arithmetic": lambda x: ((x**2 * 3.0 - 1.0 / x) * C + 2.0**x).sum(),
    "where": lambda x: x.where(x > 0.4, 0.0).sum() + xarray.where(x > 0.4, x, x**2).sum(),
    "missing": lambda x: x.where(x > 0.4).mean() + x.where(x > 0.4).fillna(2.0).prod(),
    "indexing": lambda x: x.sel(site=10).max() * x.isel(time=-1).sum() * x[0, 1],
    "groupby": lambda x: (x.groupby("time").mean() ** 2).sum(),
    "alignment": lambda x: (x * C.isel(site=[1])).sum(),
    "dot": lambda x: xarray.dot(x, x, C, dim=["site", "time"]),
    "rolling": lambda x: (x.rolling(time=2).mean() ** 2).sum(),
    "apply_ufunc": lambda x: xarray.apply_ufunc(np.hypot, x, C).sum(),
    "written": lambda x: written(x).sum(),
    "polyfit": lambda x: polynomial(x),
    "divisors": lambda x: x.std(ddof=1) * x.var("site", ddof=1).sum() + np.std(x, ddof=1),
    "missing and divisors": lambda x: x.where(x > 0.4).std(ddof=1) * missing(x).median(),
    "weighted spread": lambda x: x.weighted(abs(C)).std("site").sum() * x.weighted(abs(C)).var(),
    "groups' spread": lambda x: grouped(x).std().prod() * grouped(x).var(ddof=1).sum(),
    "within groups": lambda x: ((grouped(x) - grouped(x).mean()) ** 2).sum(),
    "resampled spread": lambda x: dated(x).resample(time="2D").std().sum(),
    "coarsened": lambda x: (x.isel(time=slice(2)).coarsen(time=2).std() ** 2).sum(),
    "covariance": lambda x: xarray.cov(x, x**2, ddof=1) + xarray.cov(x, C).sum(),
    "reindexed": lambda x: (x.reindex(site=[20, 30], fill_value=2.0) ** 2).sum(),
    "dataset": lambda x: xarray.Dataset({"a": x, "b": x**2}).std(ddof=1).to_array().sum(),
    "reduced by a function": lambda x: x.reduce(np.std, dim="time", ddof=1).sum(),
}

if xarray.__version__ < "2026":  # it leaves windows to bottleneck, which is compiled
    del PROGRAMS["rolling"]


def missing(x):
    return x.where(x > 0.25)


def grouped(x):
    return x.groupby("time")


def dated(x):
    return x.assign_coords(time=np.array(["2001-01-01", "2001-01-02", "2001-01-03"], "M8[ns]"))


def written(x):
    y = x * x
    y[{"time": 0}] = 5.0
    return y * x


def polynomial(x):
    y = x.assign_coords(time=[0.0, 1.0, 3.0])
    return (y.polyfit("time", 1).polyfit_coefficients ** 2).sum()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients(name):
    f = PROGRAMS[name]
    slope = grad(f)(X)
    expected = differences(f, X)
    assert type(slope) is xarray.DataArray
    assert slope.dims == X.dims
    xarray.testing.assert_equal(slope.coords.to_dataset(), X.coords.to_dataset())
    np.testing.assert_allclose(slope.data, expected, atol=1e-8)
    inside = grad(lambda x: f(X.copy(data=x)))(X.data)
    np.testing.assert_allclose(inside, expected, atol=1e-8)
    derivative = jvp(f, (X,), (X * X,))[1]
    np.testing.assert_allclose(derivative.data, np.sum(expected * X.data**2), atol=1e-8)


OPERANDS = {
    "array": lambda x: (x * C).sum(),
    "number": lambda x: (x[0] * C).sum() + (C * x[1]).sum(),
    "variable": lambda x: (x * C.variable).sum().data,
    "our NumPy": lambda x: tnp.sum(tnp.sin(C * x)),
    "product": lambda x: C @ xarray.DataArray(x, dims="site"),
}


@pytest.mark.parametrize("name", OPERANDS)
def test_constants_with_labels_are_operands(name):
    f = OPERANDS[name]
    steps = 1e-6 * np.eye(2)
    expected = [(float(f(W + step)) - float(f(W - step))) / 2e-6 for step in steps]
    np.testing.assert_allclose(grad(f)(W), expected, atol=1e-8)
    np.testing.assert_allclose(
        np.asarray(jvp(f, (W,), (np.array([1.0, 0.0]),))[1]), expected[0], atol=1e-8
    )
    examples = np.stack([W, W + 1.0])
    np.testing.assert_allclose(
        np.asarray(vmap(f)(examples)), [float(f(x)) for x in examples], atol=1e-12
    )


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
