"""The ledger of what happens between host and device, and which of CuPy's functions make it happen.

`WAITS` and `WAITS_IF` say what was read in CuPy's sources: where the host waits for the device.
`UPLOADS` are the functions that copy numbers and lists to it, `UPLOADS_ANYWAY` those that copy more
than they are given.
"""

import numpy as np

NUMBERS = bool | int | float | complex | np.generic
WAITS = {
    *("nonzero", "flatnonzero", "argwhere", "compress"),
    *("extract", "trim_zeros", "roots", "delete", "polymul"),
    *("unique", "unique_all", "unique_counts", "unique_inverse", "unique_values"),
    *("tril_indices", "triu_indices", "tril_indices_from"),
    *("triu_indices_from", "diag_indices_from"),
    *("nanmax", "nanmin", "unravel_index", "bincount", "cond"),
    *("place", "asarray_chkfinite", "polyfit", "lstsq"),
    *("argpartition", "array2string", "array_repr"),
    *("array_str", "shares_memory", "sliding_window_view"),
}
WAITS_IF = {  # by the arguments as CuPy's function names them
    "where": lambda given: given.get("x") is None,
    "repeat": lambda given: not isinstance(given["repeats"], int | np.integer),
    "average": lambda given: given.get("weights") is not None,
    "quantile": lambda given: is_device_array(given["q"]),
    "percentile": lambda given: is_device_array(given["q"]),
    "choose": lambda given: given.get("mode", "raise") == "raise",
    "gradient": lambda given: any(
        getattr(spacing, "ndim", 0) for spacing in given.get("varargs", ())
    ),
    "histogram": lambda given: given.get("range") is None or is_device_array(given.get("bins")),
    "histogram2d": lambda given: given.get("range") is None,
    "histogramdd": lambda given: given.get("range") is None,
    "cov": lambda given: given.get("fweights") is not None or given.get("aweights") is not None,
    "linspace": lambda given: is_device_array(given["start"]) or is_device_array(given["stop"]),
    "logspace": lambda given: is_device_array(given["start"]) or is_device_array(given["stop"]),
    "pad": lambda given: given.get("mode") == "linear_ramp",
    "pinv": lambda given: given["a"].size > 0,
    "real_if_close": lambda given: given["a"].dtype.kind == "c",
    "put": lambda given: given.get("mode", "wrap") == "raise",
}
UPLOADS = {"array", "asarray", "ascontiguousarray"}
UPLOADS_ANYWAY = {"diag_indices_from", "sliding_window_view"}


class Ledger(list):
    """List what happened between host and device, such as ``("waits", "float")``."""

    def waits(self, what):
        self.append(("waits", what))

    def uploads(self, what):
        self.append(("copies to the device", what))


ledger = Ledger()


def is_device_array(value):
    """Whether a value is an array of the pretended device, which keeps its numbers in `host`."""
    return hasattr(value, "host")


def waits(name, signature, args, options):
    """Whether the host waits for the device in this form of a call."""
    if name in WAITS or name not in WAITS_IF:
        return name in WAITS
    return WAITS_IF[name](signature.bind(*args, **options).arguments)


def is_stacked(value):
    """Whether these are arrays of the device, of one shape and dtype, which CuPy joins there."""
    if not isinstance(value, list | tuple) or not value or not all(map(is_device_array, value)):
        return False
    return len({(part.shape, part.dtype) for part in value}) == 1
