"""Quantities of Astropy: as arguments, as results, and beside traced values."""

import operator
import sys
from typing import Any

import numpy as np
from astropy import units as astropy_units

from chainrules_labels.traced_constructor import take_traced_values
from chainrules_labels.traced_quantities import TracedQuantity, with_units, wrap_angle_of
from chainrules_py.annotations import Args, Options
from chainrules_py.values.identity import qualified_name
from chainrules_tape.core.dispatch import METHOD, asks_operands
from chainrules_tape.core.guests import answer_for
from chainrules_tape.core.levels import call_traced, prepare_when_imported
from chainrules_tape.refusals.errors import InputError
from chainrules_tape.units import Package, declare_quantities

units: Any = astropy_units  # its annotations are narrower than what it takes

COORDINATES = "astropy.coordinates.angles"
CONVERSIONS = frozenset({np.array, np.asarray, np.asanyarray})
_SHIFTS = frozenset({np.left_shift, operator.lshift})
_PLAIN = (np.ndarray, np.generic, int, float, complex)


def declare_astropy() -> None:
    """Declare quantities, and those that stand for them."""
    package = Package("astropy", unit_of, number_in, quantity_of, in_place_of)
    declare_quantities(package, units.Quantity, TracedQuantity)
    answer_for(units.Quantity, operation)
    answer_for(TracedQuantity, operation)
    answer_for(units.UnitBase, operation)
    take_traced_values()
    if COORDINATES in sys.modules:
        _angles()
    else:
        prepare_when_imported(COORDINATES, _angles)


def _angles() -> None:
    from chainrules_labels import traced_angles

    traced_angles.take_traced_numbers()


def unit_of(x) -> Any:
    """The unit of a quantity; InputError for one that has none, and for a logarithmic one, in which
    sums are products.
    """
    if not isinstance(x.unit, units.UnitBase):
        where = f"a derivative by, or of, a {qualified_name(type(x))}"
        got = f"the unit {x.unit}, in which numbers are logarithms"
        instead = "take q.physical"
        if x.unit is None:
            got = "no unit, as in x.view(Quantity) of an array"
            instead = "write Quantity(x, unit)"
        raise InputError(where, got, instead, function=None, value=x)
    return x.unit


def number_in(x, unit) -> Any:
    """The number of a quantity in a unit."""
    return x.value if x.unit == unit else x.to_value(unit)


def quantity_of(number, unit) -> Any:
    """A quantity of Astropy, or what stands for one that holds a traced number."""
    if issubclass(type(number), _PLAIN):
        return units.Quantity(number, unit, dtype=None)
    return TracedQuantity(number, unit)


def in_place_of(number, x) -> Any:
    """A number in the unit of a quantity: a traced one of its class, an `Angle` of an `Angle`."""
    if issubclass(type(number), _PLAIN):
        return quantity_of(number, unit_of(x))
    return TracedQuantity(number, unit_of(x), x.__class__, wrap_angle_of(x))


def operation(function, args: Args, options: Options) -> Any:
    """Call a function of NumPy's on traced values and quantities, or units in the place of these.

    Functions of others take quantities as containers.
    """
    if function in CONVERSIONS:
        return array_of_quantity(function, *args, **options)
    if function in _SHIFTS and isinstance(args[1], units.UnitBase):  # x << unit
        return units.Quantity(args[0], args[1], copy=False, subok=True)
    if not is_of_arrays(function):
        return NotImplemented
    args = tuple([1.0 * arg if isinstance(arg, units.UnitBase) else arg for arg in args])
    return with_units(function, args, options)


def is_of_arrays(function) -> bool:
    """Whether a function is one of NumPy's, an operator, or a method of arrays or ufuncs."""
    if asks_operands(function) or type(function) is METHOD:
        return True
    return isinstance(getattr(function, "__self__", None), np.ufunc)


def array_of_quantity(function, x, *args, **options) -> Any:
    """The quantity as an array: where subclasses pass, a quantity, else its number."""
    number = call_traced(function, (getattr(x, "value", x), *args), options)
    passes = function is np.asanyarray or options.get("subok", False)
    return quantity_of(number, unit_of(x)) if passes else number
