"""Functions of matrices that are constant wherever they are continuous."""

import numpy as np

from chainrules_py.makers import non_differentiable

non_differentiable(np.linalg.matrix_rank)
