"""Dask's arrays as a library that rules run on: a gradient is one more graph of tasks, and nothing
is computed to make it.

library     which classes join, and the functions that are Dask's own
namespace   `xp` of rules: Dask's functions by NumPy's names; a name that Dask lacks is refused, never computed in secret
functions   functions that rules need and Dask lacks, or has with fewer options: `shapes`, `products`, `ordering`
entries     writing entries of arrays that are not there yet
errors      the sentence for what cannot be had without computing
"""

from chainrules_py.engines import require_installed

require_installed("dask", "dask", f"import {__name__}", __name__, "'dask[array]'")

from chainrules_dask.errors import DaskError as DaskError
from chainrules_dask.library import dask_library as dask_library
from chainrules_py import __version__ as __version__
