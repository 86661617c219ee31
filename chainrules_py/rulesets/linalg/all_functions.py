"""All rules for numpy.linalg; importing this registers them."""

from chainrules_py.rulesets.linalg import adjugates as adjugates
from chainrules_py.rulesets.linalg import batching as batching
from chainrules_py.rulesets.linalg import cholesky as cholesky
from chainrules_py.rulesets.linalg import condition as condition
from chainrules_py.rulesets.linalg import determinants as determinants
from chainrules_py.rulesets.linalg import eigen_general as eigen_general
from chainrules_py.rulesets.linalg import eigen_hermitian as eigen_hermitian
from chainrules_py.rulesets.linalg import hermitian_functions as hermitian_functions
from chainrules_py.rulesets.linalg import inverses as inverses
from chainrules_py.rulesets.linalg import least_squares as least_squares
from chainrules_py.rulesets.linalg import non_differentiable as non_differentiable
from chainrules_py.rulesets.linalg import norms as norms
from chainrules_py.rulesets.linalg import products as products
from chainrules_py.rulesets.linalg import qr as qr
from chainrules_py.rulesets.linalg import solvers as solvers
from chainrules_py.rulesets.linalg import svd as svd
