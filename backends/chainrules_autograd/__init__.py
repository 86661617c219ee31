"""Rules for HIPS autograd: in its own tables, as functions of its boxes, and its functions as
primitives for other engines.
"""

from chainrules_py.engines import require_installed

require_installed("autograd", "autograd", f"import {__name__}", __name__)

from chainrules_autograd.foreign import from_autograd as from_autograd
from chainrules_autograd.functions import to_autograd as to_autograd
from chainrules_autograd.installation import Installation as Installation, install as install
from chainrules_py import __version__ as __version__
