"""The methods of NumPy's arrays for another class of arrays, by functions that have NumPy's names
and arguments.
"""

from collections.abc import Callable, Mapping
from typing import Any

METHODS = (
    *(
        "sum",
        "prod",
        "mean",
        "std",
        "var",
        "max",
        "min",
        "any",
        "all",
        "argmax",
        "argmin",
        "argsort",
        "cumsum",
        "cumprod",
    ),
    *(
        "ravel",
        "squeeze",
        "swapaxes",
        "take",
        "repeat",
        "diagonal",
        "trace",
        "dot",
        "clip",
        "round",
        "conj",
        "conjugate",
    ),
    *("copy", "astype", "nonzero", "searchsorted"),
)


def add_methods(array_type: Any, functions: Mapping[str, Callable[..., Any]]) -> None:
    """Give a class of arrays the methods of NumPy's arrays for which there is a function, which
    takes the array first.
    """
    reshape, transpose = functions["reshape"], functions["transpose"]

    def reshaped(self: Any, *shape: Any, order: str = "C") -> Any:
        return reshape(self, shape[0] if len(shape) == 1 else shape, order)

    def transposed(self: Any, *axes: Any) -> Any:
        return transpose(self, None if not axes else axes[0] if len(axes) == 1 else axes)

    own = {name: functions[name] for name in METHODS if name in functions}
    for name, method in {
        **own,
        "reshape": reshaped,
        "transpose": transposed,
        "flatten": functions["ravel"],
    }.items():
        setattr(array_type, name, method)
