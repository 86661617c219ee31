"""All rules for scipy.interpolate; importing this registers them."""

from chainrules_py.rulesets.scipy.interpolate import b_splines as b_splines
from chainrules_py.rulesets.scipy.interpolate import batching as batching
from chainrules_py.rulesets.scipy.interpolate import tridiagonal as tridiagonal
from chainrules_py.rulesets.scipy.interpolate import without_rules as without_rules
