"""Short-time Fourier transforms and their inverse, by SciPy's own source; trends."""

from typing import Any

from scipy import signal

from chainrules_py.makers import linear_rule
from chainrules_py.makers.by_source import by_source
from chainrules_py.projection import Space
from chainrules_py.values.arrays import call

by_source(signal.stft, signal.istft, arguments=1)


@linear_rule(signal.detrend)
def detrend_adjoint(y_bar, data: Space, *, axis: int = -1, type: str = "linear", bp: Any = 0):
    """The projection onto signals without a trend, which is its own adjoint."""
    return call(signal.detrend, y_bar, axis=axis, type=type, bp=bp)
