"""The tests that need a device, run with the stand-in in CuPy's place: that they fail for nothing of their own making.

Of the samples only a few are run here: `test_stand_in` runs them all by the same functions.
"""

from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest
import test_gpu_rules
import test_gpu_tape
from device_runs import Device
from stand_in import DeviceArray, bare
from test_stand_in import AMBIGUOUS, PRIMALS, short_name

from chainrules_py.identity import qualified_name

pytest.importorskip("chainrules_tape")
CHOSEN = [primal for k, primal in enumerate(PRIMALS) if k % 20 == 0 or short_name(primal) in AMBIGUOUS]
SMALL = {program.name: SimpleNamespace(**{**vars(program), "sizes": (program.small,)}) for program in test_gpu_tape.PROGRAMS}


class InPlaceOfCupy:
    """What these tests use of CuPy."""

    ndarray = DeviceArray
    testing = SimpleNamespace(assert_allclose=lambda x, y, **options: np.testing.assert_allclose(x.host, y.host, **options))

    def asarray(self, x, dtype=None):
        return DeviceArray(np.array(x, dtype))

    def asnumpy(self, x):
        return x.host

    def __getattr__(self, name):
        return getattr(np if name == "float16" else bare, name)


@pytest.fixture(autouse=True)
def in_place_of_cupy(monkeypatch):
    cupy = InPlaceOfCupy()
    device = Device(cupy.ndarray, cupy.asarray, cupy.asnumpy, lambda primal, phase: nullcontext())
    monkeypatch.setattr(test_gpu_rules, "GPU", device)
    for module in (test_gpu_rules, test_gpu_tape):
        monkeypatch.setattr(module, "cupy", cupy)


@pytest.mark.parametrize("dtype", test_gpu_rules.TOLERANCES)
@pytest.mark.parametrize("primal", CHOSEN, ids=qualified_name)
def test_samples(primal, dtype):
    test_gpu_rules.test_samples(primal, dtype)


@pytest.mark.parametrize("name", ["whole", "last", "an integer before", "positions"])
def test_masks(name):
    test_gpu_rules.test_the_pullback_of_a_mask_does_not_wait(name)


def test_single_cases():
    test_gpu_rules.test_zero_dimensional_results_stay_on_the_device()
    test_gpu_rules.test_numpy_functions_and_numpy_arrays_follow_cupys_rules()
    test_gpu_rules.test_half_precision_is_computed_in_single()


@pytest.mark.parametrize("transform", test_gpu_tape.TRANSFORMS)
def test_derivatives(transform):
    test_gpu_tape.test_derivatives("qr", transform)


@pytest.mark.parametrize("transform", test_gpu_tape.CONSTANT_TRANSFORMS)
def test_constants(transform):
    test_gpu_tape.test_constants_in_an_index("two", transform)


@pytest.mark.parametrize("name", SMALL)
def test_programs(name):
    test_gpu_tape.test_programs(SMALL[name])
