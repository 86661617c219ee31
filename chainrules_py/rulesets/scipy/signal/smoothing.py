"""The weights of Savitzky's and Golay's filter, proportional to delta**-deriv.

`delta` is the distance of the samples, `deriv` the order of the derivative that the filter takes.
"""

from typing import Any

from scipy import signal

from chainrules_py import composed
from chainrules_py.rulesets.scipy.linalg.calling import require_finite
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.values.arrays import Array, Scalar


@with_options(signal.savgol_coeffs, "pos use", composed)
def savgol_coeffs(
    window_length: int, polyorder: int, deriv: int, delta: Array | Scalar, *, options: Options, xp
) -> Any:
    """The coefficients for a distance of 1, divided by a power of the distance."""
    distance: Any = delta
    scale = (1.0 * distance) ** -deriv
    require_finite(scale, xp=xp)
    return xp.asarray(signal.savgol_coeffs(window_length, polyorder, deriv, **options)) * scale
