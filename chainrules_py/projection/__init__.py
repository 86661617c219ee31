"""The tangent space of a value, without the value: cotangents are brought back to it, and seeds are
admitted to it.

project_to     ProjectTo(x): the `Space` of a value, its kind found by class
space          Space: what all kinds do with zeros, thunks and seeds
admission      which natural tangents a rule may see
dense          arrays; `fit` for the makers
scalars        Python's and NumPy's numbers
containers     tuples, dicts, dataclasses, objects
structured     symmetric, triangular, ... by name
sparse         scipy.sparse, loaded when the first sparse value arrives
broadcasting   the sum over added axes, which ProjectTo never does
"""

from chainrules_py.projection.broadcasting import unbroadcast as unbroadcast
from chainrules_py.projection.dense import fit as fit
from chainrules_py.projection.project_to import ProjectTo as ProjectTo
from chainrules_py.projection.space import Space as Space
