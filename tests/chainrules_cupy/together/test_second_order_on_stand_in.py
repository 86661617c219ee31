"""Second derivatives of every sample on the stand-in for CuPy: NumPy's numbers, arrays of the
device, nothing that waits. The first sample of a primal is differentiated in each order of the modes,
a further one in one of them, in turn; in the others, too, as `long` tests.

The rules run on traced values there, of which nobody can tell the library, and the constants that
they make have to find it.
"""

import warnings

import numpy as np
import pytest

import chainrules_tape as tape
from chainrules_py.values.identity import qualified_name
from stand_ins.constant_indices import INDICES, X, squares_at
from stand_ins.device_runs import calls, is_refused
from stand_ins.devices import STAND_IN
from stand_ins.second_order import SECOND_DERIVATIVES, compare_with_numpy, second_derivatives
from stand_ins.stand_in import DeviceArray, ledger
from stand_ins.what_waits import PRIMALS, unexpected


@pytest.mark.kinds
@pytest.mark.parametrize("transform", SECOND_DERIVATIVES)
@pytest.mark.parametrize("primal", PRIMALS, ids=qualified_name)
def test_second_derivatives_of_samples(primal, transform):
    turn = [*SECOND_DERIVATIVES].index(transform)
    check_samples(primal, transform, lambda number: number == 0 or number % 3 == turn)


@pytest.mark.long
@pytest.mark.parametrize("primal", PRIMALS, ids=qualified_name)
def test_second_derivatives_of_further_samples(primal):
    for transform in SECOND_DERIVATIVES:
        check_samples(primal, transform, lambda number: number > 0)


def check_samples(primal, transform, is_wanted):
    """Second derivatives of a primal's samples, of those whose number is wanted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, call in enumerate(calls(STAND_IN, primal, "float64")):
            if not is_wanted(number) or is_refused(STAND_IN, primal, *call[1:]):
                continue
            for derivative, wanted, x in second_derivatives(STAND_IN, transform, primal, call):
                ledger.clear()
                found = derivative()
                assert not unexpected(primal, "second order", ledger), call[0].name
                compare_with_numpy(STAND_IN, found, wanted, call[0], x)


# Constants of a rule in an index


@pytest.mark.parametrize("transform", SECOND_DERIVATIVES)
@pytest.mark.parametrize("name", INDICES)
def test_constants_in_an_index_are_made_on_the_device(name, transform):
    squares = squares_at(INDICES[name])
    differentiated = SECOND_DERIVATIVES[transform](lambda x: np.sum(squares(x) ** 2))
    ledger.clear()
    found = differentiated(DeviceArray(X.copy()))
    assert not ledger
    expected = np.zeros_like(X)
    expected[INDICES[name](np)] = X[INDICES[name](np)]
    factor = {
        "grad beside x": 16 * expected**3,
        "hvp": 12 * expected**3,
        "jvp of jvp": 16 * np.sum(expected**4),
    }
    np.testing.assert_allclose(found.host, factor[transform], rtol=1e-12)


# Constants that a rule returns

SHAPES = {"zeros": (0, 2), "no columns": (2, 0)}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_constant_cotangent_is_the_devices(shape):
    x = DeviceArray(np.zeros(shape))
    inner = tape.grad(lambda x: np.sum(np.resize(x, (3,)) ** 2))
    seen = []

    def outer(x):
        seen.append(inner(x))
        return np.sum(seen[0] * x)

    assert isinstance(tape.grad(outer)(x), DeviceArray)
    assert isinstance(seen[0], DeviceArray)
