"""Short forms that make both rules of a primal at once."""

from chainrules_py.makers.declarations import ignore_derivatives as ignore_derivatives
from chainrules_py.makers.declarations import non_differentiable as non_differentiable
from chainrules_py.makers.declarations import opt_out as opt_out
from chainrules_py.makers.declarations import primitive as primitive
from chainrules_py.makers.derivative import derivative_rule as derivative_rule
from chainrules_py.makers.joint import entrywise_linear_rule as entrywise_linear_rule
from chainrules_py.makers.joint import jointly_linear_rule as jointly_linear_rule
from chainrules_py.makers.linear import linear_rule as linear_rule
from chainrules_py.makers.linear import multilinear_rule as multilinear_rule
from chainrules_py.makers.linear_maps import LinearMap as LinearMap
from chainrules_py.makers.linearised import linearised_rule as linearised_rule
from chainrules_py.makers.scalar import scalar_rule as scalar_rule
