"""JAX as an array library: rules run on its arrays and, inside `jax.jit` and its own transformations, on traced values."""

from chainrules_jax.types import jax_library as jax_library
from chainrules_py.version import __version__ as __version__
