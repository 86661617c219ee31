"""All rules for scipy.signal; importing this registers them."""

from chainrules_py.rulesets.scipy.signal import batching as batching
from chainrules_py.rulesets.scipy.signal import choosing as choosing
from chainrules_py.rulesets.scipy.signal import convolutions as convolutions
from chainrules_py.rulesets.scipy.signal import non_differentiable as non_differentiable
from chainrules_py.rulesets.scipy.signal import polynomials as polynomials
from chainrules_py.rulesets.scipy.signal import rates as rates
from chainrules_py.rulesets.scipy.signal import recursive_filters as recursive_filters
from chainrules_py.rulesets.scipy.signal import resampling as resampling
from chainrules_py.rulesets.scipy.signal import short_time as short_time
from chainrules_py.rulesets.scipy.signal import smoothing as smoothing
from chainrules_py.rulesets.scipy.signal import spectra as spectra
from chainrules_py.rulesets.scipy.signal import waveforms as waveforms
from chainrules_py.rulesets.scipy.signal import without_rules as without_rules
