"""The rules for NumPy's main namespace; importing this registers them all."""

from chainrules_py.rulesets import elementwise as elementwise
from chainrules_py.rulesets import indexing as indexing
from chainrules_py.rulesets import non_differentiable as non_differentiable
from chainrules_py.rulesets import products as products
from chainrules_py.rulesets import reductions as reductions
from chainrules_py.rulesets import shaping as shaping
