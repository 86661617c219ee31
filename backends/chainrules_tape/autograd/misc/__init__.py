"""Tools that autograd has beside derivatives: `flatten`, `fixed_points`, `optimizers`, `tracers`."""

from chainrules_tape.autograd.misc import fixed_points as fixed_points, optimizers as optimizers
from chainrules_tape.autograd.misc.flatten import flatten as flatten
from chainrules_tape.autograd.misc.tracers import const_graph as const_graph
