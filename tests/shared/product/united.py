"""Programs on quantities of pint and Astropy, on arrays of xarray and Series of pandas: a line along
plain numbers, and units and labels within. A library is imported when a program of it is made.
"""

from functools import cache
from importlib.metadata import version
from importlib.util import find_spec

import numpy as np

from late import Late

X = np.array([0.3, 0.7, 1.1])
VALUES = np.array([1.0, 2.0, 3.0])
SITES = np.array([[0.3, 0.7, 1.1], [0.2, 0.5, 0.9]])


def all_of(*functions):
    return lambda x: np.stack([f(x) for f in functions])


@cache
def of_pandas():
    import pandas

    COUNTED, LABELLED = pandas.Series(VALUES), pandas.Series(VALUES, index=[5, 6, 7])

    def filled(x):
        y = np.zeros(3)
        y[COUNTED > 1.5] = 2.0 * x[0]
        y *= COUNTED
        return np.sum(y * x)

    return {
        "beside a Series": all_of(
            filled,
            lambda x: np.sum((COUNTED * x) ** 2) * np.sum((COUNTED - x) ** 2),
            lambda x: np.sum(np.hypot(COUNTED, x) * np.maximum(x, COUNTED)),
            lambda x: np.sum(np.where(COUNTED > x + 0.8, x, x**2)),
            lambda x: np.average(x**2, weights=COUNTED),
        ),
        "beside the labels of a Series": all_of(
            lambda x: np.sum(np.where(LABELLED > 1.5, x, 0.0) ** 2),
            lambda x: np.dot(LABELLED, x) * np.dot(x, LABELLED) * (x @ LABELLED) ** 2,
            lambda x: np.sum(x[LABELLED > 1.5] ** 2),
        ),
        "methods of a Series": all_of(
            lambda x: (COUNTED - x).std(ddof=1) * np.exp((COUNTED + x) / 2).std(ddof=0),
            lambda x: (COUNTED * x).median() * (COUNTED - x).quantile() ** 2,
            lambda x: (COUNTED - x).quantile(0.3) * (COUNTED - 2 * x).abs().sum(),
        ),
    }


@cache
def of_pint():
    import pint

    U = pint.UnitRegistry()
    CONSTANT = np.array([1.0, 2.0, 3.0]) * U.m
    LONG = U.Quantity(np.array([1.0, 2.0, 4.0]), "cm")

    return {
        "quantities": lambda x: (
            np.sum((x * U.m) ** 2).m_as("cm**2")
            + (U.Quantity(x, "m") ** 3).sum().m
            + np.sum(np.exp(x * U.cm / (2 * U.m))).m
            + np.sum(np.sin(x * U.deg)).m
            + np.sum((x * U.cm) ** 2 + 1.0 * U.mm**2).m
            + np.sum(np.sqrt(x * U.m**2)).m_as("mm")
        ),
        "beside quantities": lambda x: (
            np.sum(CONSTANT * x**2).m
            + np.sum(x**2 * CONSTANT).m * np.dot(x * U.m, CONSTANT).m
            + (x * U.m)[1].m_as("cm") ** 2
            + (x[0] * U.m / (x[1] * U.s)).m_as("km/h")
            + np.sum(np.where(X > 0.5, x * U.m, 0 * U.m)).m
            + np.sum(U.Quantity(x, "degC").to("kelvin").m ** 2)
            + np.dot(x**2, LONG).m_as("m") * np.einsum("i,i", x, LONG).m_as("m")
        ),
        "functions beside quantities": all_of(
            lambda x: np.where(x > 1, U.Quantity(x, "m"), 50 * U.cm).m_as("m").sum(),
            lambda x: np.interp(x, [0.0, 1, 2], U.Quantity([0.0, 1, 4], "cm")).m_as("m").sum(),
            lambda x: np.outer(x**2, U.Quantity(np.ones(2), "cm")).m_as("m").sum(),
            lambda x: np.cross(x, LONG)[0].m_as("mm"),
            lambda x: np.concatenate([x, U.Quantity(x**2, "percent")]).m_as("").sum(),
        ),
    }


