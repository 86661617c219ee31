"""JAX as an array library: rules in its programs, and its functions in programs of ours.

library namespace known_sizes entries   rules on JAX's arrays and, inside `jax.jit` and the like, on traced values
    linear_systems                      their systems of equations, by factors that are there
    explicit_axes                       their products on meshes whose axes are explicit
    rules_by_numpy                      rules of SciPy's functions and of primitives, which JAX may not be able to trace
functions                               `to_jax`: functions with rules in JAX's programs
    calls operations derivatives results routes host_calls tangents errors
foreign                                 `from_jax`: JAX's functions with rules of ours
"""

from chainrules_py.engines import require_installed

require_installed("jax", "jax", f"import {__name__}", __name__)

from chainrules_jax.errors import JaxError as JaxError, own_errors as own_errors
from chainrules_jax.foreign import from_jax as from_jax
from chainrules_jax.functions import JaxFunction as JaxFunction, to_jax as to_jax
from chainrules_jax.library import jax_library as jax_library
from chainrules_py import __version__ as __version__
