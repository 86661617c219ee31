"""Choosing among arrays entry by entry: steps of `where`."""

from typing import Any

import numpy as np

from chainrules_py import composed
from chainrules_py.makers.lists import ArrayLike, array_of_list, arrays_in, placing
from chainrules_py.rulesets.entries.indexing import as_index, within
from chainrules_py.rulesets.formulas.known_values import any_at_hand, is_of_host
from chainrules_py.values.arrays import common_namespace
from chainrules_py.values.structure import is_container


def arrays_and_namespace(*sequences: Any) -> tuple[Any, ...]:
    """Sequences of arrays and numbers, with arrays for the lists among these; and their namespace."""
    xp = common_namespace(arrays_in(sequences))
    beside = placing(sequences, xp)
    made = [
        [array_of_list(x, beside) if is_container(x) else x for x in sequence]
        for sequence in sequences
    ]
    return (*made, xp)


@composed(np.choose)
def choose(a: ArrayLike, choices: object, *, mode: str = "raise"):
    """Entry k of `a` says which of the choices counts there; nan does where there is no such choice,
    and that cannot be asked.
    """
    arrays, xp = arrays_and_namespace(choices)
    last = len(arrays) - 1
    chosen = within(as_index(a), last + 1, mode)
    outside = (chosen < 0) | (chosen > last)
    if mode == "raise" and any_at_hand(outside):
        raise ValueError("invalid entry in choice array")
    y = arrays[last]
    for k in range(max(last, 1)):
        y = xp.where(chosen == k, arrays[k], y)
    if mode == "raise" and not is_of_host(outside) and y.dtype.kind in "fc":
        y = xp.where(outside, xp.nan, y)
    return xp.asarray(y, order="C")


@composed(np.select)
def select(condlist: object, choicelist: object, default: ArrayLike = 0):
    """Each choice counts where its condition is the first that holds, the default where none does."""
    conditions, choices, (y,), xp = arrays_and_namespace(condlist, choicelist, [default])
    given = [getattr(condition, "dtype", type(condition)) for condition in conditions]
    # those that are not NumPy's are left to their library
    dtypes = [np.dtype(x if isinstance(x, np.dtype | type) else bool) for x in given]
    if not dtypes or {*dtypes} - {np.dtype(bool)}:
        of_these: list[Any] = [np.zeros(1, dtype) for dtype in dtypes]
        np.select(of_these, [0.0] * len(choices))  # for its error
    dtype = np.result_type(*(getattr(x, "dtype", x) for x in (*choices, y)))
    for condition, choice in reversed(list(zip(conditions, choices, strict=True))):
        y = xp.where(condition, choice, y)
    # where all of the last choices are numbers, these alone made an array in double precision
    return xp.asarray(y, dtype=dtype, order="C")
