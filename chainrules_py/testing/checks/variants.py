"""Calls derived from a call: in other memory layouts, or with narrower dtypes beside wide ones."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chainrules_py.testing.coordinates import Layout, Leaf
from chainrules_py.testing.freezing import with_gaps
from chainrules_py.testing.trial import Trial

Array = NDArray[Any]


def layout_variants(trial: Trial) -> Iterator[Trial]:
    """Make the call with arrays in Fortran order, with gaps, and with negative strides."""
    leaves = [
        leaf
        for leaf in Layout(trial.args).leaves
        if type(leaf.example) is np.ndarray and leaf.entries > 1
    ]
    for name, lay_out in (
        ("Fortran order", np.asfortranarray),
        ("non-contiguous", with_gaps),
        ("negative strides", _backwards),
    ):
        # arrays of one axis lie in Fortran order as they are
        if any(lay_out(leaf.example) is not leaf.example for leaf in leaves):
            yield _variation(trial, name, leaves, lay_out)


def _variation(trial: Trial, name: str, leaves: list[Leaf], change: Callable[[Any], Any]) -> Trial:
    replaced = {leaf.path: change(leaf.example) for leaf in leaves}
    return trial.variation(name, Layout(trial.args).with_leaves(replaced))


def _backwards(array: Array) -> Array:
    return np.flip(np.flip(array).copy())


def dtype_variants(trial: Trial) -> Iterator[Trial]:
    """Make the calls with one array, or all, in single precision or real."""
    active = [leaf for leaf in Layout(trial.args).leaves if leaf.path[0] in trial.active]
    wide = [leaf for leaf in active if _is_double(leaf)]
    alike = trial.settings.dtypes != "mixed"
    if alike and len(wide) == len(active) > 1:
        yield _variation(trial, "all in single precision", wide, _narrow)
    for leaf in wide if alike or len(active) > 1 else []:
        yield _variation(trial, f"{_name(trial, leaf)} in single precision", [leaf], _narrow)
    arrays = [leaf for leaf in Layout(trial.args).leaves if type(leaf.example) is np.ndarray]
    if isinstance(trial.subject.primal, np.ufunc) and all(leaf.entries for leaf in arrays):
        yield _variation(trial, "Python's numbers", arrays, lambda array: array.item(0))
    complex_ones = [
        leaf
        for leaf in active
        if leaf.is_complex and isinstance(leaf.example, np.ndarray | np.generic)
    ]
    for leaf in complex_ones if len(complex_ones) > 1 else []:
        yield _variation(trial, f"{_name(trial, leaf)} real", [leaf], _real)


def _name(trial: Trial, leaf: Leaf) -> str:
    return trial.names[leaf.path[0]] + "".join(f"[{key!r}]" for key in leaf.path[1:])


def _is_double(leaf: Leaf) -> bool:
    plain = type(leaf.example) is np.ndarray or isinstance(leaf.example, np.generic)
    return plain and leaf.dtype in (np.float64, np.complex128)


def _narrow(number):
    return number.astype("float32" if number.dtype == np.float64 else "complex64")


def _real(number) -> Any:
    return np.real(number).copy() if isinstance(number, np.ndarray) else np.real(number)
