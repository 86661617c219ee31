"""NumPy's methods of arrays for another class of arrays, made of functions like NumPy's."""

from collections.abc import Callable, Mapping
from typing import Any

from chainrules_py.calls.method_names import METHODS


def add_methods(array_type: Any, functions: Mapping[str, Callable[..., Any]]) -> None:
    """Give a class of arrays the methods of NumPy's arrays that `functions` has by their names.

    Each function takes the array first.
    """
    reshape, transpose = functions["reshape"], functions["transpose"]

    def reshaped(self: Any, *shape: Any, order: str = "C") -> Any:
        return reshape(self, shape[0] if len(shape) == 1 else shape, order)

    def transposed(self: Any, *axes: Any) -> Any:
        if not axes:
            return transpose(self, None)
        return transpose(self, axes[0] if len(axes) == 1 else axes)

    methods = {name: functions[name] for name in METHODS if name in functions}
    methods |= {"reshape": reshaped, "transpose": transposed, "flatten": functions["ravel"]}
    for name, method in methods.items():
        setattr(array_type, name, method)
