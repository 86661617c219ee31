"""Names that programs import from `autograd.tracer`."""

from chainrules_tape.autograd.boxes import Box as Box
from chainrules_tape.autograd.boxes import getval as getval
from chainrules_tape.autograd.boxes import isbox as isbox
from chainrules_tape.autograd.extend import notrace_primitive as notrace_primitive
from chainrules_tape.autograd.extend import primitive as primitive
from chainrules_tape.autograd.extend import register_notrace as register_notrace
