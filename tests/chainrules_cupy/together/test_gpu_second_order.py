"""Second derivatives of every sample on a device, in three orders of the modes: NumPy's numbers,
and only the known waits.
"""

import warnings

import pytest

from chainrules_py.values.identity import qualified_name
from stand_ins.device_runs import calls, is_refused
from stand_ins.devices import GPU
from stand_ins.second_order import SECOND_DERIVATIVES, compare_with_numpy, in_argument, on_numpy
from stand_ins.waiting import allowing_waits
from stand_ins.what_waits import PRIMALS, SECOND_ORDER, short_name

pytestmark = pytest.mark.gpu
cupy = pytest.importorskip("cupy")


def active(args):
    return [
        k for k, arg in enumerate(args) if isinstance(arg, cupy.ndarray) and arg.dtype.kind == "f"
    ]


@pytest.mark.parametrize("transform", SECOND_DERIVATIVES)
@pytest.mark.parametrize("primal", PRIMALS, ids=qualified_name)
def test_second_derivatives_of_samples(primal, transform):
    waits, _ = SECOND_ORDER
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample, args, options in calls(GPU, primal, "float64"):
            if is_refused(GPU, primal, args, options):
                continue
            for k in active(args):
                wanted = on_numpy(
                    SECOND_DERIVATIVES[transform](
                        in_argument(primal, sample.args, sample.options, k)
                    ),
                    sample.args[k],
                )
                if wanted is not None:
                    with allowing_waits(short_name(primal) in waits):
                        found = SECOND_DERIVATIVES[transform](
                            in_argument(primal, args, options, k)
                        )(args[k])
                    compare_with_numpy(GPU, found, wanted, sample, sample.args[k])
