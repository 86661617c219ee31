"""The rules for NumPy's main namespace; importing this registers them all."""

from chainrules_py.rulesets import elementwise as elementwise
from chainrules_py.rulesets import indexing as indexing
from chainrules_py.rulesets import non_differentiable as non_differentiable
from chainrules_py.rulesets import products as products
from chainrules_py.rulesets import reductions as reductions
from chainrules_py.rulesets import shaping as shaping
from chainrules_py.rulesets import diagonals as diagonals
from chainrules_py.rulesets import inserting as inserting
from chainrules_py.rulesets import joining as joining
from chainrules_py.rulesets import rearranging as rearranging
from chainrules_py.rulesets import splitting as splitting
from chainrules_py.rulesets import choosing as choosing
from chainrules_py.rulesets import contractions as contractions
from chainrules_py.rulesets import einsum as einsum
from chainrules_py.rulesets import higher_order as higher_order
from chainrules_py.rulesets import padding as padding
from chainrules_py.rulesets import replacing as replacing
from chainrules_py.rulesets import set_operations as set_operations
