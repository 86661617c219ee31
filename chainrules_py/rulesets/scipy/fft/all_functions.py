"""All rules for scipy.fft; importing this registers them."""

from chainrules_py.rulesets.scipy.fft import batching as batching
from chainrules_py.rulesets.scipy.fft import fourier as fourier
from chainrules_py.rulesets.scipy.fft import hankel as hankel
from chainrules_py.rulesets.scipy.fft import non_differentiable as non_differentiable
from chainrules_py.rulesets.scipy.fft import trigonometric as trigonometric
from chainrules_py.rulesets.scipy.fft import without_rules as without_rules
