"""What `xp` is for rules on JAX's arrays: `jax.numpy`, with sizes found where they can be known."""

from types import ModuleType

import jax.numpy as jnp

from chainrules_jax.known_sizes import FUNCTIONS

namespace = ModuleType(jnp.__name__, jnp.__doc__)
vars(namespace).update(vars(jnp) | FUNCTIONS)
