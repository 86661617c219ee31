"""What explains an error asks no traced value for anything: its level has ended."""

import numpy as np
import pytest

from chainrules_py import OptionError
from chainrules_tape import hessian, jacobian


@pytest.mark.parametrize(
    "transform", [lambda f: jacobian(f, mode="forward"), lambda f: hessian(lambda x: f(x).sum())]
)
def test_the_refusal_is_what_is_raised(transform):
    with pytest.raises(OptionError, match="order='K' follows the argument's layout"):
        transform(lambda x: x.T.ravel("K"))(np.ones((2, 3)))