@cache
def of_astropy():
    from astropy import units as u
    from astropy.coordinates import Angle, Distance, Latitude, Longitude, SkyCoord

    SECONDS, METRES = np.array([1.0, 2.0, 4.0]) * u.s, np.array([2.0, 3.0, 0.5]) * u.m

    def of_lengths(*functions):
        return lambda x: np.stack([f(u.Quantity(x, u.m)).value for f in functions])

    def assigned(q):
        y = q**2
        y[0] = 3.0 * u.m**2 * q[1] / u.km
        return (y * q).sum()

    def written_through(view, unit):
        def program(q):
            y = q.to(unit)
            z = view(y)
            z *= 3
            shown = np.where(y > 1 * u.m, y, 0 * u.m)
            return (y**2).sum() + (shown**2).sum()

        return program

    VIEWS = (
        *(lambda q: q.reshape(3, 1), lambda q: q[None].squeeze(), np.flip),
        *(lambda q: q[1:], lambda q: q[:1].reshape(())),
    )

    def summed_into(q):
        y = q * 1
        np.sum(q, out=y[:1].reshape(()))
        return (y * y).sum()

    def made_of(copy):
        def program(x):
            y = x * 1.0
            quantity = u.Quantity(y, u.m, copy=copy)
            quantity[0] = 5.0 * u.m
            return (y * x).sum()

        return program

    def augmented(q):
        y = q * 2
        y += q
        z = y * u.s
        y *= y
        return (y / u.cm * q / u.cm).sum() / u.s * z[0]

    return {
        "lengths": of_lengths(
            lambda q: q.std() * q.var() * q.mean() * q.max() / q.min() + q.sum() ** 4,
            lambda q: np.arctan2(q, 50 * u.cm).sum().to("deg"),
            lambda q: np.sum(np.exp(q / u.dm) * np.log10(q / u.m)),
            lambda q: np.sum(q**0.5 * np.sqrt(q) * np.cbrt(q) ** 3) + (q**2).sum(),
            lambda q: np.where(q > 40 * u.cm, q**2, 0 * u.m**2).sum(),
            lambda q: q @ SECONDS * np.dot(q, q) + np.einsum("i,i->", q, q) * q[0] * u.s,
            lambda q: (q * u.km / u.hour).decompose().sum() * (q[1] << u.km),
            lambda q: (q * 1e-6).to("eV", u.spectral()).sum(),
            lambda q: (q % (20 * u.cm)).sum() + q.sum(),
            lambda q: (q / u.m * u.Jy).to_value(u.ABmag).sum() * q[0],
        ),
        "arrays of lengths": of_lengths(
            lambda q: (np.concatenate([q, q[::-1].to("mm")]) ** 2)[:4].sum(),
            lambda q: np.interp(40 * u.cm, np.sort(q), SECONDS) * np.interp(q[0], q[[0, 2]], q[:2]),
            lambda q: np.linalg.solve(np.eye(3) * u.s + np.outer(q, q) * u.s / u.m**2, q).sum(),
            lambda q: ((np.full_like(q, q[0]) + np.zeros_like(q)) ** 2).sum(),
            lambda q: (q.diff() ** 2).sum() + (q.insert(1, 5 * u.cm).ediff1d() ** 2).sum(),
            lambda q: str(f"{q[0]:.2f} {q!r}") and q.sum() ** 2,
            *(assigned, augmented, summed_into),
            *(written_through(view, unit) for view in VIEWS for unit in ("m", "cm")),
        ),
        "masks of lengths": of_lengths(
            lambda q: q[q > 40 * u.cm].sum() ** 2 * (2 if q[0] != 3 * u.s else 3)
        ),
        "beside lengths": all_of(
            lambda x: np.sum((METRES * x).value) * np.sum(((METRES / u.cm - x) ** 2).value),
            lambda x: np.sum(np.multiply(x, METRES) ** 2).to_value(u.cm**2),
            lambda x: (METRES * x[0]).sum().value ** 2 + (x[1] * METRES).sum().value,
            lambda x: np.sum(u.km / x).to_value(u.m),
            lambda x: np.sum(np.where(x > 0.5, (x << u.km) ** 2, METRES**2)).to_value(u.m**2),
            lambda x: (u.Quantity(x) ** 2).sum().value,
            lambda x: (u.Quantity([x[0] ** 2, 2 * x[1], 1.0], u.km) ** 2).sum().si.value,
            lambda x: (u.Quantity(x, u.m, ndmin=2)[0, 1] ** 2).value,
            *(made_of(True), made_of(False)),
            lambda x: np.sum((x * u.km) ** 2).to_value(u.m**2),
            lambda x: (u.Quantity([x[0] * u.km, x[1] * u.hm]) ** 2).sum().value,
            lambda x: (round(x[0] * u.deg, 1) + x[1] * u.deg).value,
            lambda x: (x * u.m).item(1).value ** 2 + (x[:1] * u.m).item().to_value(u.cm),
            lambda x: (x[None] * u.m).item(0, 1).value + (x[None] * u.m).item((0, 2)).value,
        ),
        "angles": all_of(
            lambda x: np.sin(Angle(x, u.deg)).sum().value,
            lambda x: Angle(Angle(x**2, "rad"), u.deg).sum().value,
            lambda x: (Angle(x, "rad").degree ** 2 * Angle(x, "deg").radian).sum(),
            lambda x: (2 * Angle(x, "rad") + Angle("3d")).sum().degree ** 2,
            lambda x: (Angle(9 * x, "rad").wrap_at(180 * u.deg).degree ** 2).sum(),
            lambda x: Angle(9 * x[1], "rad").wrap_at("180d").radian ** 3,
            lambda x: (Longitude(-9 * x, u.rad).radian ** 2).sum(),
            lambda x: np.sin((x << u.deg).view(Angle)).sum().value,
            lambda x: (np.deg2rad(x << u.deg) ** 2).to_value("rad2").sum(),
            lambda x: np.degrees((x << u.deg).to("rad")).to_value("deg").sum(),
            lambda x: (np.round(x << u.deg) + (x << u.deg)).value.sum(),
            lambda x: (np.unwrap(x * 300 << u.deg).value * x).sum(),
        ),
        "distances": lambda x: (
            SkyCoord(*(x[:2] << u.deg)).separation(SkyCoord("10d", "20d")).value
            * Distance(x, u.kpc).distmod.sum().value
            + (Latitude(x, u.rad).degree ** 2).sum()
        ),
    }


