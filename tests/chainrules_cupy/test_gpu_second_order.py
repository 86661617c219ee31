"""Second derivatives of every sample on a device, in three orders of the modes: NumPy's numbers, and only the known waits."""

import warnings

import numpy as np
import pytest
from device_runs import calls, is_refused
from test_gpu_rules import GPU
from test_second_order_on_stand_in import TRANSFORMS, in_argument, on_numpy
from waiting import allowing_waits
from what_waits import PRIMALS, SECOND_ORDER, short_name

from chainrules_py.identity import qualified_name

pytestmark = pytest.mark.gpu
cupy = pytest.importorskip("cupy")


def active(args):
    return [k for k, arg in enumerate(args) if isinstance(arg, cupy.ndarray) and arg.dtype.kind == "f"]


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("primal", PRIMALS, ids=qualified_name)
def test_second_derivatives_of_samples(primal, transform):
    waits, _ = SECOND_ORDER
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample, args, options in calls(GPU, primal, "float64"):
            if is_refused(GPU, primal, args, options):
                continue
            for k in active(args):
                wanted = on_numpy(TRANSFORMS[transform](in_argument(primal, sample.args, sample.options, k)), sample.args[k])
                if wanted is not None:
                    with allowing_waits(short_name(primal) in waits):
                        found = TRANSFORMS[transform](in_argument(primal, args, options, k))(args[k])
                    compare(found, wanted)


def compare(found, wanted):
    if isinstance(wanted, np.ndarray) and wanted.ndim:
        assert isinstance(found, cupy.ndarray)
    np.testing.assert_allclose(GPU.fetch(found), wanted, rtol=1e-7, atol=1e-7)
