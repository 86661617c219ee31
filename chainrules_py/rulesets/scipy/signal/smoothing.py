"""The weights of Savitzky's and Golay's filter, proportional to delta**-deriv.

`delta` is the distance of the samples, `deriv` the order of the derivative that the filter takes.
"""

import inspect
from typing import Any

from scipy import signal

from chainrules_py import composed
from chainrules_py.makers import primitive
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.table.registry import default_rules
from chainrules_py.values.arrays import Array, Scalar


@primitive
def savgol_weights(delta, **options):
    """The result of `scipy.signal.savgol_coeffs` for samples at this distance."""
    return signal.savgol_coeffs(delta=delta, **options)


@composed(savgol_weights)
@with_options(signal.savgol_coeffs, "window_length polyorder deriv pos use")
def savgol_weights_body(delta: Array | Scalar, *, options: Options, xp) -> Any:
    """Those for a distance of 1, divided by powers of the distance."""
    distance: Any = delta
    return xp.asarray(signal.savgol_coeffs(**options)) * (1.0 * distance) ** -options.deriv


def as_weights(*args, **options) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments and options of `savgol_weights` for a call of `savgol_coeffs`."""
    given = inspect.signature(signal.savgol_coeffs).bind(*args, **options).arguments
    return (given.pop("delta", 1.0),), given


default_rules.alias(signal.savgol_coeffs, savgol_weights, as_weights)
