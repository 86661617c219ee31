# To type checkers and editors the names of NumPy are NumPy's own: each takes what it takes there, and
# traced values, which stand for arrays and numbers, besides.
from typing import Final

from numpy import *

from chainrules_tape.numpy.namespaces import interceptable as interceptable

MODULES: Final[frozenset[str]]
PUBLIC: Final[frozenset[str]]
