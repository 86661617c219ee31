"""The namespace `xp` of rules on JAX's arrays: `jax.numpy`, with sizes found where they can be
known, and layouts where JAX asks.
"""

from types import ModuleType

import jax.numpy as jnp

from chainrules_jax import explicit_axes, known_sizes, lists, orders, windows

namespace = ModuleType(jnp.__name__, jnp.__doc__)
vars(namespace).update(
    vars(jnp)
    | orders.FUNCTIONS
    | known_sizes.FUNCTIONS
    | explicit_axes.FUNCTIONS
    | windows.FUNCTIONS
)
vars(namespace).update(lists.taking_lists(vars(namespace)))
