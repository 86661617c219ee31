"""All rules for scipy.linalg; importing this registers them."""

from chainrules_py.rulesets.scipy.linalg import banded_systems as banded_systems
from chainrules_py.rulesets.scipy.linalg import basic as basic
from chainrules_py.rulesets.scipy.linalg import batching as batching
from chainrules_py.rulesets.scipy.linalg import decompositions as decompositions
from chainrules_py.rulesets.scipy.linalg import eigen as eigen
from chainrules_py.rulesets.scipy.linalg import eigen_of_pairs as eigen_of_pairs
from chainrules_py.rulesets.scipy.linalg import factors as factors
from chainrules_py.rulesets.scipy.linalg import linear_systems as linear_systems
from chainrules_py.rulesets.scipy.linalg import matrix_equations as matrix_equations
from chainrules_py.rulesets.scipy.linalg import matrix_functions as matrix_functions
from chainrules_py.rulesets.scipy.linalg import schur as schur
from chainrules_py.rulesets.scipy.linalg import schur_factors as schur_factors
from chainrules_py.rulesets.scipy.linalg import special_matrices as special_matrices
from chainrules_py.rulesets.scipy.linalg import toeplitz_systems as toeplitz_systems
from chainrules_py.rulesets.scipy.linalg import without_rules as without_rules
