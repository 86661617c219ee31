"""Our rules in PyTorch's programs, and PyTorch's functions and modules in ours.

calling      to_torch: a primal as a function of tensors
direct       the short way for most calls; `replaying` has its backward passes as recorded operations
routes       which way a call takes: its rule on tensors, or in NumPy
arrays       tensors with NumPy's names and meaning, on which rules run
tensor_rules calls and their derivatives on these; `traced` has the autograd function of such a call
functions    the autograd functions of calls that NumPy computes; `compiling` is what torch.compile is told of them
programs     the call and its derivatives as functions of flat arrays; `outside` differentiates rules for higher orders
batches      vmap
conversion   tensors as NumPy's arrays, and back
foreign      from_torch: a function or module of PyTorch as a primitive
types        tensors join as the arrays of a library: primitives are called on them, and programs in NumPy run on them
"""

from chainrules_py import __version__ as __version__
from chainrules_torch.calling import TorchFunction as TorchFunction
from chainrules_torch.calling import to_torch as to_torch
from chainrules_torch.foreign import from_torch as from_torch
from chainrules_torch.foreign import parameters_of as parameters_of
from chainrules_torch.types import torch_library as torch_library
