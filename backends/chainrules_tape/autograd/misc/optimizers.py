"""Optimizers by autograd's names."""

from chainrules_tape.optimizers import (
    adam as adam,
    rmsprop as rmsprop,
    sgd as sgd,
    unflatten_optimizer as unflatten_optimizer,
)
