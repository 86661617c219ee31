"""`scipy.signal` for code that is differentiated."""

from typing import Any

import numpy as np
from scipy import signal

from chainrules_tape.numpy.conversions import by_others
from chainrules_tape.numpy.namespaces import stand_in
from chainrules_tape.scipy.objects import constant, floats


@by_others(signal.bilinear)
def bilinear(b: Any, a: Any, fs: Any = 1.0) -> Any:
    """`scipy.signal.bilinear`: s = 2 fs (z - 1) / (z + 1), by the coefficients and the sampling
    frequency.
    """
    plain = signal.bilinear(constant(b), constant(a), constant(fs))
    above, below = (np.reshape(floats(v), -1) for v in (b, a))
    above, below = (
        v[len(v) - len(np.trim_zeros(np.reshape(constant(v), -1), "f")) :] for v in (above, below)
    )
    order = max(above.shape[0], below.shape[0]) - 1
    numerator, denominator = in_z(above, order, fs), in_z(below, order, fs)
    # coefficients in front that SciPy takes for zeros
    lost = [order + 1 - part.shape[0] for part in plain]
    return (
        numerator[lost[0] :] / denominator[lost[1]],
        denominator[lost[1] :] / denominator[lost[1]],
    )


def in_z(coefficients: Any, order: int, fs: Any) -> Any:
    """A polynomial in s times a power of (z + 1), as one in z; the highest power is the first one
    in both.
    """
    count = coefficients.shape[0]
    powers = np.arange(count - 1, -1, -1)
    rows = [np.poly([1.0] * power + [-1.0] * (order - power)) for power in powers.tolist()]
    return (coefficients * (2.0 * fs) ** powers) @ np.stack(rows)


__getattr__, __dir__ = stand_in(signal, globals())
