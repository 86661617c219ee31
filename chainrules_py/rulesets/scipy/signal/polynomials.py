"""Polynomials in the delay: frequency responses, division, steady states."""

from typing import Any

import numpy as np
from scipy import signal

from chainrules_py import Array, composed
from chainrules_py.makers.by_source import by_source
from chainrules_py.rulesets.formulas.known_values import any_at_hand

by_source(signal.freqz, arguments=2)
by_source(signal.deconvolve)


@composed(signal.lfilter_zi)
def lfilter_zi(b: Array, a: Array, *, xp) -> Any:
    """M z = b[1:] - a[1:] b[0], with a scaled to a[0] = 1, the first column of M being that of the
    identity plus a[1:].
    """
    b, a = xp.atleast_1d(b), xp.atleast_1d(a)
    if b.ndim != 1 or a.ndim != 1 or not a.size or max(b.size, a.size) < 2:
        signal.lfilter_zi(np.ones(b.shape), np.ones(a.shape))  # for its errors
    while a.shape[0] > 1 and any_at_hand(a[0] == 0):
        if any_at_hand(a[0] != 0):
            raise ValueError(
                "lfilter_zi: a[0] is zero in some examples only; call it for each example"
            )
        a = a[1:]
    n = max(b.shape[0], a.shape[0])
    b, a = [xp.pad(x / a[0], (0, n - x.shape[0])) for x in (b, a)]
    units = [xp.eye(n - 1, k=k, dtype=np.result_type(a.dtype, b.dtype)) for k in (0, 1)]
    matrix = units[0] - units[1] + a[1:, None] * units[0][0]
    return xp.linalg.solve(matrix, b[1:] - a[1:] * b[0])
