"""Changes of the sampling rate, transforms along chirps, splines: adjoints as cheap as the functions."""

from typing import Any

import numpy as np
from scipy import signal

from chainrules_py.makers.by_source import by_source
from chainrules_py.rulesets.scipy.linear_pairs import linear_pair

# --- Polyphase filters ---

by_source(signal.resample_poly, arguments=1)
by_source(signal.decimate, signal.czt, signal.zoom_fft)

# --- Splines ---


def spline_adjoint(function, pole: float, gain: float) -> Any:
    """The adjoint of a filter that runs forwards from a sum over all entries, and backwards."""

    def adjoint(y_bar, shape, lamb: float = 0.0):
        if len(shape) != 1:
            raise ValueError(f"got a signal with {len(shape)} axes; pass one with one axis")
        if lamb or shape[0] < 2:
            # a product with the answer to each unit vector
            places = np.arange(shape[0])
            answers = [function((places == k) * 1.0, lamb) for k in places]
            return np.stack([np.vdot(answer, y_bar) for answer in answers])
        a = np.array([1.0, -pole])
        filtered: Any = signal.lfilter([gain], a, y_bar)
        back = -pole * filtered
        back[-1] /= 1 - pole
        found = signal.lfilter([1.0], a, back[::-1])[::-1]
        return found + pole ** np.arange(1, shape[0] + 1) * found[0]

    return adjoint


linear_pair(signal.cspline1d, spline_adjoint(signal.cspline1d, 3**0.5 - 2, 6.0), "lamb")
linear_pair(signal.qspline1d, spline_adjoint(signal.qspline1d, 8**0.5 - 3, 8.0), "lamb")
