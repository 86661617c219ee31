"""Names of modules that are dealt with in ways of their own."""

from chainrules_tape.refusals.code_owners import ENGINE

OF_NUMPY = "numpy.polynomial"  # the one part of NumPy that is seen through
OWN = ("chainrules_py", *ENGINE)
