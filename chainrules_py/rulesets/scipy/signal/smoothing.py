"""The weights of Savitzky's and Golay's filter, by the distance of the samples: of the derivative
`deriv`, a power of it.
"""

import inspect
from typing import Any

from scipy import signal

from chainrules_py.makers import LinearMap, linearised_rule, primitive
from chainrules_py.table.registry import default_rules
from chainrules_py.values.arrays import Array, Scalar


@primitive
def savgol_weights(
    delta: Any,
    window_length: int,
    polyorder: int,
    deriv: int = 0,
    pos: Any = None,
    use: str = "conv",
) -> Any:
    """What `scipy.signal.savgol_coeffs` returns for samples at this distance."""
    return signal.savgol_coeffs(window_length, polyorder, deriv, delta, pos, use)


@linearised_rule(savgol_weights)
def savgol_weights_linearised(
    delta: Array | Scalar,
    *,
    window_length: int,
    polyorder: int,
    deriv: int = 0,
    pos: Any = None,
    use: str = "conv",
    out: Any,
    xp: Any,
) -> LinearMap:
    """Weights times delta**-deriv."""

    given: Any = delta

    def slope() -> Any:
        return out * (-deriv / given)

    return LinearMap(lambda dot: slope() * dot, lambda y_bar: xp.sum(slope() * y_bar))


def as_weights(*args: Any, **options: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """A call of `savgol_coeffs` as one of ours."""
    given = inspect.signature(signal.savgol_coeffs).bind(*args, **options).arguments
    return (given.pop("delta", 1.0),), given


default_rules.alias(signal.savgol_coeffs, savgol_weights, as_weights)
