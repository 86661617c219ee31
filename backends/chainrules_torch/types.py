"""PyTorch's tensors as the arrays of a library: what is marked as a primitive and called on them goes to its rule."""

import torch

from chainrules_py.arrays import ArrayLibrary, register_library
from chainrules_torch.calling import call

torch_library = register_library(
    ArrayLibrary(name="torch", namespace=torch, array_types=(torch.Tensor,), priority=10, calls=call)
)
