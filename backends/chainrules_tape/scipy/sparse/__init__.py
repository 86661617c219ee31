"""`scipy.sparse` for code that is differentiated: SciPy's with plain entries, with its module
`linalg`.

>>> import numpy as np
>>> from chainrules_tape import grad
>>> from chainrules_tape.scipy.sparse import csc_array
>>> places = np.array([0, 1]), np.array([1, 0])
>>> grad(lambda v: np.sum(csc_array((v, places), shape=(2, 2)) @ np.array([5.0, 7.0])))(np.ones(2))
array([7., 5.])

Of traced entries the constructors make a `TracedSparse` (`matrices`, `making`).
"""

from scipy import sparse

from chainrules_tape.numpy.namespaces import stand_in
from chainrules_tape.scipy.sparse.making import (
    block_array as block_array,
    block_diag as block_diag,
    bmat as bmat,
    class_in_place_of,
    diags as diags,
    diags_array as diags_array,
    hstack as hstack,
    issparse as issparse,
    kron as kron,
    tril as tril,
    triu as triu,
    vstack as vstack,
)

csr_array, csr_matrix = map(class_in_place_of, (sparse.csr_array, sparse.csr_matrix))
csc_array, csc_matrix = map(class_in_place_of, (sparse.csc_array, sparse.csc_matrix))
coo_array, coo_matrix = map(class_in_place_of, (sparse.coo_array, sparse.coo_matrix))
bsr_array, bsr_matrix = map(class_in_place_of, (sparse.bsr_array, sparse.bsr_matrix))
dia_array, dia_matrix = map(class_in_place_of, (sparse.dia_array, sparse.dia_matrix))
__getattr__, __dir__ = stand_in(sparse, globals(), modules=("linalg",))
