"""Rules of `scipy.signal`."""

from chainrules_py.rulesets.scipy.signal import convolutions as convolutions
from chainrules_py.rulesets.scipy.signal import without_rules as without_rules
