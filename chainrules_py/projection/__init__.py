"""The tangent space of a value, without the value: it takes cotangents back, and admits seeds.

    project_to        `ProjectTo`, which makes the `Space` of a value, its kind found by class
    space             what all kinds do with zeros, thunks and seeds
    admission         which natural tangents a rule may see
    dense             arrays; `fit` for the makers
    scalars           Python's and NumPy's numbers
    containers        tuples, dicts, dataclasses, objects
    structured        symmetric, triangular, ... by name
    sparse            scipy.sparse, loaded when the first sparse value arrives
    broadcasting      the sum over added axes, which `ProjectTo` never does

Worked examples: ``ProjectTo(np.ones(2, np.float32))(np.array([1 + 2j, 3]))`` is real and float32,
and ``ProjectTo(np.ones(2))(np.ones((3, 2)))`` raises, since it never sums.

Read `space` first, then `dense`. A kind of value that has a tangent space of its own is put here.
"""

from chainrules_py.projection.broadcasting import unbroadcast as unbroadcast
from chainrules_py.projection.dense import fit as fit
from chainrules_py.projection.project_to import ProjectTo as ProjectTo
from chainrules_py.projection.space import Space as Space
