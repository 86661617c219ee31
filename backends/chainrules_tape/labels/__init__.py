"""Arrays with labels as arguments and results: what is differentiated in them.

`xarray_containers` takes DataArrays and Datasets apart. xarray is not imported here: what it defines
is declared when the first object of it is met.
"""

from typing import Any

from chainrules_py.values.structure import declare_when_met, fields, is_container, kind


def is_value(y: Any) -> bool:
    """Whether a result is one array or number, perhaps with labels."""
    if kind(type(y)) == "declared":
        return len(fields(y)) == 1
    return not is_container(y)


def _xarray() -> None:
    from chainrules_tape.labels import xarray_containers

    xarray_containers.declare()


declare_when_met("xarray", _xarray)
