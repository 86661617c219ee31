"""Functions of entries that are no ufuncs, and choices among arrays, of many examples at once."""

from typing import Any

import numpy as np

from chainrules_py import Array, axes_rule, batched
from chainrules_py.batching.along_axes import from_the_end
from chainrules_py.batching.indices import positions_in_lanes
from chainrules_py.batching.lanes import Lanes, flat_lanes, has_known_numbers
from chainrules_py.batching.parts import in_one
from chainrules_py.batching.words import in_a_loop
from chainrules_py.ignoring import _copied, _ignored
from chainrules_py.rulesets.formulas.without_cancellation import one_minus_square, over
from chainrules_py.rulesets.ufuncs.sinc_and_i0 import bessel_over_power
from chainrules_py.rulesets.ufuncs.ufunc_accumulate import FACTORS
from chainrules_py.rulesets.ufuncs.ufunc_reductions import WEIGHTS

axes_rule(
    *(np.angle, np.real, np.imag, np.nan_to_num, np.round, np.iscomplex, np.isreal),
    *(np.isneginf, np.isposinf),
    kind="elementwise",
    arguments=1,
)
axes_rule(one_minus_square, kind="elementwise")
axes_rule(over, bessel_over_power, kind="elementwise", arguments=2)
axes_rule(np.where, kind="elementwise", arguments=3)
axes_rule(_ignored, _copied, kind="elementwise", arguments=1)
axes_rule(np.isclose, kind="elementwise", arguments=2)
axes_rule(np.diag_indices_from, np.tril_indices_from, np.triu_indices_from, kind="fact")
axes_rule(np.unravel_index, kind="elementwise", arguments=1)


@batched.register(np.where)
def where_positions_batched(lanes: Lanes, condition: object):
    """Positions are as many as values say, and have to be as many in all lanes."""
    return positions_of(np.where, lanes, condition)


@batched.register(np.nonzero)
def nonzero_batched(lanes: Lanes, a: object):
    """Positions along each axis, as many in all lanes."""
    return positions_of(np.nonzero, lanes, a)


@batched.register(np.flatnonzero)
def flatnonzero_batched(lanes: Lanes, a: object):
    """Positions in the flat array, as many in all lanes."""
    own: Any = in_one(lanes[0], a)
    return positions_of(np.nonzero, (True,), flat_lanes(own))[0]


def positions_of(primal, lanes: Lanes, condition) -> Any:
    """Where entries are not zero, or the loop over lanes whose values are not at hand."""
    mask = in_one(lanes[0], condition) != 0
    if mask.ndim < 2 or not has_known_numbers(mask):
        return in_a_loop(primal, lanes)(condition)
    return positions_in_lanes(mask)


# --- Methods of ufuncs ---


for _ufunc in WEIGHTS.keys() - {np.maximum, np.minimum}:  # which are numpy.max and numpy.min
    axes_rule(_ufunc.reduce, kind="reduces", default=0, beside=("where",))
for _ufunc in FACTORS:
    axes_rule(_ufunc.accumulate, kind="mixes", default=0)


def reduceat_in_lanes(ufunc: np.ufunc) -> None:
    """Register the rule of a ufunc's `reduceat`."""

    @batched.register(ufunc.reduceat)
    def reduceat_batched(
        lanes: Lanes, array: Array, indices: object, *, axis: int = 0, xp, **options
    ):
        run = getattr(xp, ufunc.__name__).reduceat
        if lanes[1]:
            return in_a_loop(run, lanes)(array, indices, axis=axis, **options)
        return run(array, indices, axis=from_the_end(axis, array.ndim - 1), **options)


for _ufunc in (*WEIGHTS, np.add, np.multiply):
    reduceat_in_lanes(_ufunc)