@cache
def of_xarray():
    import xarray

    LABELS = {"site": [10, 20], "time": [0, 0, 1]}
    C = xarray.DataArray(np.array([1.5, -2.0]), dims="site", coords={"site": [10, 20]})
    DAYS = np.array(["2001-01-01", "2001-01-02", "2001-01-03"], "M8[ns]")

    def labelled(x):
        return xarray.DataArray(x, dims=("site", "time"), coords=LABELS)

    def of_labels(*functions):
        return lambda x: np.stack([f(labelled(x)).data for f in functions])

    def written(x):
        y = x * x
        y[{"time": 0}] = 5.0
        return (y * x).sum()

    def polynomial(x):
        y = x.assign_coords(time=[0.0, 1.0, 3.0])
        return (y.polyfit("time", 1).polyfit_coefficients ** 2).sum()

    return {
        "labels, reductions": of_labels(
            lambda x: x.mean() * x.std() + x.var() - x.max() * x.min() + x.prod(),
            lambda x: x.median("time").sum() + x.quantile(0.4),
            lambda x: x.where(x > 0.4).mean() + x.where(x > 0.4).fillna(2.0).prod(),
            lambda x: x.std(ddof=1) * x.var("site", ddof=1).sum() + np.std(x, ddof=1),
            lambda x: x.where(x > 0.4).std(ddof=1) * x.where(x > 0.25).median(),
            lambda x: xarray.cov(x, x**2, ddof=1) + xarray.cov(x, C).sum(),
            lambda x: xarray.Dataset({"a": x, "b": x**2}).std(ddof=1).to_array().sum(),
            lambda x: x.reduce(np.std, dim="time", ddof=1).sum(),
        ),
        "labels, groups": of_labels(
            lambda x: (x.groupby("time").mean() ** 2).sum(),
            lambda x: x.groupby("time").std().prod() * x.groupby("time").var().sum(),
            lambda x: ((x.groupby("time") - x.groupby("time").mean()) ** 2).sum(),
            lambda x: x.weighted(abs(C)).std("site").sum() * x.weighted(abs(C)).var(),
            lambda x: x.assign_coords(time=DAYS).resample(time="2D").std().sum(),
            lambda x: (x.isel(time=slice(2)).coarsen(time=2).std() ** 2).sum(),
        ),
        "labels, arrangements": of_labels(
            lambda x: ((x**2 * 3.0 - 1.0 / x) * C + 2.0**x).sum(),
            lambda x: x.where(x > 0.4, 0.0).sum() + xarray.where(x > 0.4, x, x**2).sum(),
            lambda x: x.sel(site=10).max() * x.isel(time=-1).sum() * x[0, 1],
            lambda x: (x * C.isel(site=[1])).sum() ** 2,
            lambda x: xarray.dot(x, x, C, dim=["site", "time"]),
            lambda x: xarray.apply_ufunc(np.hypot, x, C).sum(),
            lambda x: (x.reindex(site=[20, 30], fill_value=2.0) ** 2).sum(),
            written,
        ),
        "labels, a polynomial": of_labels(polynomial),
        "beside labels": lambda x: (
            np.sum((x[:, 0] * C).data ** 2)
            + (x[0, 1] * C).sum().data * (C * x[1, 1]).sum().data
            + np.sum(np.sin(C * x[:, 2]).data)
            + (x[:, 1] * C.variable).prod().data
            + (C @ xarray.DataArray(x[:, 1] ** 2, dims="site")).data
        ),
        "labels, windows": of_labels(lambda x: (x.rolling(time=2).mean() ** 2).sum()),
    }


