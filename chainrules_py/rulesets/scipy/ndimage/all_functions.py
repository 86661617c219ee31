"""All rules for scipy.ndimage; importing this registers them."""

from chainrules_py.rulesets.scipy.ndimage import batching as batching
from chainrules_py.rulesets.scipy.ndimage import filters as filters
from chainrules_py.rulesets.scipy.ndimage import fourier as fourier
from chainrules_py.rulesets.scipy.ndimage import interpolation as interpolation
from chainrules_py.rulesets.scipy.ndimage import non_differentiable as non_differentiable
from chainrules_py.rulesets.scipy.ndimage import ranks as ranks
from chainrules_py.rulesets.scipy.ndimage import regions as regions
from chainrules_py.rulesets.scipy.ndimage import without_rules as without_rules
