"""Equal steps between arrays of a device: NumPy's numbers, and nothing in the ledger."""

import numpy as np
import pytest

from stand_ins.stand_in import DeviceArray, ledger, namespace

START, STOP = np.array([[0.0, 1.0, -2.0]]), np.array([[1.0], [3.0]])
OPTIONS = [
    *({}, {"num": 1}, {"num": 0}, {"num": 5, "endpoint": False}),
    *({"num": 4, "axis": 1}, {"num": 3, "axis": -1}),
    {"dtype": "f4"},
]


def device(x):
    return DeviceArray(x) if isinstance(x, np.ndarray) else x


def held(function, args, options):
    """What the device's function makes, against NumPy's."""
    ledger.clear()
    found = getattr(namespace, function)(
        *map(device, args), **{key: device(value) for key, value in options.items()}
    )
    assert not ledger
    wanted = getattr(np, function)(*args, **options)
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found.host, wanted, rtol=1e-6 if wanted.dtype == "f4" else 1e-12)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize(
    "ends", [(START, STOP), (START, 2.5), (0.5, STOP), (START + 1j, STOP), (np.arange(3), 7)]
)
@pytest.mark.parametrize("function", ["linspace", "logspace"])
def test_numpys_numbers(function, ends, options):
    dtype = "c8" if "dtype" in options and np.iscomplexobj(ends[0]) else options.get("dtype")
    held(function, ends, {**options, "dtype": dtype} if dtype else options)


def test_the_last_number_is_the_end_itself():
    start, stop = np.array([0.1]), np.array([0.7])
    assert namespace.linspace(DeviceArray(start), DeviceArray(stop), 50).host[-1] == stop


@pytest.mark.parametrize("axis", [0, 1])
def test_a_base_per_line(axis):
    held("logspace", (START[0], 2.0), {"base": np.array([2.0, 3.0, 10.0]), "num": 4, "axis": axis})


@pytest.mark.parametrize("ends", [0, (1, -2), ((1, 2), (3, 4))], ids=str)
@pytest.mark.parametrize("width", [1, (2, 0), ((0, 3), (2, 1))], ids=str)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_padding_with_ramps(dtype, width, ends):
    array = np.array([[1.0, 5.0, 2.0], [7.0, -3.0, 4.0]]).astype(dtype)
    held("pad", (array, width, "linear_ramp"), {"end_values": ends})


@pytest.mark.parametrize(("shape", "axis"), [(2, 0), ((2, 2), None), ((1, 3), (1, 1)), (3, -1)])
def test_windows(shape, axis):
    x = np.arange(20.0).reshape(4, 5)[:, ::-1]
    ledger.clear()
    found = namespace.lib.stride_tricks.sliding_window_view(DeviceArray(x), shape, axis)
    assert not ledger
    np.testing.assert_array_equal(
        found.host, np.lib.stride_tricks.sliding_window_view(x, shape, axis)
    )
