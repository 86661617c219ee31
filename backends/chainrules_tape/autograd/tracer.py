"""Names that programs import from `autograd.tracer`."""

from chainrules_tape.autograd.boxes import Box as Box, getval as getval, isbox as isbox
from chainrules_tape.autograd.extend import (
    notrace_primitive as notrace_primitive,
    primitive as primitive,
    register_notrace as register_notrace,
)
