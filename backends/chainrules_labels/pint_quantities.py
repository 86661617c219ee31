"""Quantities of pint, which hold traced values as they hold arrays."""

from typing import Any

import pint

from chainrules_py.values.identity import qualified_name
from chainrules_tape.refusals.errors import InputError
from chainrules_tape.units import Package, declare_quantities


def declare_pint() -> None:
    """Declare the quantities of all registries."""
    package = Package("pint", unit_of, number_in, quantity_of, in_place_of)
    declare_quantities(package, pint.Quantity)


def unit_of(x) -> Any:
    """The unit of a quantity; InputError for one whose zero is not zero, as that of degrees is."""
    units = x.units
    if quantity_of(0.0, units).to_root_units().magnitude != 0.0:
        where = f"a derivative by, or of, a {qualified_name(type(x))}"
        got = f"the unit {units}, whose zero is not that of the dimension"
        instead = "take a unit that counts from zero, as q.to('kelvin') does"
        raise InputError(where, got, instead, function=None, value=x)
    return units


def number_in(x, unit) -> Any:
    """The number of a quantity in a unit."""
    return x.magnitude if x.units == unit else x.m_as(unit)


def quantity_of(number, unit) -> Any:
    """A quantity of the registry that the unit is of."""
    return unit._REGISTRY.Quantity(number, unit)


def in_place_of(number, x) -> Any:
    """A number in the unit of a quantity."""
    return quantity_of(number, unit_of(x))
