"""Optimizers by autograd's names."""

from chainrules_tape.optimizers import adam as adam
from chainrules_tape.optimizers import rmsprop as rmsprop
from chainrules_tape.optimizers import sgd as sgd
from chainrules_tape.optimizers import unflatten_optimizer as unflatten_optimizer
