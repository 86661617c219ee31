"""Our rules in PyTorch's programs, and PyTorch's functions and modules in ours.

calling       to_torch: a primal as a function of tensors
planned       most calls, whose rule is looked up once for each kind
replaying     backward passes of planned calls as recorded operations
routes        which of all other calls PyTorch computes, and which NumPy
by_torch      the autograd function of calls whose rule runs on tensors
tensor_rules  such calls and their derivatives
arrays        tensors with NumPy's names and meaning, on which rules run
by_numpy      the autograd function of calls that NumPy computes, and vmap of such calls
programs      such calls, of which pullbacks are stored
functions     what the autograd functions share
compiling     torch.compile is told to run this package's functions as they are
conversion    tensors as NumPy's arrays, and back
foreign       from_torch: a function or module of PyTorch as a primitive
library       tensors as the arrays of a library, on which primitives and NumPy's programs run
"""

from chainrules_py.engines import require_installed

for _library in ("torch", "array_api_compat"):
    require_installed(_library, "torch", f"import {__name__}", __name__)

from chainrules_py import __version__ as __version__
from chainrules_torch.calling import TorchFunction as TorchFunction, to_torch as to_torch
from chainrules_torch.foreign import from_torch as from_torch, parameters_of as parameters_of
from chainrules_torch.library import torch_library as torch_library
