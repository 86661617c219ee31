"""What adapters of other engines are made of: our rules in their programs, and their functions in ours.

flat_calls           a call with its arrays laid flat, its value and both rules on lists of arrays
foreign_functions    a function that another engine differentiates, as a primitive with rules
compilers            what compilers of Python are told of engines
numpy_protocols      what NumPy's functions do with the arrays of a library that joined
reductions           NumPy's options of sums and their like, for a library that has fewer
"""

from chainrules_py.engines.flat_calls import FlatCall as FlatCall
from chainrules_py.engines.flat_calls import FlatValue as FlatValue
from chainrules_py.engines.foreign_functions import ForeignFunction as ForeignFunction
from chainrules_py.engines.foreign_functions import foreign_primitive as foreign_primitive
