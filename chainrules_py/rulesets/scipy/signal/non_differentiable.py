"""Functions of `scipy.signal` that have no derivative: positions, counts, sequences of bits."""

from scipy import signal

from chainrules_py.errors import NotDifferentiableError
from chainrules_py.makers import non_differentiable
from chainrules_py.values.identity import existing

PEAKS = ("argrelextrema", "argrelmax", "argrelmin", "find_peaks", "find_peaks_cwt")
COUNTS = (
    "choose_conv_method",
    "correlation_lags",
    "check_COLA",
    "check_NOLA",
    "max_len_seq",
    "unit_impulse",
)
NAMES = (*PEAKS, *COUNTS)


def refuse_heights(y) -> None:
    """Raise if peaks come with heights or widths, which depend on the samples."""
    _, properties = y
    moving = sorted(name for name, value in properties.items() if value.dtype.kind == "f")
    if moving:
        instead = (
            "compute them of x[peaks], or call find_peaks of chainrules_tape.scipy.signal, which"
            " does; of stop_gradient(x), if constants are meant"
        )
        raise NotDifferentiableError(
            "scipy.signal.find_peaks",
            f"options that ask for {', '.join(moving)}, which move with the samples",
            instead,
            primal=signal.find_peaks,
            argument=0,
        )


non_differentiable(*existing(signal, *(name for name in NAMES if name != "find_peaks")))
non_differentiable(signal.find_peaks, refuse=refuse_heights)
