"""Sparse Jacobians and Hessians, and products with matrices of derivatives that are not made.

Put here what finds the pattern of a derivative, and what evaluates the entries that it has; nothing
else in the engine knows of either. What users call has its name in `chainrules_tape`, which imports
it from here by its first use, as `jacobian` and `hessian` do where they are given `sparse=`. Read in
this order:

    matrices     `sparsity`, `jacobian_operator`, sparse Jacobians and Hessians
    patterns/    forward mode with patterns for tangents: which entries may be other than zero
    sparsity     a pattern, and the directions that tell its entries apart
    colouring    which columns or rows share a direction

`docs/design/batching.md` says why.
"""

from chainrules_py.version import __version__ as __version__
