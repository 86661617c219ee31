"""One call for all engines: the same derivatives of a NumPy program from any engine.

derivatives   `derivatives(f, engine)`: gradients, Jacobians, Hessians and products with them
directions    derivatives of a program of one vector along directions, and all of them
layouts       arguments and results as vectors, and back
backends      the engines that are known, and how a program enters and leaves them
comparing     `compare(f, x)`: which engines agree, and what each costs
"""

from chainrules_engines.backends import (
    Backend as Backend,
    engines as engines,
    second_order as second_order,
)
from chainrules_engines.comparing import Comparison as Comparison, compare as compare
from chainrules_engines.derivatives import Derivatives as Derivatives, derivatives as derivatives
from chainrules_engines.layouts import EngineError as EngineError
from chainrules_py import __version__ as __version__
