"""The rules for `numpy.polynomial`; importing this registers them all.

Its six modules have the same functions, for series in six families of polynomials. A family is its
recurrence, and each rule is written once, for a family that it is given. Everything that a rule
makes of the recurrence is linear in the coefficients: the polynomials at the points, the series of
a derivative or an integral, a product, a conversion.
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
