"""SciPy's functions of columns, and splines at points, for many examples at once."""

import numpy as np
import pytest
from scipy import ndimage, sparse
from scipy.sparse import linalg

import chainrules_tape.scipy as tsp
from chainrules_py import batched
from chainrules_py.batching import loop
from chainrules_py.rulesets.scipy.interpolate.b_splines import (
    b_spline_scatter,
    b_spline_values,
    interpolating_coefficients,
)
from chainrules_py.rulesets.scipy.interpolate.tridiagonal import solve_tridiagonal
from chainrules_py.rulesets.scipy.ndimage.spline_sums import spline_scatter, spline_sum
from chainrules_py.rulesets.scipy.sparse.entries import (
    entries_dense,
    entries_product,
    entries_solution,
)
from chainrules_py.rulesets.scipy.sparse.linalg.direct import solve_by_factors
from chainrules_py.rulesets.scipy.sparse.linalg.least_squares import operator_product
from chainrules_tape import grad, jacobian, vmap
from chainrules_tape.core.levels import call

COUNT = 3
KNOTS = np.array([0.0, 0, 0, 1, 1.6, 2.5, 2.5, 2.5])
SPLINE = {"t": KNOTS, "k": 2, "nu": 0, "extrapolate": True}
POINTS = np.array([0.3, 1.2, 2.2])
MATRIX = sparse.csc_array(np.array([[4.0, 1, 0], [0, 3, 1], [2, 0, 5]]))
TRIANGLE = sparse.csr_array(np.array([[4.0, 0, 0], [1, 3, 0], [2, 1, 5]]))
PLACES = {"rows": np.array([0, 1, 2, 0]), "columns": np.array([0, 1, 2, 3]), "shape": (3, 4)}
SQUARE = {"rows": np.array([0, 1, 2, 0]), "columns": np.array([0, 1, 2, 1]), "shape": (3, 3)}
SYSTEM = {**SQUARE, "solver": linalg.spsolve, "options": {}}


def in_image(mode, pad, **options):
    return {"orders": (3, 3), "mode": mode, "nu": (0, 1), "pad": pad, **options}


def normal(*shape):
    return np.random.default_rng(sum(shape)).normal(size=shape)


def bands():
    found = normal(3, 4)
    found[1] += 5
    return found  # with entries that solvers do not read


# a function, its arguments, and which of them may have lanes together without a loop
CALLS = {
    "b-spline": (b_spline_values, (normal(5, 2), POINTS), SPLINE, [(0,), (1,)]),
    "b-spline of a vector": (b_spline_values, (normal(5), POINTS), SPLINE, [(0,), (1,)]),
    "scatter": (b_spline_scatter, (normal(3, 2), POINTS), {**SPLINE, "shape": (5, 2)}, [(0,)]),
    "coefficients": (interpolating_coefficients, (normal(5, 2),), {"x": np.arange(5.0)}, [(0,)]),
    "tridiagonal": (solve_tridiagonal, (bands(), normal(4, 2)), {}, [(0,), (1,), (0, 1)]),
    "tridiagonal of three axes": (
        *(solve_tridiagonal, (bands(), normal(4, 2, 3)), {}),
        [(0,), (1,), (0, 1)],
    ),
    **{
        f"splines of images, {mode}": (
            *(spline_sum, (normal(9, 8), 6 * normal(2, 4, 3)), in_image(mode, pad)),
            [(0,), (1,), (0, 1)],
        )
        for mode, pad in (("mirror", 0), ("constant", 0), ("wrap", 0), ("grid-constant", 2))
    },
    "scatter into images": (
        *(spline_scatter, (normal(5), 6 * normal(2, 5)), in_image("reflect", 0, shape=(9, 8))),
        [(0,), (1,), (0, 1)],
    ),
    "map_coordinates": (
        *(ndimage.map_coordinates, (normal(6, 7), 3 + normal(2, 4)), {"order": 3}),
        [(1,)],
    ),
    "product by entries": (entries_product, (normal(4), normal(4)), PLACES, [(0,), (1,), (0, 1)]),
    "product of columns by entries": (
        *(entries_product, (normal(4), normal(4, 2)), PLACES),
        [(0,), (1,), (0, 1)],
    ),
    "dense matrix": (entries_dense, (normal(4),), PLACES, [(0,)]),
    "system by entries": (entries_solution, (3 + normal(4), normal(3)), SYSTEM, [(1,)]),
    "factors": (solve_by_factors, (normal(3, 2),), {"factors": linalg.splu(MATRIX)}, [(0,)]),
    "operator": (
        *(operator_product, (normal(3),), {"operator": linalg.aslinearoperator(MATRIX)}),
        [(0,)],
    ),
    "spsolve": (linalg.spsolve, (MATRIX, normal(3)), {}, [(1,)]),
    "spsolve of one column": (linalg.spsolve, (MATRIX, normal(3, 1)), {}, [(1,)]),
    "spsolve of columns": (linalg.spsolve, (MATRIX, normal(3, 2)), {}, [(1,)]),
    "triangle": (linalg.spsolve_triangular, (TRIANGLE, normal(3, 2)), {"lower": True}, [(1,)]),
    "exponential": (linalg.expm_multiply, (MATRIX, normal(3)), {}, [(1,)]),
}
IN_LANES = [(name, places) for name, (*_, patterns) in CALLS.items() for places in patterns]


