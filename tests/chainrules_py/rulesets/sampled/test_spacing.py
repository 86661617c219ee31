"""Rules of evenly spaced numbers."""

import numpy as np
import pytest

from chainrules_py import frule, rrule
from slopes import quotients


@pytest.mark.parametrize("primal", [np.linspace, np.logspace, np.geomspace])
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_the_real_part_of_what_lies_between_complex_ends(primal):
    ends, dots = (0.5 + 0.3j, 1.5 - 0.7j), (0.2 - 0.4j, -0.6 + 0.1j)
    expected = np.real(
        quotients(lambda t: primal(*(np.array(ends) + t * np.array(dots)), num=4), 0.0)
    )
    y, y_dot = frule(dots, primal, *ends, num=4, dtype=float)
    assert y.dtype == y_dot.dtype == float
    np.testing.assert_allclose(y_dot, expected, rtol=1e-7)
    y_bar = np.array([0.3, -0.2, 0.7, 0.4])
    bars = rrule(primal, *ends, num=4, dtype=float)[1](y_bar)
    product = sum(np.real(np.conj(bar) * dot) for bar, dot in zip(bars, dots, strict=True))
    assert product == pytest.approx(y_bar @ expected, rel=1e-7)
