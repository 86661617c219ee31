"""numpy.emath, where real arguments have complex results."""

import numpy as np

from chainrules_py import rrule
from chainrules_py.testing import load_shipped
from chainrules_py.testing.pytest_cases import parametrize_rules

load_shipped()

EMATH = (np.emath.sqrt, np.emath.log, np.emath.log2, np.emath.log10, np.emath.logn, np.emath.power)


@parametrize_rules(*EMATH, np.emath.arcsin, np.emath.arccos, np.emath.arctanh)
def test_rules(case):
    case.run()


def test_the_cotangent_of_a_real_argument_is_real():
    (x_bar,) = rrule(np.emath.sqrt, np.array([-4.0]))[1](np.array([1j]))
    # sqrt(-x) = i sqrt(x): the imaginary part grows as x falls
    np.testing.assert_allclose(x_bar, [-0.25])
