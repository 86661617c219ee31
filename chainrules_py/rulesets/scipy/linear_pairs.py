"""Linear functions of SciPy next to algorithms for their adjoints.

Each is the adjoint of the other, to any order.

An adjoint here is a function of plain arrays, ``adjoint(y_bar, shape, **options)``, for an argument
of that shape. Those that call NumPy's functions, SciPy's by `call`, and make constants by `array_like`
run on arrays of devices, too.
"""

from collections.abc import Collection
from inspect import Parameter, signature
from typing import Any

import numpy as np

from chainrules_py.annotations import Function, Options
from chainrules_py.makers import linear_rule, primitive
from chainrules_py.projection import Space
from chainrules_py.rulesets.scipy.options import keywords_of, state_signature
from chainrules_py.values.arrays import call

ADJOINTS: dict[Any, Function] = {}


def array_like(constant, x) -> Any:
    """Copy an array of the host to the device of `x`, if it is on one."""
    return np.asarray(constant, like=x)


@primitive
def transposed(y_bar, of, shape: tuple[int, ...], dtype, options: Options) -> Any:
    """The adjoint of the linear function `of` with these options, for an argument of this shape and
    dtype.
    """
    x_bar = ADJOINTS[of](y_bar, shape, **options)
    return (x_bar if np.dtype(dtype).kind == "c" else np.real(x_bar)).astype(dtype, copy=False)


@linear_rule(transposed)
def transposed_adjoint(x_bar, y_bar: Space, *, of, shape, dtype, options: Options):
    """The adjoint of an adjoint, which is the function itself."""
    return call(of, x_bar, **options)


def linear_pair(
    function,
    adjoint: Function,
    options: str = "",
    value_only: Collection[str] = (),
) -> None:
    """Declare that the function is linear in its first argument, with this adjoint.

    The rule's options are those of the adjoint, or those named in `options`, and `value_only`.
    """
    ADJOINTS[function] = adjoint
    names = options.split() or list(signature(adjoint).parameters)[2:]

    def pair_adjoint(y_bar, argument: Space, /, **given):
        linear = {name: value for name, value in given.items() if name not in value_only}
        return transposed(y_bar, function, argument.shape, argument.dtype, linear)

    arguments = [Parameter(name, Parameter.POSITIONAL_ONLY) for name in ("y_bar", "argument")]
    keywords = keywords_of(function, list(dict.fromkeys((*names, *value_only))))
    state_signature(pair_adjoint, [*arguments, *keywords])
    linear_rule(function, pair_adjoint, value_only=value_only)
