"""Load PyTorch before warnings are errors: its forward mode compiles in a way that it deprecates."""

import warnings
from importlib.util import find_spec

if find_spec("torch") is not None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch._decomp.decompositions_for_jvp

        torch.set_num_threads(1)
