"""scipy.interpolate: the kit over what interpolants are computed by."""

import importlib

from chainrules_py.testing import load_shipped
from chainrules_py.testing.pytest_cases import parametrize_all

load_shipped()
samples = importlib.import_module("chainrules_samples.scipy.interpolate")


@parametrize_all(
    [
        samples.b_spline_values,
        samples.b_spline_scatter,
        samples.interpolating_coefficients,
        samples.solve_tridiagonal,
    ]
)
def test_rules(case):
    case.run()
