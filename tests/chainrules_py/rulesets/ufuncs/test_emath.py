"""numpy.emath, where real arguments have complex results."""

import numpy as np

from chainrules_py import rrule


def test_the_cotangent_of_a_real_argument_is_real():
    (x_bar,) = rrule(np.emath.sqrt, np.array([-4.0]))[1](np.array([1j]))
    # sqrt(-x) = i sqrt(x): the imaginary part grows as x falls
    np.testing.assert_allclose(x_bar, [-0.25])
