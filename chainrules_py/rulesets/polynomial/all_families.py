"""All rules for `numpy.polynomial`; importing this registers them.

The main namespace of NumPy has polynomials, too (`polynomials`, `polynomial_fit`): programs that do
not use `numpy.polynomial` do not load these.
"""

from chainrules_py.rulesets.polynomial import arithmetic as arithmetic
from chainrules_py.rulesets.polynomial import batching as batching
from chainrules_py.rulesets.polynomial import calculus as calculus
from chainrules_py.rulesets.polynomial import factors as factors
from chainrules_py.rulesets.polynomial import fits as fits
from chainrules_py.rulesets.polynomial import matrices as matrices
from chainrules_py.rulesets.polynomial import roots as roots
from chainrules_py.rulesets.polynomial import values as values
from chainrules_py.rulesets.polynomial import weights as weights
