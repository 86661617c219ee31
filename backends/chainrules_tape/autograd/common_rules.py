"""Rules that most programs need, imported with `chainrules_tape.autograd`.

autograd has made its rules when it is imported. Ours are imported by the first call of a function
that needs them, module by module: 5 ms in the first gradients of most programs. So that those take
no longer than on autograd, the modules that have the rules of these functions come first.
"""

import operator

import numpy as np

from chainrules_py.values.discovery import load_other_names, load_rules_of

MOSTLY_USED = (
    *(operator.getitem, operator.setitem, np.add, np.sum, np.matmul, np.dot, np.shape),
    *(np.reshape, np.concatenate, np.array, np.where),
)
load_other_names("numpy")
for _function in MOSTLY_USED:
    load_rules_of(_function)
