"""`scipy.cluster` for code that is differentiated: SciPy's, with its module `vq`."""

from scipy import cluster

from chainrules_tape.numpy.namespaces import stand_in

__getattr__, __dir__ = stand_in(cluster, globals(), modules=("vq",))
