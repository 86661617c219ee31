"""Rules of `scipy.integrate`: integrals of samples of a function."""

from chainrules_py.rulesets.scipy.integrate import sampled as sampled
from chainrules_py.rulesets.scipy.integrate import without_rules as without_rules