def row(make, name, place, marks):
    return Late(lambda: make()[name]), (place,), f"foreign {marks}"


OF_PANDAS = {"beside a Series": "", "beside the labels of a Series": "", "methods of a Series": ""}
OF_PINT = {"quantities": "", "beside quantities": "decides", "functions beside quantities": ""}
OF_ASTROPY = {
    "lengths": "near",
    "arrays of lengths": "near",
    "masks of lengths": "counts",
    "beside lengths": "near",
    "angles": "",
    "distances": "decides",
}
OF_XARRAY = {
    "labels, reductions": "",
    "labels, groups": "",
    "labels, arrangements": "",
    "labels, a polynomial": "alone",
    "beside labels": "",
}
# before, it leaves windows to bottleneck, which is compiled
if find_spec("xarray") and version("xarray") >= "2026":
    OF_XARRAY["labels, windows"] = ""
ROWS = {
    name: row(make, name, place, marks)
    for library, make, place, rows in (
        ("pandas", of_pandas, X, OF_PANDAS),
        ("pint", of_pint, X, OF_PINT),
        ("astropy", of_astropy, X, OF_ASTROPY),
        ("xarray", of_xarray, SITES, OF_XARRAY),
    )
    if find_spec(library)
    for name, marks in rows.items()
}
