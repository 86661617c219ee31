"""Functions of `scipy.linalg` on traced values."""

import numpy as np

from chainrules_tape import jacobian
from chainrules_tape.scipy import linalg

B = np.array([1.0, -2.0])


def test_matrices_are_made_of_traced_entries():
    made = jacobian(lambda x: linalg.block_diag(linalg.toeplitz(x), x))(B)
    assert made.shape == (3, 4, 2)
    assert made[..., 0].tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]
