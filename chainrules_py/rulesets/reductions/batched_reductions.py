"""Reductions of many examples at once: along axes of each, counted from the end."""

from typing import Any

import numpy as np

from chainrules_py import Array, axes_rule, batched
from chainrules_py.batching.along_axes import (
    Reduces,
    from_the_end,
    run_on_numbers,
)
from chainrules_py.batching.lanes import Lanes
from chainrules_py.batching.words import in_a_loop

axes_rule(np.sum, kind="reduces", beside=("where",), adds=True)
axes_rule(
    *(np.mean, np.prod, np.max, np.min, np.all, np.any),
    *(np.nanmax, np.nanmin),
    kind="reduces",
    beside=("where",),
)
axes_rule(np.std, np.var, np.nanstd, np.nanvar, kind="reduces", beside=("where", "mean"))
axes_rule(np.count_nonzero, kind="reduces")
axes_rule(np.argmax, np.argmin, np.nanargmax, np.nanargmin, kind="reduces", flat=True)

axes_rule(np.cumsum, np.cumprod, kind="mixes", flat=True)


def median_in_lanes(primal) -> None:
    """Register the rule of a median."""

    @batched.register(primal, axes=Reduces())
    def median_batched(lanes: Lanes, a: Array, *, axis: Any = None, xp, **options):
        if not a.shape[0]:  # NumPy reshapes with -1
            return in_a_loop(primal, lanes)(a, axis=axis, **options)
        run = getattr(xp, primal.__name__)
        if a.ndim == 1:
            return run_on_numbers(run, a, ("axis",), {"axis": axis, **options})
        return run(a, axis=from_the_end(axis, a.ndim - 1), **options)


for _median in (np.median, np.nanmedian):
    median_in_lanes(_median)
