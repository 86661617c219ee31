"""NumPy as an array library: its types, its namespace, and the other names of its functions."""

from chainrules_numpy.library import numpy_library as numpy_library
from chainrules_py.version import __version__ as __version__
