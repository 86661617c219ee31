"""The functions that ``cupyx.scipy`` shares with SciPy, found by their names when somebody asks for
one.

Modules of ``cupyx.scipy`` are imported one at a time and only when they are needed: some of them
load libraries of CUDA.
"""

import importlib
from types import ModuleType
from typing import Any

import cupy

_ON_HOST = "its derivative is computed on the host, from arrays that are there"
_OF_LABELS = (
    "its derivative sorts the labels on the host; masks, numpy.sum and numpy.where have rules"
)
_RANKS = (
    "maximum_filter",
    "maximum_filter1d",
    "median_filter",
    "minimum_filter",
    "minimum_filter1d",
    "percentile_filter",
)
_REGIONS = ("maximum", "mean", "minimum", "standard_deviation", "sum", "sum_labels", "variance")
_SIGNAL = (
    *("coherence", "cspline1d", "csd", "czt", "decimate"),
    *("filtfilt", "firls", "firwin", "freqz", "hilbert", "istft"),
    *("medfilt", "medfilt2d", "order_filter"),
    *("periodogram", "qspline1d", "resample", "resample_poly"),
    *("savgol_filter", "sosfiltfilt", "stft", "welch", "zoom_fft"),
)
_SPARSE = ("eigsh", "spsolve", "spsolve_triangular", "svds")
# SciPy's functions have rules, which are not for CuPy's of the same name: the reasons
NOT_SHARED: dict[str, str] = {
    **{f"ndimage.{name}": _ON_HOST for name in (*_RANKS, "rank_filter")},
    **{f"ndimage.{name}": _OF_LABELS for name in _REGIONS},
    **{f"signal.{name}": _ON_HOST for name in _SIGNAL},
    **{f"sparse.linalg.{name}": _ON_HOST for name in _SPARSE},
    "linalg.block_diag": _ON_HOST,
    "ndimage.rotate": (
        "CuPy's also smooths along the other axes where `prefilter=False`; call affine_transform"
    ),
    "signal.hilbert2": "CuPy's has other numbers than SciPy's; call fft2",
    "signal.lfilter": (
        "CuPy's takes other states than SciPy's; call scipy.signal's, as chainrules_tape.scipy has it"
    ),
    "signal.lfilter_zi": "CuPy's has other states than SciPy's; call scipy.signal's",
    "sparse.linalg.minres": "CuPy calls its tolerance `tol`; call cg or gmres",
    "stats.entropy": "CuPy's overwrites its argument; call rel_entr and entr",
}
CHOOSING = frozenset({"signal.convolve", "signal.correlate"})
MODULES = ("fft", "linalg", "ndimage", "signal", "sparse.linalg", "special", "stats")


def function_of_scipy(primal) -> Any:
    """CuPy's function for one of SciPy's; None where there is none."""
    home = home_of(primal)
    name = getattr(primal, "__name__", "")
    path = f"{home}.{name}"
    if (
        home is None
        or (path in NOT_SHARED and path != "signal.lfilter")
        or getattr(importlib.import_module(f"scipy.{home}"), name, None) is not primal
    ):
        return None
    found = getattr(device_module(home), name, None)
    if path in CHOOSING:
        return choosing_method(found)
    if path == "signal.lfilter":
        return with_states(found)
    return with_low_orders(found) if path == "special.spherical_yn" else found


def choosing_method(function) -> Any:
    """A convolution that chooses its method itself for arrays of several axes, too: CuPy's does for
    vectors alone.
    """

    def convolved(in1, in2, mode: str = "full", method: str = "auto"):
        return function(in1, in2, mode, "direct" if method == "auto" and in1.ndim != 1 else method)

    return convolved


def with_states(function) -> Any:
    """`lfilter` with SciPy's states, of which CuPy's are the last numbers that came in and went out.

    As polynomials b x + zi = a y + z^N zf for N numbers, where a[0] is one.
    """

    def lfilter(b, a, x, axis: int = -1, zi: Any = None):
        if zi is None:
            return function(b, a, x, axis)
        x, zi = cupy.moveaxis(x, axis, -1), cupy.moveaxis(zi, axis, -1)
        one, (b, a), count = cupy.ones(1, a.dtype), (b / a[0], a / a[0]), x.shape[-1]
        width = count + zi.shape[-1]
        start = lengthened(zi, width)
        y = function(b, a, x) + function(one, a, start[..., :count])
        behind = function(b, one, lengthened(x, width)) - function(a, one, lengthened(y, width))
        return cupy.moveaxis(y, -1, axis), cupy.moveaxis((behind + start)[..., count:], -1, axis)

    return lfilter


def lengthened(x, width: int) -> Any:
    """Lines of numbers, with zeros behind them."""
    return cupy.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, width - x.shape[-1])])


def with_low_orders(function) -> Any:
    """`spherical_yn`, whose derivatives of the orders 0 and 1 are other numbers in CuPy 14.2: here
    they are made of the neighbouring orders (DLMF 10.51.2).
    """

    def spherical_yn(n, z, derivative: bool = False):
        if not derivative:
            return function(n, z)
        lower = n * function(abs(n - 1), z)  # which is zero times order 1 at 0
        return (lower - (n + 1) * function(n + 1, z)) / (2 * n + 1)

    return spherical_yn


def home_of(function) -> str | None:
    """The module of SciPy, out of `MODULES`, where a function is public; its ufuncs do not say, and
    are special's.
    """
    module = getattr(function, "__module__", None)
    if module is None:
        if hasattr(function, "nin") and type(function).__module__ == "numpy":
            return "special"
        return None
    return module_within("scipy", module)


def module_within(root: str, path: str) -> str | None:
    """The one of `MODULES` in which a path lies, below a root: ``signal`` for
    ``scipy.signal._signaltools``.
    """
    return next((name for name in MODULES if f"{path}.".startswith(f"{root}.{name}.")), None)


def device_module(name: str) -> ModuleType:
    """``cupyx.scipy.<name>``."""
    return importlib.import_module(f"cupyx.scipy.{name}")


def pairs(name: str) -> dict[Any, Any]:
    """Each function of ``cupyx.scipy.<name>`` with SciPy's of the same name, but for those that
    ``cupy`` has, as NumPy has.
    """
    host, device = importlib.import_module(f"scipy.{name}"), device_module(name)
    found = {}
    for function in (n for n in dir(device) if not n.startswith("_")):
        primal, other = getattr(host, function, None), getattr(device, function)
        of_cupy = (getattr(module, function, None) for module in (cupy, cupy.fft))
        known = f"{name}.{function}" in NOT_SHARED or any(same is other for same in of_cupy)
        if is_function(primal) and is_function(other) and not known:
            found[other] = primal
    return found


def is_function(value) -> bool:
    """Tell whether a public name is a function: no class, no module."""
    return callable(value) and not isinstance(value, type | ModuleType)
