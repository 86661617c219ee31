"""Functions that CuPy lacks or does otherwise, and that are programs of others: NumPy's numbers and
dtypes, and nothing in the ledger.
"""

import numpy as np
import pytest

from stand_ins.stand_in import DeviceArray, ledger, namespace

ROWS = np.array([[1.0, 2.0, -1.0, 0.5, 3.0], [0.0, 1.5, 2.0, -2.0, 1.0]])
COUNTS, WEIGHTS = np.array([1, 2, 1, 3, 1]), np.array([0.5, 1.0, 2.0, 1.0, 0.3])
P = np.array([2.0, -1.0, 0.5, 3.0])
CALLS = [
    *(
        ("cov", args, options)
        for args in ((ROWS,), (ROWS, 2 * ROWS[0]), (ROWS + 1j * ROWS[::-1], ROWS), (ROWS[0],))
        for options in (
            *({}, {"bias": True}, {"ddof": 2}, {"fweights": COUNTS}, {"aweights": WEIGHTS}),
            {"fweights": COUNTS, "aweights": WEIGHTS, "ddof": 2},
        )
    ),
    ("cov", (ROWS.T, ROWS[::-1].T.astype("f4")), {"rowvar": False, "aweights": WEIGHTS}),
    *(
        (name, (p, m), {})
        for name in ("polyder", "polyint")
        for p in (P, P.astype(int), P.astype("f4"))
        for m in (0, 1, 2, 5)
    ),
    *(("polyint", (P, 2, k), {}) for k in (0.5, [0.25], 2j, [0.0, 1.0, 7.0])),
    ("block", ([[ROWS, ROWS[:, :1]], [ROWS[:1], np.ones((1, 1))]],), {}),
    ("logspace", (P, 3.0), {"num": 3}),
    ("choose", (np.array([0, 1, 1, 0]), [P, P[::-1]]), {}),
    *(("linalg.matrix_norm", (ROWS,), {"ord": order}) for order in ("fro", "nuc", 1, 2, -2)),
]


def device(x):
    if isinstance(x, list) and not np.isscalar(x[0]):
        return list(map(device, x))
    return DeviceArray(x) if isinstance(x, np.ndarray) else x


@pytest.mark.parametrize(("name", "args", "options"), CALLS, ids=str)
def test_programs_of_other_functions(name, args, options):
    own, wanted = namespace, np
    for part in name.split("."):
        own, wanted = getattr(own, part), getattr(wanted, part)
    ledger.clear()
    found = own(*map(device, args), **{key: device(value) for key, value in options.items()})
    assert not ledger
    expected = wanted(*args, **options)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.host, expected, atol=1e-15)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_the_values_of_a_fit_are_not_overwritten(weights):
    x, y = np.linspace(-1, 1, 5), DeviceArray(ROWS[0].copy())
    w = None if weights is None else DeviceArray(weights)
    found = namespace.polyfit(DeviceArray(x), y, 1, w=w)
    np.testing.assert_allclose(found.host, np.polyfit(x, ROWS[0], 1, w=weights))
    np.testing.assert_array_equal(y.host, ROWS[0])
