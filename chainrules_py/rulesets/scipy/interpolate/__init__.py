"""Rules for `scipy.interpolate`, whose interpolants are objects.

What they compute, in functions of knots, values and points.

`cubic` and `grids` are written in operations that have rules, `b_splines` and `tridiagonal` have
rules of their own. The classes that traced programs make stand in
``chainrules_tape.scipy.interpolate``.
"""

from chainrules_py.rulesets.scipy.interpolate import b_splines as b_splines
from chainrules_py.rulesets.scipy.interpolate import tridiagonal as tridiagonal
from chainrules_py.rulesets.scipy.interpolate import without_rules as without_rules
