"""A small tape engine: derivatives of plain NumPy code, by the rules of `chainrules_py`."""

from chainrules_py.makers import ignore_derivatives
from chainrules_py.makers import primitive as primitive
from chainrules_py.structure import container as container
from chainrules_py.version import __version__ as __version__
from chainrules_tape import namespace as namespace  # for its effect: traced values join as an array library
from chainrules_tape.checkpointing import checkpoint as checkpoint
from chainrules_tape.draw import draw as draw
from chainrules_tape.explanation import explain as explain
from chainrules_tape.matrices import hessian as hessian
from chainrules_tape.matrices import hvp as hvp
from chainrules_tape.matrices import jacobian as jacobian
from chainrules_tape.refusals import ClosureError as ClosureError
from chainrules_tape.refusals import EscapedValueError as EscapedValueError
from chainrules_tape.refusals import InPlaceError as InPlaceError
from chainrules_tape.refusals import InputError as InputError
from chainrules_tape.refusals import LostGradientError as LostGradientError
from chainrules_tape.refusals import LostGradientWarning as LostGradientWarning
from chainrules_tape.refusals import OutputError as OutputError
from chainrules_tape.refusals import RecomputationError as RecomputationError
from chainrules_tape.show import show as show
from chainrules_tape.transforms import grad as grad
from chainrules_tape.transforms import jvp as jvp
from chainrules_tape.transforms import linearize as linearize
from chainrules_tape.transforms import value_and_grad as value_and_grad
from chainrules_tape.transforms import vjp as vjp

stop_gradient = ignore_derivatives
