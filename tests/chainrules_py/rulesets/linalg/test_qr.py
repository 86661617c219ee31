"""The QR factorisation of tall, wide and square matrices."""

import numpy as np
import pytest

from chainrules_py import Tangent, rrule
from chainrules_py.errors import NotDifferentiableError, OptionError


def test_dependent_columns_raise_as_numpy_does():
    y, pullback = rrule(np.linalg.qr, np.array([[1.0, 0.0], [0.0, 0.0]]))
    with pytest.raises(np.linalg.LinAlgError):
        pullback(Tangent[type(y)](*map(np.ones_like, y)))


def test_refused_modes_say_what_to_write():
    with pytest.raises(NotDifferentiableError) as caught:
        rrule(np.linalg.qr, np.ones((3, 2)), mode="complete")
    assert caught.value.argument == "mode"
    with pytest.raises(OptionError) as refused:
        rrule(np.linalg.qr, np.ones((3, 2)), mode="raw")
    assert refused.value.option == "mode"
