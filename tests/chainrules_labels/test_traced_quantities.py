"""Quantities of Astropy: units of derivatives, writes, views, and what is refused. Derivatives of other programs
are cells of `product.united`.
"""

import numpy as np
import pytest

import chainrules_tape.numpy as anp
from chainrules_tape import grad, jacobian, jvp, seen_through, vmap
from chainrules_tape.refusals.errors import InputError, LostGradientError

u = pytest.importorskip("astropy.units")
X = np.array([0.3, 0.7, 0.5])
SECONDS = np.array([1.0, 2.0, 4.0]) * u.s


OF_LENGTHS = {
    "interp": lambda q: (
        np.interp(40 * u.cm, np.sort(q), SECONDS) * np.interp(q[0], q[[0, 2]], q[:2])
    ),
    "exp and log": lambda q: np.sum(np.exp(q / u.dm) * np.log10(q / u.m)),
    "solve": lambda q: np.linalg.solve(np.eye(3) * u.s + np.outer(q, q) * u.s / u.m**2, q).sum(),
}


@pytest.mark.parametrize("f", OF_LENGTHS.values(), ids=OF_LENGTHS)
def test_units_of_derivatives(f):
    """Numbers do not depend on the units in which lengths are given."""
    q = X * u.m
    slope, in_parsecs = grad(f)(q), grad(f)(q.to("pc"))
    assert slope.unit == f(q).unit / u.m
    np.testing.assert_allclose(in_parsecs.to_value(slope.unit), slope.value, rtol=1e-10)
    found, along = jvp(f, (q,), (q,))
    assert found.unit == along.unit == f(q).unit
    np.testing.assert_allclose(found.value, f(q).value, rtol=1e-12)
    np.testing.assert_allclose(along.value, slope.value @ X, rtol=1e-10)


def test_within_a_function_they_are_quantities():
    def f(q):
        assert isinstance(q, u.Quantity)
        assert (q.unit, q.shape, q.ndim, q.size, len(q)) == (u.m, (3,), 1, 3, 3)
        assert (q.dtype, q.isscalar, q[0].isscalar) == (np.float64, False, True)
        return q.sum()

    grad(f)(X * u.m)


REFUSED = {
    "logarithmic units": lambda q: (q / u.m * u.Jy).to(u.ABmag).value.sum(),
    "a jump that roundoff decides": lambda q: (q.to("km") % (30 * u.cm)).sum(),
    "a function that writes": lambda q: np.copyto(q * 1, 3 * u.m),
    "one that Astropy does in parts": lambda q: np.place(q.to("km"), [True, False, True], q[:2]),
    "a method that writes": lambda q: np.add.at(q * 1, [0, 0], 1 * u.m),
    "out of plain quantities": lambda q: np.add(q, q, out=np.zeros(3) * u.m).sum(),
    "a unit by a traced exponent": lambda q: (2 * u.m) ** (q[0] / u.m),
}


@pytest.mark.parametrize("f", REFUSED.values(), ids=REFUSED)
def test_what_would_be_another_number_is_refused(f):
    with pytest.raises(InputError):
        grad(f)(X * u.m)


def test_a_traced_number_has_no_unit():
    assert grad(lambda x: 5 * x if hasattr(x, "unit") else 3 * x)(2.0) == 3.0
    with pytest.raises(AttributeError, match=r"x.unit: a traced value.*x \* unit"):
        grad(lambda x: x.unit)(2.0)


def test_a_distance_is_a_parallax_in_other_units():
    coordinates = pytest.importorskip("astropy.coordinates")

    def f(x):
        distance = coordinates.Distance(x * u.kpc)
        assert isinstance(distance.to("pc"), coordinates.Distance)
        parallax = distance.parallax
        assert isinstance(parallax, coordinates.Angle)
        return parallax.to_value("mas").sum()

    x = np.array([2.0, 4.0])
    with seen_through("astropy.units.equivalencies"):
        np.testing.assert_allclose(grad(f)(x), -1 / x**2)


def test_views_as_classes():
    assert grad(lambda q: (q.view(u.Quantity) ** 2).sum())(X * u.m).unit == u.m
    assert grad(lambda q: (q.view(np.ndarray) ** 2).sum())(X * u.m).unit == 1 / u.m
    with pytest.raises(LostGradientError, match="matrix"):
        grad(lambda q: q.view(np.matrix).sum())(X * u.m)
    with pytest.raises(InputError, match="no unit"):  # of plain numbers Astropy's has none, either
        grad(lambda x: x.view(u.Quantity).sum())(X)


@pytest.mark.parametrize("options", [{}, {"subok": True}])
def test_arrays_of_quantities(options):
    def f(q):
        copied = anp.array(q, **options)
        q[0] = 0 * u.m
        return (copied**2).sum()

    slope = grad(lambda q: f(1.0 * q))(X * u.m)
    np.testing.assert_allclose(getattr(slope, "value", slope), 2 * X)
    assert f(X * u.m).__class__ is (u.Quantity if options else np.float64)
    assert slope.unit == (u.m if options else 1 / u.m)


def test_a_traced_zero_has_no_unit():
    """Astropy takes zeros for quantities in any unit; a derivative by one would have some unit."""
    assert (0.0 + X * u.cm).unit == u.cm
    for f in (
        lambda x: (x + X * u.cm).sum().value,
        lambda x: np.where(X > 0.5, X * u.cm, x).sum().value,
    ):
        for call in (lambda f: grad(f)(np.zeros(3)), lambda f: jvp(f, (0.0,), (1.0,))):
            with pytest.raises((TypeError, u.UnitsError)):  # as Astropy raises for ones
                call(f)
    assert grad(lambda x: (x * X * u.cm).sum().value)(0.0) == np.sum(X)


IN_LANES = {
    "product": lambda a: a * (np.array([1.0, 2.0]) * u.m),
    "largest": lambda a: (a * u.m).max() + np.argmax(a * u.m) * u.m,
    "order": lambda a: np.sort(a * u.m) * np.argsort(a * u.m),
    "comparison": lambda a: np.where(a * u.m > 2.5 * u.m, a * u.m, 0.0 * u.m),
}


@pytest.mark.parametrize("f", IN_LANES.values(), ids=IN_LANES)
def test_in_lanes(f):
    """As many examples as entries, which are ordered otherwise in each."""
    examples = np.array([[3.0, 1.0], [2.0, 5.0]])
    expected = u.Quantity([f(example) for example in examples])
    found = vmap(f)(examples)
    assert found.unit == expected.unit
    np.testing.assert_allclose(found.value, expected.value, rtol=1e-14)
    of_all = jacobian(lambda a: vmap(f)(a).value)(examples)
    for k, example in enumerate(examples):
        np.testing.assert_allclose(
            of_all[k, ..., k, :], jacobian(lambda a: f(a).value)(example), atol=1e-14
        )
