"""Tensors as the values of a library: rules run on them as `TensorArray`s, and primitives called on
them go to their rules.

A tensor itself is no `Array`, and becomes one where it enters a program that is differentiated:
what PyTorch means by a name of NumPy's can be something else (its `std` divides by n - 1), so that
a rule that ran on it would be wrong without a word. ``rrule(numpy.std, tensor)`` finds no rule,
``rrule(numpy.std, TensorArray(tensor))`` does.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from chainrules_array_api.standard_array import alike, namespace_of
from chainrules_py import ArrayLibrary, register_library
from chainrules_py.engines import answer_numpy, current_table, made_of, mark_entry_points
from chainrules_py.engines.own_functions import (
    any_of_host,
    is_of_host,
    replaced,
    scatter_add,
    triangular_solution,
)
from chainrules_torch.arrays.namespace import is_missing, namespace
from chainrules_torch.arrays.tensor_array import TensorArray
from chainrules_torch.arrays.writing import scattered_sums, set_at
from chainrules_torch.calling import call_on_tensors, to_torch, value_by_numpy
from chainrules_torch.compiling import uncompiled
from chainrules_torch.functions import transforming
from chainrules_torch.older_batches import is_older_batch
from chainrules_torch.tensor_rules import everywhere, known, unwrapped, wrapped


def is_at_hand(flags: TensorArray) -> bool:
    """Whether flags are in the memory of the host, and no compiler's and no batch's."""
    t = flags.tensor
    if type(t) is not torch.Tensor or not t.is_cpu or is_older_batch(t):
        return False
    is_traced = torch.jit.is_tracing()  # pyright: ignore[reportPrivateImportUsage]
    return not (is_traced or transforming() or torch.compiler.is_compiling())


def is_any_at_hand(flags: TensorArray) -> bool:
    """Whether some flag is set, if they are at hand."""
    return is_at_hand(flags) and bool(flags.tensor.any())


def solved_by_substitution(t, b, xp, *, lower: bool, of_adjoint: bool) -> TensorArray:
    """T^-1 B or T^-H B of a triangular T: `triangular_solution` for tensors."""
    factor, right = alike(namespace_of((t, b)), t, b)
    factor = factor.mH if of_adjoint else factor
    y = torch.linalg.solve_triangular(factor, right, upper=lower == of_adjoint)
    return TensorArray(y)


OWN: dict[Any, Callable[..., Any]] = {
    is_of_host: is_at_hand,
    any_of_host: is_any_at_hand,
    scatter_add: scattered_sums,
    replaced: set_at,
    triangular_solution: solved_by_substitution,
}


def implementation(primal) -> Any:
    """Return what computes a function that the namespace does not have; None for others."""
    if primal in OWN:
        return OWN[primal]
    return partial(call_on_arrays, primal) if is_missing(primal) and callable(primal) else None


def call_on_arrays(primal, *args, **options) -> Any:
    """A primal that PyTorch does not have, on arrays of tensors: its value, differentiated by its
    rule.
    """
    value = known.of(primal, args, options)
    if value is not None:
        return value
    compute = value_by_numpy if known.is_trial else call_on_tensors
    tensors, constants = everywhere(unwrapped, args), everywhere(unwrapped, options)
    return everywhere(wrapped, compute(primal, tensors, constants, current_table.get()))


def calls(primal, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """A function marked as `primitive` on tensors, or on arrays of them in a rule.

    One without rules is a whole program.
    """
    if primal in OWN:
        return OWN[primal](*args, **options)
    if not any(isinstance(x, TensorArray) for x in args):
        return to_torch(primal, rules=current_table.get())(*args, **options)
    is_value = known.is_trial or not (torch.is_grad_enabled() or transforming())
    if is_value and known.primal is not primal:
        try:
            return made_of(primal)(*args, **options)
        except Exception:  # the body is NumPy's alone
            return call_on_arrays(primal, *args, **options)
    return call_on_arrays(primal, *args, **options)


torch_library = register_library(
    ArrayLibrary(
        name="torch",
        namespace=namespace,
        array_types=(TensorArray,),
        outer_types=(torch.Tensor,),
        taken_in=TensorArray,
        given_out=unwrapped,
        mutable=False,
        priority=10,
        implementations=implementation,
        calls=calls,
    )
)
answer_numpy(TensorArray)
mark_entry_points(uncompiled)
