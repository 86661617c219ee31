"""Projection: bringing a cotangent back to the tangent space of its primal.

project_to     ProjectTo: which projector, by class
projector      what every projector does with zeros and thunks
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
from chainrules_py.projection.projector import Projector as Projector
