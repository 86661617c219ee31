"""The constructor of Astropy's angles, for traced numbers: ``Angle(x, unit)``.

It takes a traced array for an array, and hands it to the constructor of quantities. Of a number
without axes it would make a plain array; so that one is made a quantity before.
"""

from functools import wraps
from typing import Any

import numpy as np
from astropy import units as astropy_units
from astropy.coordinates import angles

from chainrules_labels.traced_quantities import is_traced_array

units: Any = astropy_units
_original: Any = angles.Angle.__new__


@wraps(_original)
def construct(cls, angle, unit: Any = None, *args, **options):
    """An angle of Astropy, or a quantity that says to be one and holds a traced value."""
    if is_traced_array(angle) and not np.shape(angle):
        angle = units.Quantity(angle, cls._convert_unit_to_angle_unit(unit))
    return _original(cls, angle, unit, *args, **options)


def take_traced_numbers() -> None:
    """Have ``Angle(x, unit)`` take traced numbers, from now on."""
    angles.Angle.__new__ = staticmethod(construct)
