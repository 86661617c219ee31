"""DataArrays and Datasets of xarray: the arrays in them are differentiated, the labels kept."""

from typing import Any

import numpy as np
import xarray

from chainrules_py.tangents import AbstractTangent
from chainrules_py.values.structure import container

Labelled = xarray.Variable | xarray.DataArray


def declare() -> None:
    """Declare the classes of xarray that hold arrays, as containers of these."""
    for labelled in (xarray.Variable, xarray.DataArray):
        container(labelled, parts=array_of, with_parts=with_array)
    container(xarray.Dataset, parts=variables_of, with_parts=with_variables)


def array_of(x: Labelled) -> dict[str, Any]:
    """The array under the labels, which is the one part."""
    return {"data": x.data}


def with_array(x: Labelled, parts: dict[str, Any]) -> Any:
    """Put the labels of `x` on another array; what is no array, or has other axes, stays as it is.

    So does the Jacobian, which has axes of its own.
    """
    data = parts["data"]
    return x.copy(deep=False, data=data) if takes_place_of(x, data) else data


def variables_of(x: xarray.Dataset) -> dict[Any, Any]:
    """The arrays of a Dataset by the names of its variables; coordinates are constants."""
    return {name: variable.data for name, variable in x.data_vars.items()}


def with_variables(x: xarray.Dataset, parts: dict[Any, Any]) -> Any:
    """Put other arrays in the places of the variables; those without a tangent are left out."""
    given = {name: part for name, part in parts.items() if not isinstance(part, AbstractTangent)}
    rest = x if len(given) == len(parts) else x.drop_vars(parts.keys() - given.keys())
    if all(takes_place_of(x[name], part) for name, part in given.items()):
        return rest.copy(deep=False, data=given)
    return parts


def takes_place_of(x: Labelled, data: Any) -> bool:
    """Whether an array has the axes of a DataArray."""
    return not isinstance(data, AbstractTangent) and np.shape(data) == x.shape
