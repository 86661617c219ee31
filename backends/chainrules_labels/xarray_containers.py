"""DataArrays and Datasets of xarray: the arrays in them are differentiated, the labels kept."""

from typing import Any, NoReturn

import numpy as np
import xarray

from chainrules_py.projection.admission import seed_error
from chainrules_py.tangents import AbstractTangent
from chainrules_py.values.structure import container

Labelled = xarray.Variable | xarray.DataArray


def declare_xarray() -> None:
    """Declare the classes of xarray that hold arrays, as containers of these."""
    for labelled in (xarray.Variable, xarray.DataArray):
        container(
            labelled,
            parts=array_under_labels,
            with_parts=with_array,
            tangent_parts=array_of_tangent,
        )
    container(
        xarray.Dataset,
        parts=variables_of,
        with_parts=with_variables,
        tangent_parts=variables_of_tangent,
    )


def array_under_labels(x: Labelled) -> dict[str, Any]:
    """The array under the labels, which is the one part."""
    return {"data": x.data}


def with_array(x: Labelled, parts: dict[str, Any]):
    """Put the labels of `x` on another array; what is no array, or has other axes, stays as it is.

    So does the Jacobian, which has axes of its own.
    """
    data = parts["data"]
    return x.copy(deep=False, data=data) if takes_place_of(x, data) else data


def array_of_tangent(x: Labelled, x_dot) -> dict[str, Any]:
    """The array under the labels of a tangent, its axes in the order of those of `x`."""
    if not isinstance(x_dot, Labelled) or set(x_dot.dims) != set(x.dims):
        got = f"a {type(x_dot).__name__}"
        if isinstance(x_dot, Labelled):
            got += f" with the dimensions {x_dot.dims}"
        raise_other_labels(x, x_dot, got, f"pass one with the dimensions {x.dims}")
    require_same_labels(x, x_dot)
    return array_under_labels(x_dot.transpose(*x.dims))


def variables_of_tangent(x: xarray.Dataset, x_dot) -> dict[Any, Any]:
    """The arrays of a tangent, each with its axes in the order of those of the variable."""
    if not isinstance(x_dot, xarray.Dataset) or not x_dot.data_vars.keys() <= x.data_vars.keys():
        got = f"a {type(x_dot).__name__}"
        if isinstance(x_dot, xarray.Dataset):
            got += f" with the variables {list(x_dot.data_vars)}"
        raise_other_labels(x, x_dot, got, f"pass a Dataset with the variables {list(x.data_vars)}")
    parts = x_dot.data_vars.items()
    return {name: array_of_tangent(x[name], part)["data"] for name, part in parts}


def require_same_labels(x: Labelled, x_dot: Labelled) -> None:
    """Raise where the entries of a tangent have other labels, or the same in another order."""
    labels, own = getattr(x_dot, "indexes", {}), getattr(x, "indexes", {})
    for dim in labels.keys() & own.keys():
        if not labels[dim].equals(own[dim]):
            got = f"other labels along {dim!r}"
            raise_other_labels(x, x_dot, got, "pass x_dot.reindex_like(x)")


def raise_other_labels(x, x_dot, got: str, instead: str) -> NoReturn:
    """Raise: what was passed is no tangent of an array with labels."""
    space = type(x).__qualname__
    raise seed_error(x_dot, got, space, f"a tangent of a {space}", instead)


def variables_of(x: xarray.Dataset) -> dict[Any, Any]:
    """The arrays of a Dataset by the names of its variables; coordinates are constants."""
    return {name: variable.data for name, variable in x.data_vars.items()}


def with_variables(x: xarray.Dataset, parts: dict[Any, Any]):
    """Put other arrays in the places of the variables; those without a tangent are left out."""
    given = {name: part for name, part in parts.items() if not isinstance(part, AbstractTangent)}
    rest = x if len(given) == len(parts) else x.drop_vars(parts.keys() - given.keys())
    if all(takes_place_of(x[name], part) for name, part in given.items()):
        return rest.copy(deep=False, data=given)
    return parts


def takes_place_of(x: Labelled, data) -> bool:
    """Whether an array has the axes of a DataArray."""
    return not isinstance(data, AbstractTangent) and np.shape(data) == x.shape
