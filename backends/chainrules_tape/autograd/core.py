"""Names that programs import from `autograd.core`."""

from chainrules_tape.autograd.differential_operators import make_jvp_of_one as make_jvp
from chainrules_tape.autograd.differential_operators import make_vjp_of_one as make_vjp
from chainrules_tape.autograd.extend import VSpace as VSpace
from chainrules_tape.autograd.extend import def_linear as def_linear
from chainrules_tape.autograd.extend import defjvp as defjvp
from chainrules_tape.autograd.extend import defjvp_argnum as defjvp_argnum
from chainrules_tape.autograd.extend import defjvp_argnums as defjvp_argnums
from chainrules_tape.autograd.extend import defvjp as defvjp
from chainrules_tape.autograd.extend import defvjp_argnum as defvjp_argnum
from chainrules_tape.autograd.extend import defvjp_argnums as defvjp_argnums
from chainrules_tape.autograd.extend import primitive as primitive
from chainrules_tape.autograd.extend import vspace as vspace

__all__ = ["make_jvp", "make_vjp"]
