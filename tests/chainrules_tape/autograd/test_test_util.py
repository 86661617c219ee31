"""`check_grads` accepts right derivatives, and finds wrong ones."""

import numpy as np
import pytest

from chainrules_tape import autograd
from chainrules_tape.autograd.extend import defjvp, defvjp, primitive


def test_right_derivatives_pass():
    autograd.test_util.check_grads(lambda x, y: np.sin(x) * y, (0, 1))(np.ones(2), 3.0)
    autograd.test_util.combo_check(np.sum, [0])(
        [np.ones((2, 3))], axis=[None, 0], keepdims=[True, False]
    )


@pytest.mark.parametrize("mode", ["fwd", "rev"])
def test_wrong_derivatives_are_found(mode):
    wrong = primitive(lambda x: x**2)
    defvjp(wrong, lambda y, x: lambda g: g * 3 * x)
    defjvp(wrong, lambda g, y, x: g * 3 * x)
    with pytest.raises(AssertionError, match=r"derivative|value"):
        autograd.test_util.check_grads(wrong, modes=[mode], order=1)(2.0)


def test_elements_that_differ():
    with pytest.raises(AssertionError):
        autograd.test_util.check_equivalent(np.ones(2), np.zeros(2))
