"""``ufunc.accumulate``: y[k] = f(y[k-1], x[k]) along an axis, with y[0] = x[0].

Its derivative is the linear recurrence y_dot[k] = carried[k] y_dot[k-1] + own[k] x_dot[k], whose
two factors are the partials of the ufunc. For a running extreme they are shares instead: the
extreme is the mean of the entries so far that are equal to it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py import Array, LinearMap, default_rules, linearised_rule
from chainrules_py.rulesets.formulas.rows import map_along_axis, rows_along
from chainrules_py.rulesets.reductions.cumulative import linear_recurrence, recurrence_map
from chainrules_py.rulesets.reductions.reductions import in_working_dtype

Factors = tuple[Any, Any]


def partials_of(ufunc: np.ufunc) -> Callable[[Any, Any, Any], Factors]:
    """The two factors of the recurrence, from the partials of the ufunc.

    As y[0] = x[0], they begin with 0 and 1.
    """

    def factors(rows, y, xp) -> Factors:
        first = xp.ones_like(y[..., :1])
        carried, own = default_rules.derivatives_given_output(
            y[..., 1:], ufunc, y[..., :-1], rows[..., 1:]
        )
        carried, own = (xp.broadcast_to(partial, y[..., 1:].shape) for partial in (carried, own))
        return xp.concatenate([0 * first, carried], axis=-1), xp.concatenate([first, own], axis=-1)

    return factors


def shares_of_extreme(rows, y, xp) -> Factors:
    """The two factors of a running extreme, in which the entries equal to it share equally.

    How many there are so far, `count`, obeys a recurrence itself.
    """
    first = xp.ones_like(y[..., :1], dtype=bool)
    lasting = xp.concatenate([~first, y[..., 1:] == y[..., :-1]], axis=-1)
    own, lasting = (xp.where(mask, 1.0, 0.0) for mask in (rows == y, lasting))
    count = xp.maximum(linear_recurrence(lasting, own, xp), 1)
    return lasting * (count - own) / count, own / count


FACTORS: dict[np.ufunc, Callable[[Any, Any, Any], Factors]] = {
    **dict.fromkeys((np.maximum, np.minimum, np.fmax, np.fmin), shares_of_extreme),
    **{
        ufunc: partials_of(ufunc)
        for ufunc in (np.subtract, np.divide, np.logaddexp, np.logaddexp2, np.hypot)
    },
}


def accumulate_rule(ufunc: np.ufunc, factors: Callable[[Any, Any, Any], Factors]) -> None:
    """Register the rules of one ufunc's `accumulate`."""

    @linearised_rule(ufunc.accumulate)
    def accumulate_linearised(
        array: Array, *, axis: int = 0, dtype: Any = None, out, xp
    ) -> LinearMap:
        rows, y = (rows_along(values, axis, xp) for values in (in_working_dtype(array, dtype), out))
        linear = recurrence_map(*factors(rows, y, xp), xp)
        return map_along_axis(axis, array.shape, linear, xp)


for _ufunc, _factors in FACTORS.items():
    accumulate_rule(_ufunc, _factors)
