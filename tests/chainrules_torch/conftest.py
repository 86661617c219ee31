"""These tests need PyTorch, and skip where it is not installed."""

import warnings

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (extra: torch)")
torch.set_num_threads(1)
with warnings.catch_warnings():  # forward mode loads this, which PyTorch compiles in a way that it deprecates
    warnings.simplefilter("ignore")
    import torch._decomp.decompositions_for_jvp
