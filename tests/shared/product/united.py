"""Programs on quantities of pint: a line along plain numbers, and units within."""

from importlib.util import find_spec

import numpy as np

X = np.array([0.3, 0.7, 1.1])
ROWS = {}

if find_spec("pint"):
    import pint

    U = pint.UnitRegistry()
    CONSTANT = np.array([1.0, 2.0, 3.0]) * U.m

    ROWS = {
        "quantities": (
            lambda x: (
                np.sum((x * U.m) ** 2).m_as("cm**2")
                + (U.Quantity(x, "m") ** 3).sum().m
                + np.sum(np.exp(x * U.cm / (2 * U.m))).m
                + np.sum(np.sin(x * U.deg)).m
                + np.sum((x * U.cm) ** 2 + 1.0 * U.mm**2).m
                + np.sum(np.sqrt(x * U.m**2)).m_as("mm")
            ),
            (X,),
            "foreign",
        ),
        "beside quantities": (
            lambda x: (
                np.sum(CONSTANT * x**2).m
                + np.sum(x**2 * CONSTANT).m * np.dot(x * U.m, CONSTANT).m
                + (x * U.m)[1].m_as("cm") ** 2
                + (x[0] * U.m / (x[1] * U.s)).m_as("km/h")
                + np.sum(np.where(X > 0.5, x * U.m, 0 * U.m)).m
                + np.sum(U.Quantity(x, "degC").to("kelvin").m ** 2)
            ),
            (X,),
            "decides foreign",
        ),
    }
