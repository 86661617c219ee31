"""Makers: each makes both rules of a function, reverse and forward, from what is said once.

    the function                                                      the maker
    is elementwise                                                    scalar_rule: an expression for each partial
    is linear: in an argument, in each of several, in a sequence      linear_rule: its adjoints
    has a derivative that you can write next to its adjoint           linearised_rule: a `LinearMap` for each argument
    is defined by an equation, which an iteration solves              implicit_function
    has no derivative                                                 non_differentiable
    is your own, and engines are to see its calls                     primitive, beside one of these

Anything else is written as a function for each mode, and registered with ``rrule.register`` and
``frule.register``.

All makers stand on `skeleton`; `staging` says what form the reverse rules have. `scalar` and
`multilinear` write Python for each pattern of classes (`source`, `reverse_lines`, `forward_lines`,
`linear_lines`); `map_errors` explains maps that fail.
"""

from chainrules_py.makers.declarations import non_differentiable as non_differentiable
from chainrules_py.makers.declarations import primitive as primitive
from chainrules_py.makers.implicit import implicit_function as implicit_function
from chainrules_py.makers.linear import linear_rule as linear_rule
from chainrules_py.makers.linear_maps import Linearised as Linearised
from chainrules_py.makers.linear_maps import LinearMap as LinearMap
from chainrules_py.makers.linearised import linearised_rule as linearised_rule
from chainrules_py.makers.scalar import scalar_rule as scalar_rule