def in_lanes(args, places):
    """The arguments, some of them with lanes that differ; and which these are."""
    factors = 1.0 - 0.01 * np.arange(COUNT)
    laned = [
        np.stack([factor * x for factor in factors]) if k in places else x
        for k, x in enumerate(args)
    ]
    return laned, tuple(k in places for k in range(len(args)))


def one_by_one(function, lanes, args):
    each = [x if lane else [x] * COUNT for lane, x in zip(lanes, args, strict=True)]
    return np.stack([function(*own) for own in zip(*each, strict=True)])


@pytest.mark.parametrize(("name", "places"), IN_LANES)
def test_all_lanes_at_once_are_one_after_the_other(name, places, monkeypatch):
    function, args, options, _ = CALLS[name]
    laned, lanes = in_lanes(args, places)
    expected = one_by_one(lambda *own: function(*own, **options), lanes, laned)
    monkeypatch.setattr(loop, "stacked", None)  # which a loop calls
    found = batched(function, lanes, *laned, **options)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


DIFFERENTIATED = [(n, p) for n, p in IN_LANES if not (n == "exponential" or "one column" in n)]


@pytest.mark.parametrize(("name", "places"), DIFFERENTIATED)
def test_derivatives_inside_and_outside_of_lanes(name, places):
    """The gradient of all lanes is that of one after the other, on both sides of `vmap`."""
    function, args, options, _ = CALLS[name]
    laned, _ = in_lanes(args, places)

    def total(*xs):
        given = list(args)
        for place, x in zip(places, xs, strict=True):
            given[place] = x
        return np.sum(np.sin(call(function, tuple(given), options)))

    xs = [laned[place] for place in places]
    slots = tuple(range(len(places)))
    expected = one_by_one_of_many(grad(total, slots), xs)
    inside = vmap(grad(total, slots))(*xs)
    outside = grad(lambda *xs: np.sum(vmap(total)(*xs)), slots)(*xs)
    for k in slots:
        np.testing.assert_allclose(inside[k], expected[k], rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(outside[k], expected[k], rtol=1e-9, atol=1e-11)


def one_by_one_of_many(function, xs):
    return [np.stack(parts) for parts in zip(*map(function, *xs), strict=True)]


def test_a_jacobian_of_a_sparse_system_factorises_it_once(monkeypatch):
    calls = []
    splu = linalg.splu
    monkeypatch.setattr(linalg, "splu", lambda *args, **options: calls.append(1) or splu(*args))
    monkeypatch.setattr(loop, "stacked", None)
    found = jacobian(lambda b: tsp.sparse.linalg.spsolve(MATRIX, b), mode="reverse")(normal(3))
    np.testing.assert_allclose(found, np.linalg.inv(MATRIX.toarray()), rtol=1e-12)
    assert len(calls) == 1


def test_a_spline_of_values_with_three_axes():
    x, values, points = np.arange(6.0), normal(6, 2, 3), np.array([0.3, 2.2])
    found = grad(lambda y: np.sum(tsp.interpolate.CubicSpline(x, y)(points)))(values)
    expected = grad(lambda y: np.sum(tsp.interpolate.CubicSpline(x, y)(points)))(values[:, 0, 0])
    np.testing.assert_allclose(found, np.broadcast_to(expected[:, None, None], (6, 2, 3)))


@pytest.mark.parametrize("name", ["product by entries", "system by entries", "spsolve"])
def test_a_nan_stays_in_its_lane(name):
    function, args, options, patterns = CALLS[name]
    laned, lanes = in_lanes(args, patterns[-1])
    laned[-1][1] = np.nan
    found = batched(function, lanes, *laned, **options)
    assert np.isfinite(found[[0, 2]]).all()
    assert np.isnan(found[1]).any()


def test_an_image_with_nan_leaves_the_others_alone():
    function, args, options, _ = CALLS["splines of images, mirror"]
    laned, lanes = in_lanes(args, (0,))
    laned[0][1] = np.nan
    found = batched(function, lanes, *laned, **options)
    assert np.isfinite(found[[0, 2]]).all()
    assert np.isnan(found[1]).all()
