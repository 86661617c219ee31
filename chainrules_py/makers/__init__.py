"""Makers: each makes both rules of a function, reverse and forward, from one declaration.

    the function                                     the maker, and what it is given
    is a program of functions that have rules        composed: that program, its body
    is one that SciPy has written in Python          by_source: its own code is the body
    is elementwise                                   scalar_rule: an expression for each partial
    is linear in an argument, or in several          linear_rule: its adjoints
    has a derivative that you can write beside       linearised_rule: a `LinearMap` for each
    its adjoint                                      argument
    is defined by an equation                        implicit_function
    has no derivative                                non_differentiable
    is your own, and engines are to see its calls    primitive, beside one of these

Anything else is written as a function for each mode, and registered with ``rrule.register`` and
``frule.register``.

All makers stand on `skeleton`, and `staging` says which form reverse rules have: read these two
first, then `linearised`, which is the shortest. Two makers write Python as text, with `writing`,
for each pattern of arguments: `scalar` in `scalar_reverse` and `scalar_forward`, and `multilinear`,
for several arguments, in `linear_reverse`. The head of each of these three shows what comes out.
"""

from typing import TYPE_CHECKING

from chainrules_py.makers.axes import axes_rule as axes_rule
from chainrules_py.makers.declarations import (
    non_differentiable as non_differentiable,
    primitive as primitive,
)
from chainrules_py.makers.linear import linear_rule as linear_rule
from chainrules_py.makers.scalar import scalar_rule as scalar_rule
from chainrules_py.values.late_names import by_first_use

if TYPE_CHECKING:
    from chainrules_py.makers.composition import composed as composed
    from chainrules_py.makers.implicit import implicit_function as implicit_function
    from chainrules_py.makers.linear_maps import Linearised as Linearised, LinearMap as LinearMap
    from chainrules_py.makers.linearised import linearised_rule as linearised_rule

# Rules of most functions are made by the others.
_LATE = {
    "composed": ".composition",
    "implicit_function": ".implicit",
    "Linearised": ".linear_maps",
    "LinearMap": ".linear_maps",
    "linearised_rule": ".linearised",
}
__getattr__, __dir__ = by_first_use(__name__, _LATE)
