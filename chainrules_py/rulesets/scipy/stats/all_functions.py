"""All rules for scipy.stats; importing this registers them."""

from chainrules_py.rulesets.scipy.stats import batching as batching
from chainrules_py.rulesets.scipy.stats import bessel as bessel
from chainrules_py.rulesets.scipy.stats import bounded as bounded
from chainrules_py.rulesets.scipy.stats import counts as counts
from chainrules_py.rulesets.scipy.stats import methods as methods
from chainrules_py.rulesets.scipy.stats import multivariate as multivariate
from chainrules_py.rulesets.scipy.stats import on_the_line as on_the_line
from chainrules_py.rulesets.scipy.stats import positive as positive
from chainrules_py.rulesets.scipy.stats import statistics as statistics
