"""Calls of rules in JAX's programs, for tests of several files."""

import os

import numpy as np

import chainrules_jax
from chainrules_py import default_rules
from processes import printed

X = np.array([0.5, -1.5, 2.0], "float32")


def to_jax(primal, rules=default_rules, **options):
    return chainrules_jax.to_jax(primal, rules=rules, **options)


def on_host(x):
    """NumPy's array, never a tracer: whoever calls this is opaque to JAX."""
    return np.asarray(x)


def on_four_devices(program, *arguments):
    """The words that a program prints to which JAX shows four devices."""
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=4"
    return printed(program, *arguments, XLA_FLAGS=flags, JAX_PLATFORMS="cpu").split()
