"""What NumPy's functions do with tensors in a program that is differentiated: they hand their calls over to PyTorch's.

This is for what is constant in such a program. What is differentiated, the engine sees first, and its rules compute.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from chainrules_py.registry import default_rules
from chainrules_torch.arrays.tensor_array import TensorArray
from chainrules_torch.types import torch_library


def array_ufunc(self: TensorArray, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    """A ufunc, or one of its methods, of arrays of which one is of tensors."""
    if has_others(map(type, (*inputs, *options.values()))):
        return NotImplemented
    return computed(ufunc if method == "__call__" else getattr(ufunc, method), inputs, options)


def array_function(self: TensorArray, primal: Any, types: Iterable[type], args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """A function of NumPy's of arrays of which one is of tensors."""
    return NotImplemented if has_others(types) else computed(primal, args, options)


def has_others(types: Iterable[type]) -> bool:
    """Whether a class has answers to NumPy's questions that go before those of tensors."""
    return any(cls is not TensorArray and not issubclass(cls, np.ndarray | np.generic) and has_answers(cls) for cls in types)


def has_answers(cls: type) -> bool:
    """Whether NumPy hands functions over to a class."""
    return hasattr(cls, "__array_ufunc__") or hasattr(cls, "__array_function__")


def computed(primal: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The value of a function, by PyTorch's where it has it."""
    primal, args, options = default_rules.canonical(primal, args, options)
    return torch_library.implementation(primal)(*args, **options)


TensorArray.__array_ufunc__ = array_ufunc  # type: ignore[method-assign,assignment]
TensorArray.__array_function__ = array_function  # type: ignore[attr-defined]
