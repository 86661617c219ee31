"""Second derivatives of every sample on a device, in three orders of the modes: NumPy's numbers,
and only the known waits and
copies.
"""

import warnings

import pytest

from chainrules_py.values.identity import qualified_name
from stand_ins.device_runs import calls, is_refused
from stand_ins.devices import GPU
from stand_ins.second_order import SECOND_DERIVATIVES, compare_with_numpy, second_derivatives
from stand_ins.what_waits import PRIMALS

pytestmark = pytest.mark.gpu
pytest.importorskip("cupy")


@pytest.mark.parametrize("transform", SECOND_DERIVATIVES)
@pytest.mark.parametrize("primal", PRIMALS, ids=qualified_name)
def test_second_derivatives_of_samples(primal, transform):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in calls(GPU, primal, "float64"):
            if is_refused(GPU, primal, *call[1:]):
                continue
            for derivative, wanted, x in second_derivatives(GPU, transform, primal, call):
                with GPU.watching(primal, "second order"):
                    found = derivative()
                compare_with_numpy(GPU, found, wanted, call[0], x)
