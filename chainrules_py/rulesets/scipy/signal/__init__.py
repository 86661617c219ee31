"""Rules of `scipy.signal`: convolutions, filters with memory, spectra, signals at other rates."""

from chainrules_py.rulesets.scipy.signal import convolutions as convolutions
from chainrules_py.rulesets.scipy.signal import recursive_filters as recursive_filters
from chainrules_py.rulesets.scipy.signal import resampling as resampling
from chainrules_py.rulesets.scipy.signal import spectra as spectra
from chainrules_py.rulesets.scipy.signal import without_rules as without_rules
