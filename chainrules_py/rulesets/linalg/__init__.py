"""The rules for numpy.linalg; importing this registers them all.

Every formula is batched over leading axes and written for complex matrices in the real inner
product Re tr(A^H B), of which the real case is a part. Where eigenvectors, singular vectors or
orthogonal factors are not unique, the rules differentiate one choice of them;
`docs/design/linalg.md` says which, and what happens at repeated eigenvalues and at singular
matrices.
"""

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
from chainrules_py.rulesets.linalg.adjugates import adjugate as adjugate
from chainrules_py.rulesets.linalg.hermitian_functions import (
    hermitian_function as hermitian_function,
)
