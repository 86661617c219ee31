"""JAX as an array library: its classes, its namespace, and functions of its own for what its immutable
arrays cannot do.
"""

from collections.abc import Callable
from typing import Any

import jax
from jax.core import Tracer

from chainrules_jax.entries import entries_where, scattered_sums, set_at
from chainrules_jax.linear_systems import solved_by_adjoint, solved_by_substitution
from chainrules_jax.namespace import namespace
from chainrules_py import ArrayLibrary, register_library
from chainrules_py.engines import current_table
from chainrules_py.engines.own_functions import (
    adjoint_solution,
    any_of_host,
    is_of_host,
    is_worth_asking,
    replaced,
    scatter_add,
    selected_entries,
    triangular_solution,
)


def is_at_hand(flags: jax.Array) -> bool:
    """Whether flags are in the memory of the host, and not a compiler's."""
    if isinstance(flags, Tracer):
        return False
    return all(device.platform == "cpu" for device in flags.devices())


OWN: dict[Any, Callable[..., Any]] = {
    is_of_host: is_at_hand,
    any_of_host: lambda flags: is_at_hand(flags) and bool(flags.any()),
    scatter_add: scattered_sums,
    replaced: set_at,
    selected_entries: entries_where,
    is_worth_asking: lambda *factors: not any(isinstance(x, Tracer) for x in factors),
    adjoint_solution: lambda a, b, xp: solved_by_adjoint(a, b),
    triangular_solution: lambda t, b, xp, **which: solved_by_substitution(t, b, **which),
}


def calls(primal, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """A function marked as `primitive` on JAX's arrays: JAX's own, or the value, differentiated by
    its rules.
    """
    if primal in OWN:
        return OWN[primal](*args, **options)
    from chainrules_jax.functions import to_jax  # later: it stands on this module

    return to_jax(primal, rules=current_table.get())(*args, **options)


def differentiated(run: Callable[..., Any], *of) -> Callable[..., Any]:
    """The function that differentiates a call on JAX's arrays in our programs, given the rule's."""
    from chainrules_jax import rules_by_numpy  # later: it stands on this module

    return rules_by_numpy.differentiated(run, *of)


jax_library = register_library(
    ArrayLibrary(
        name="jax",
        namespace=namespace,
        array_types=(jax.Array, Tracer),
        mutable=False,
        asked_by_numpy=False,
        priority=10,
        implementations=OWN.get,
        calls=calls,
        differentiated=differentiated,
    )
)
