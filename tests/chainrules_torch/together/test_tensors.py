"""Rules on tensors: of every sample of NumPy's functions that PyTorch computes, as `TensorArray`s, both
modes give what they give on NumPy's arrays.
"""

from functools import partial

import numpy as np
import pytest
import torch

from chainrules_py.values.identity import qualified_name
from chainrules_tape import hvp, only_marked
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


@pytest.mark.filterwarnings("ignore::chainrules_tape.SeenThroughWarning")
def test_what_a_function_holds_of_the_adapters_is_not_taken_for_the_users():
    x = np.arange(1.0, 5.0)

    def power(held, x):
        y = np.fft.rfft(x)
        return np.sum((np.real(y) ** 2 + np.imag(y) ** 2) ** 2)

    with only_marked(False):
        found = hvp(partial(power, TensorArray(torch.ones(4))), *[torch.asarray(x)] * 2)
    np.testing.assert_allclose(found.numpy(), hvp(partial(power, None), x, x))
