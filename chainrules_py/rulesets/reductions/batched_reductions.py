"""Reductions of many examples at once: along axes of each, counted from the end."""

import numpy as np

from chainrules_py import axes_rule

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
