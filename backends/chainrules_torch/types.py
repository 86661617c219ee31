"""PyTorch's tensors as the values of a library: what is marked as a primitive and called on them goes to its rule.

They are no `Array`s: what PyTorch means by a name of NumPy's can be something else (its `std` divides by n - 1), so that a
rule that ran on tensors would be wrong without a word. ``rrule(numpy.std, tensor)`` finds no rule; `to_torch` hands NumPy's
arrays to it.
"""

import torch

from chainrules_py.arrays import ArrayLibrary, register_library
from chainrules_torch.calling import call

torch_library = register_library(
    ArrayLibrary(name="torch", namespace=torch, array_types=(), scalar_types=(torch.Tensor,), priority=10, calls=call)
)
