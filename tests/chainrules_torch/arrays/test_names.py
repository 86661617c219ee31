"""What has no counterpart on tensors says so, and what to write."""

import numpy as np
import pytest
import torch

from chainrules_tape import grad
from chainrules_torch import to_torch


def inserted(x):
    return np.sum(np.insert(x, 1, [1.0, 2.0]) ** 2)


def test_an_absent_function_is_named():
    x = torch.tensor([0.3, 0.4], dtype=torch.float64)
    with pytest.raises(AttributeError, match=r"insert .*to_torch"):
        grad(inserted)(x)
    x.requires_grad_()
    to_torch(inserted)(x).backward()
    assert np.allclose(x.grad, [0.6, 0.8])
