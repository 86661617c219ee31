"""Rules on tensors: of every sample of NumPy's functions that PyTorch computes, as `TensorArray`s, both
modes give what they give on NumPy's arrays.
"""

import numpy as np
import pytest
import torch

from chainrules_py.values.identity import qualified_name
from chainrules_torch.arrays.tensor_array import TensorArray
from stand_ins.library_runs import forward, outcomes, primals, reverse, torch_device


@pytest.mark.kinds
@pytest.mark.parametrize("primal", primals(), ids=qualified_name)
def test_rules_on_tensors_give_what_they_give_on_arrays_of_numpy(primal):
    assert {*outcomes(torch_device(), primal, (reverse, forward))} <= {"rf"}


@pytest.mark.parametrize(
    "write", [lambda a, t: np.add.at(a, [1, 1], t), lambda a, t: np.put(a, [0], t), np.copyto]
)
def test_functions_of_numpy_that_write_refuse_tensors_and_write_nothing(write):
    buffer = np.zeros(2)
    with pytest.raises(TypeError):
        write(buffer, TensorArray(torch.ones(2, dtype=torch.float64)))
    assert not buffer.any()
