"""Rules of `scipy.sparse.linalg`: direct solvers, iterative ones, exponentials."""
