"""`scipy.spatial` for code that is differentiated: SciPy's, with its modules `distance` and
`transform`.
"""

from scipy import spatial

from chainrules_tape.numpy.namespaces import stand_in

__getattr__, __dir__ = stand_in(spatial, globals(), modules=("distance", "transform"))
