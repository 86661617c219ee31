"""Array classes of other packages, as they stand: hcipy's `Field`, the `Param` of GPy, unyt's quantities.

They are those of ``requirements.txt``, which ``make test-packages`` installs.
"""

import numpy as np
import pytest

from chainrules_tape import compiled, grad, jvp, seen_through, vjp, vmap
from chainrules_tape.refusals.errors import InputError
from chainrules_tape.units import Package, declare_quantities

ABSENT = "is installed by `make test-packages`"


def differences(f, x, step=1e-6):
    """Differences of a program, at arrays of the class of the point."""
    found = np.zeros(x.shape)
    for index in np.ndindex(x.shape):
        above, below = x.copy(), x.copy()
        above[index] += step
        below[index] -= step
        found[index] = (float(f(above)) - float(f(below))) / (2 * step)
    return found


def in_all_modes(f, x):
    """Gradients of a program, in reverse, forward, and compiled."""
    yield grad(f)(x)
    yield vjp(f, x)[1](1.0)[0]
    directions = np.eye(x.size).reshape(x.size, *x.shape)
    yield np.reshape([jvp(f, (x,), (direction,))[1] for direction in directions], x.shape)
    run = compiled(grad(f))
    yield [run(x), run(x), run(x)][-1]


def require_right(f, x):
    """Compare gradients with differences."""
    expected = differences(f, x)
    for found in in_all_modes(f, x):
        np.testing.assert_allclose(np.array(found), expected, rtol=1e-6, atol=1e-7)


# hcipy: a subclass of NumPy's arrays with a grid


def field():
    hcipy = pytest.importorskip("hcipy", reason=f"hcipy {ABSENT}")
    grid = hcipy.make_pupil_grid(3)
    return hcipy, hcipy.Field(np.linspace(0.2, 1.5, 9), grid)


FIELDS = {
    "shaped": lambda f: np.sum(f.shaped[1] ** 2),
    "grid": lambda f: np.sum((2.0 * f).grid.x * f * f),
    "at": lambda f: f.at([0.1, 0.0]) ** 2,
    "order": lambda f: np.sum(np.exp(f)) if f.is_scalar_field and f.is_valid_field else 0.0,
    "written": lambda f: np.sum(np.where(f.grid.x > 0.0, f, 0.0) * f.shaped.ravel()),
}


@pytest.mark.parametrize("name", FIELDS)
def test_fields_are_arrays_with_a_grid(name):
    _, x = field()
    require_right(FIELDS[name], x)
    gradient = grad(FIELDS[name])(x)
    assert type(gradient) is type(x)
    assert gradient.grid is x.grid


def test_fields_are_made_of_traced_values_in_the_scope():
    hcipy, x = field()

    def f(x):
        made = hcipy.Field(x * x, grid)
        return np.sum(made.shaped[0] * made.shaped[1]) if hcipy.is_field(made) else np.sum(x)

    grid = x.grid
    with seen_through("hcipy"):
        require_right(f, np.array(x))


# GPy: parameters, which tell observers what is written into them


def param():
    paramz = pytest.importorskip("paramz", reason=f"paramz {ABSENT}")
    return paramz.Param("scale", [0.4, 0.9, 0.7])


PARAMS = {
    "*": lambda p: np.sum(p * p),
    "read": lambda p: np.sum(p[1:] * p[:-1]) + p[0] ** 2,
    "values": lambda p: np.sum(p.values * np.exp(p)),
    "name": lambda p: np.sum(p**3) if p.name == "scale" else np.sum(p),
}


@pytest.mark.parametrize("name", PARAMS)
def test_params_are_arrays(name):
    x = param()
    for found in in_all_modes(PARAMS[name], x):
        plain = np.array(x)
        expected = {"*": 2 * plain, "values": (1 + plain) * np.exp(plain), "name": 3 * plain**2}
        expected["read"] = np.convolve(plain, [1.0, 0.0, 1.0], "same") + [2 * plain[0], 0.0, 0.0]
        np.testing.assert_allclose(np.array(found), expected[name], rtol=1e-12)


def test_params_stand_beside_traced_values():
    p, x = param(), np.array([0.3, 0.8, 0.2])
    require_right(lambda x: np.sum(x * p + np.exp(p[1] * x) / p), x)
    lanes = vmap(grad(lambda x: np.sum(x * x * p)))(np.stack([x, 2 * x]))
    np.testing.assert_allclose(lanes, 2 * np.stack([x, 2 * x]) * np.array(p), rtol=1e-12)


# unyt: quantities, with arithmetic of their own


def coherent(x):
    """The number of a quantity in coherent units; what is none, as it is."""
    if not hasattr(x, "units"):
        return x
    number = x.number if type(x) is TracedQuantity else np.asarray(x)
    return number * float(x.units.base_value)


class TracedQuantity(np.lib.mixins.NDArrayOperatorsMixin):
    """What stands for a quantity of unyt's with a traced number: unyt says which unit results have."""

    __array_priority__ = 2e6

    def __init__(self, number, units):
        self.number, self.units = number, units

    def __array_ufunc__(self, ufunc, method, *inputs):
        import unyt

        ones = [unyt.unyt_array(np.ones(2), x.units) if hasattr(x, "units") else x for x in inputs]
        example = getattr(ufunc, method)(*ones)
        number = getattr(ufunc, method)(*map(coherent, inputs))
        if not hasattr(example, "units"):
            return number
        return TracedQuantity(number / float(example.units.base_value), example.units)

    def sum(self):
        return TracedQuantity(np.sum(self.number), self.units)

    def to(self, units):
        import unyt

        units = unyt.Unit(units)
        factor, _ = self.units.get_conversion_factor(units)
        return TracedQuantity(self.number * float(factor), units)


def declared_unyt():
    """The package, whose quantities are declared as those of pint and Astropy are."""
    unyt = pytest.importorskip("unyt", reason=f"unyt {ABSENT}")

    def quantity(number, units):
        is_plain = issubclass(type(number), np.ndarray | np.generic | float)
        return unyt.unyt_array(number, units) if is_plain else TracedQuantity(number, units)

    def number_in(x, units):
        number = x.number if type(x) is TracedQuantity else np.array(x)[()]
        factor = float(x.units.get_conversion_factor(unyt.Unit(units))[0])
        return number if factor == 1.0 else number * factor

    package = Package(
        "unyt",
        lambda x: x.units,
        number_in,
        quantity,
        lambda number, x: quantity(number, x.units),
    )
    return unyt, lambda: declare_quantities(package, unyt.unyt_array, TracedQuantity)


def test_quantities_of_unyt():
    unyt, declare = declared_unyt()
    lengths = unyt.unyt_array([1.0, 2.0], "cm")
    stiffness = unyt.unyt_quantity(3.0, "N/m")

    def energy(lengths):
        return (stiffness * lengths * lengths).sum().to("J")

    with pytest.raises(InputError, match="unyt_array"):
        grad(energy)(lengths)
    declare()
    force = grad(energy)(lengths)
    np.testing.assert_allclose(np.array(force.to("N")), [0.06, 0.12], rtol=1e-12)
    value, change = jvp(energy, (lengths,), (unyt.unyt_array([10.0, 0.0], "mm"),))
    np.testing.assert_allclose(float(change.to("J").value), 6e-4, rtol=1e-12)
    np.testing.assert_allclose(float(value.value), float(energy(lengths).value), rtol=1e-12)
