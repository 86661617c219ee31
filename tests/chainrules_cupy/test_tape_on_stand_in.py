"""The tape on the stand-in for CuPy, in both modes and twice: results on the device, no waiting, NumPy's numbers."""

import numpy as np
import pytest
from stand_in import DeviceArray, ledger

tape = pytest.importorskip("chainrules_tape")
X = np.linspace(0.1, 0.9, 6).reshape(2, 3)

LOSSES = {
    "elementwise": lambda x: np.sum(np.sin(x) * x * 2.0),
    "broadcast": lambda x: np.sum((x - np.max(x, axis=1, keepdims=True)) ** 2 / x[0]),
    "logsumexp": lambda x: np.sum(np.log(np.sum(np.exp(x), axis=1))),
    "entries": lambda x: np.sum(x[:, 1] * x[0, 2]),
    "inverse": lambda x: np.sum(np.linalg.inv(x @ x.T + 2.0 * (x @ x.T))),
    "methods": lambda x: (x.T @ x).sum() + x.mean(),
    "joining": lambda x: np.sum(np.concatenate([x, x * 2.0]) ** 2),
    "fft": lambda x: np.sum(np.abs(np.fft.fft(x)) ** 2),
}


def twice(loss):
    return tape.grad(lambda x: np.sum(tape.grad(loss)(x) ** 2))


TRANSFORMS = {
    "grad": tape.grad,
    "grad of grad": twice,
    "hvp": lambda loss: lambda x: tape.hvp(loss, x, x),
    "jvp": lambda loss: lambda x: tape.jvp(loss, (x,), (x,))[1],
}


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("loss", LOSSES)
def test_derivatives_stay_on_the_device(loss, transform):
    differentiated = TRANSFORMS[transform](LOSSES[loss])
    ledger.clear()
    found = differentiated(DeviceArray(X.copy()))
    assert not ledger
    assert isinstance(found, DeviceArray)
    np.testing.assert_allclose(found.host, differentiated(X), rtol=1e-10)
