"""Arrays with labels as arguments and results: what is differentiated in them.

`xarray_containers` takes DataArrays and Datasets apart. xarray is not imported here: what it defines
is declared when the first object of it is met.
"""

from chainrules_py.values.structure import declare_when_met


def _xarray() -> None:
    from chainrules_tape.labels import xarray_containers

    xarray_containers.declare()


declare_when_met("xarray", _xarray)
