"""The names of methods of `numpy.ndarray` that are functions of NumPy, with the array first."""

from collections.abc import Mapping
from typing import Any

from chainrules_py.annotations import Function

# sort and partition write into the array; reshape, transpose and compress take their arguments in
# another form
METHODS = (
    *("sum", "prod", "mean", "std", "var", "max", "min", "any", "all", "cumsum", "cumprod"),
    *("argmax", "argmin", "argsort", "nonzero", "searchsorted"),
    *("ravel", "squeeze", "swapaxes", "diagonal", "trace"),
    *("take", "repeat", "dot", "clip", "round", "conj", "conjugate", "copy", "astype"),
)
RARER_METHODS = ("argpartition", "choose")  # which libraries like NumPy may lack


def add_methods(array_type: Any, functions: Mapping[str, Function]) -> None:
    """Give a class of arrays the methods of NumPy's arrays that `functions` has by their names.

    Each function takes the array first.
    """
    reshape, transpose = functions["reshape"], functions["transpose"]

    def reshaped(self: Any, *shape: Any, order: str = "C"):
        return reshape(self, shape[0] if len(shape) == 1 else shape, order)

    def transposed(self: Any, *axes: Any):
        if not axes:
            return transpose(self, None)
        return transpose(self, axes[0] if len(axes) == 1 else axes)

    methods = {name: functions[name] for name in METHODS if name in functions}
    methods |= {"reshape": reshaped, "transpose": transposed, "flatten": functions["ravel"]}
    for name, method in methods.items():
        setattr(array_type, name, method)
