"""Arrays of any library that follows the array API standard: rules run on them by the standard's
functions.

standard_array  `StandardArray`: such an array with NumPy's dtypes, operators and indices
elementwise     functions of entries, with NumPy's promotion
reductions      sums and their like, sorting, products, shapes, in `shapes` and `products`
entries         writing entries of arrays that are not written
namespace       all of them as `xp` by NumPy's names; what the standard lacks is refused by name
library         which classes join: `join(SomeArray)` for a library that is not known here
errors          the sentence for what the standard does not have
"""

from chainrules_array_api.errors import ArrayApiError as ArrayApiError
from chainrules_array_api.library import join as join
from chainrules_py.version import __version__ as __version__
