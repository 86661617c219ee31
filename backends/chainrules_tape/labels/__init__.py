"""Arrays with labels or units as arguments and results: what is differentiated in them.

`xarray_containers` takes DataArrays and Datasets apart, `pint_containers` quantities. Neither package is imported here: what
they define is declared when the first object of theirs is met.
"""

from chainrules_py.values.structure import declare_when_met


def _xarray() -> None:
    from chainrules_tape.labels import xarray_containers

    xarray_containers.declare()


declare_when_met("xarray", _xarray)
