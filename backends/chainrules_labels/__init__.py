"""Arrays with labels or units as arguments and results: what is differentiated in them.

    xarray_containers     DataArrays and Datasets, taken apart
    pint_quantities       those of pint
    astropy_quantities    those of Astropy, and `traced_quantities`, which stand for them
    traced_constructor    ``Quantity(x, unit)`` of traced values
    traced_angles         ``Angle(x, unit)`` of traced numbers
    pandas_series         Series of pandas, as constants beside traced values

These packages are not imported here: what each defines is declared when the first object of it is
met. Astropy's constructor of quantities has to know of traced values before. Nothing below knows of
these modules: they register with `core.guests` and `chainrules_py.values.structure`.
"""

from functools import cache

from chainrules_labels import pandas_series
from chainrules_py.values.structure import declare_when_met
from chainrules_py.version import __version__ as __version__
from chainrules_tape.core.levels import prepare_when_imported
from chainrules_tape.refusals.instrumented_packages import left_out


def _xarray() -> None:
    from chainrules_labels import xarray_containers

    xarray_containers.declare_xarray()


def _pint() -> None:
    from chainrules_labels import pint_quantities

    pint_quantities.declare_pint()


@cache  # by the first object, or the first derivative
def _astropy() -> None:
    from chainrules_labels import astropy_quantities

    astropy_quantities.declare_astropy()


pandas_series.declare_pandas()  # a Series is told by its attributes, whichever package it is of
declare_when_met("astropy", _astropy)
prepare_when_imported("astropy.units", _astropy)
left_out.add("astropy.units")  # of its quantities there are traced ones
declare_when_met("xarray", _xarray)
declare_when_met("pint", _pint)
