"""Options and axes of numpy.fft without a derivative are refused."""

import numpy as np
import pytest

from chainrules_py import rrule
from chainrules_py.errors import NotDifferentiableError, OptionError


def test_out_is_refused_by_name():
    with pytest.raises(OptionError) as caught:
        rrule(np.fft.fft, np.ones(4), out=np.empty(4, complex))
    assert caught.value.option == "out"


def test_repeated_axes_with_lengths_have_no_adjoint_in_one_transform():
    y, pullback = rrule(np.fft.fftn, np.ones((2, 3)), s=(2, 2), axes=(0, 0))
    with pytest.raises(NotDifferentiableError) as caught:
        pullback(y)
    assert caught.value.argument == "axes"
