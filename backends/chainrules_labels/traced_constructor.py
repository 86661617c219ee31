"""The constructor of Astropy's quantities, for traced values: ``Quantity(x, unit)``, ``x << unit``,
``Angle(x, unit)``.

Astropy makes an ndarray of what it is given, and asks nobody. So its constructor is replaced, when
a derivative begins after Astropy has been imported, by one that makes a `TracedQuantity` of traced
values and leaves all others to Astropy.
"""

from functools import wraps
from typing import Any

import numpy as np
from astropy import units as astropy_units

from chainrules_labels.traced_quantities import (
    TracedQuantity,
    changed_quantities,
    is_traced_number,
    plain_quantity,
)
from chainrules_tape.core.levels import call_traced

units: Any = astropy_units
_original: Any = units.Quantity.__new__
_PLAIN = frozenset({np.ndarray, np.float64, float, int, str, units.Quantity})


@wraps(_original)
def construct(cls, value, *args, **options):
    """A quantity of Astropy, or one that holds a traced value."""
    if type(value) in _PLAIN or not holds_traced_number(value):
        return _original(cls, value, *args, **options)
    return traced_quantity(cls, value, *args, **options)


def take_traced_values() -> None:
    """Have ``Quantity(x, unit)`` take traced values, from now on."""
    units.Quantity.__new__ = staticmethod(construct)


def holds_traced_number(value) -> bool:
    """Whether a value is traced, or a list with traced ones in it."""
    if issubclass(type(value), tuple | list):
        return any(map(holds_traced_number, value))
    return is_traced_number(value)


def traced_quantity(
    cls,
    value,
    unit: Any = None,
    dtype: Any = np.inexact,
    copy: Any = True,
    order: Any = None,
    subok: bool = False,
    ndmin: int = 0,
) -> TracedQuantity:
    """The quantity of a traced value; Astropy says of the plain value which unit it has."""
    plain = changed_quantities(value, plain_quantity)
    example = _original(cls, plain, unit, dtype, copy, order, subok, ndmin)
    number = number_of(value, example.unit)
    if ndmin > np.ndim(number):
        number = number[(None,) * (ndmin - np.ndim(number))]
    if number.dtype != example.dtype:
        number = number.astype(example.dtype)
    is_given = number is (value.value if type(value) is TracedQuantity else value)
    if copy and is_given:
        number = number.copy()
    return TracedQuantity(number, example.unit, type(example))


def number_of(value, unit) -> Any:
    """The number of what a quantity is made of, in the quantity's unit."""
    if issubclass(type(value), tuple | list):
        parts = [number_of(part, unit) for part in value]
        return (
            call_traced(np.array, (parts,), {})
            if any(map(holds_traced_number, parts))
            else np.array(parts)
        )
    return value.to_value(unit) if isinstance(value, units.Quantity) else value
