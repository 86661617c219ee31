"""The shapes and dtypes of a value before it is computed: JAX asks for them while it compiles.

JAX finds them itself where it can trace the function. Where NumPy has to compute it, the function
is called once with made-up numbers of the declared shapes, and with other ones where that fails.
"""

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from chainrules_jax.errors import JaxError, NotLinearError
from chainrules_jax.operations import require_numpy
from chainrules_jax.tangents import Spec, has_jax_array
from chainrules_py import ChainRulesError
from chainrules_py.engines import (
    FlatCall,
    FlatValue,
    call_without_writing,
    made_up_arguments,
    tape_config,
)

Specs = Sequence[Any]


def traced_result(flat: FlatCall, specs: Specs) -> FlatValue | str:
    """The value of a call with shapes for leaves, or why JAX cannot trace it."""
    trees: list[FlatValue] = []

    def leaves_of_value(*leaves) -> list[Any]:
        trees.append(flat.value(leaves))
        return list(map(jnp.asarray, trees[-1].leaves))

    reason, found = attempt(leaves_of_value, *specs)
    if reason is not None:
        return reason
    return FlatValue([Spec(y.shape, y.dtype) for y in found], trees[-1].tree)


def attempt(function, *specs) -> tuple[str | None, Any]:
    """Why JAX cannot trace a function of arguments like these, None where it can; and what its
    results look like.

    What a rule refuses, it refuses at once. A rule that calls its own function on tangents is
    traced, and cannot be transposed.
    """
    try:
        return None, jax.eval_shape(function, *specs)
    except ChainRulesError as error:
        if not isinstance(error, LookupError | NotLinearError):
            raise
        return str(error), None
    except Exception as error:  # whatever NumPy's or the user's code says to a tracer
        return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}", None


def host_result(flat: FlatCall, specs: Specs) -> FlatValue:
    """The value of a call with shapes for leaves, found by calling the function with made-up
    numbers.
    """
    errors: list[Exception] = []
    for leaves in made_up(specs):
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of numbers that are not the user's
                y = value_on_host(flat, leaves, is_known=False)
            is_scipys = str(getattr(flat.primal, "__module__", "")).startswith("scipy.")
            has_status = is_scipys and len(y.leaves) > 1
            found = declared_result(y) if has_status else result_of_made_up(y)
            refuse_empty_results(flat, found, specs)
            return found
        # the latter of a function that holds what JAX traces
        except (JaxError, jax.errors.JAXTypeError):
            raise
        except Exception as error:
            errors.append(error)
    failed = f"calls with made-up numbers of the same shapes failed: {errors[0]!r}"
    got = f"what it returns is not known, since {failed}"
    raise JaxError(f"to_jax({flat})", got, INSTEAD, primal=flat.primal) from errors[0]


def refuse_empty_results(flat: FlatCall, found: FlatValue, specs: Specs) -> None:
    """Raise for an empty result of made-up numbers, such as what a mask selects of them.

    JAX has no use for an empty array, and never runs the call: nobody would hear of the real one.
    """
    is_empty = any(0 in spec.shape for spec in found.leaves)
    if is_empty and flat.is_whole_program and not any(0 in spec.shape for spec in specs):
        got = "it returned an empty array for made-up numbers, as if that did not depend on them"
        raise JaxError(f"to_jax({flat})", got, INSTEAD, primal=flat.primal)


def result_of_made_up(y: FlatValue) -> FlatValue:
    """The shapes of a value that was found with made-up numbers, as far as these tell them.

    A program may return the integer 0, or nothing at all, where its arguments are out of range, and
    a number elsewhere. So Python's integers stand for numbers of any kind. (One beside other results
    of SciPy's is a status.)
    """
    if not y.leaves:
        raise ValueError("it returns no array and no number")
    leaves = [float(leaf) if type(leaf) is int else leaf for leaf in y.leaves]
    return declared_result(FlatValue(leaves, y.tree))


def value_on_host(flat: FlatCall, leaves: Sequence[Any], *, is_known: bool = True) -> FlatValue:
    """The value of a call, computed by NumPy, of numbers that are known or made up; nobody writes
    into the leaves.
    """
    config = tape_config(flat.table)

    def value_of_arrays(xs: list[Any]) -> FlatValue:
        return flat.value(flat.as_numbers(xs, "reverse", config))

    y = call_without_writing(value_of_arrays, leaves)
    require_numpy(y.leaves, f"to_jax({flat})")
    return as_arrays(y, is_known)


UNKNOWN = "known when the compiled code has run"


def as_arrays(y: FlatValue, is_known: bool) -> FlatValue:
    """A value whose leaves are arrays and numbers: text and other objects, which SciPy's results
    also have, are no leaves.

    For made-up numbers they say nothing: then a text in their place says so.
    """
    if all(map(has_jax_array, y.leaves)):
        return y
    parts = [part if is_known or has_jax_array(part) else UNKNOWN for part in y.leaves]
    return FlatValue.of(y.with_leaves(parts), has_jax_array)


INSTEAD = (
    "write to_jax(f, shapes=...), a function of the same arguments that returns a"
    " jax.ShapeDtypeStruct for each array"
)


def declared_result(y: FlatValue) -> FlatValue:
    """The shapes of a value, in the dtypes that JAX has now: float32 instead of float64 without
    x64.
    """
    leaves = [leaf if hasattr(leaf, "dtype") else np.asarray(leaf) for leaf in y.leaves]
    return FlatValue(
        [Spec(x.shape, jax.dtypes.canonicalize_dtype(x.dtype)) for x in leaves], y.tree
    )


def made_up(specs: Specs) -> Iterator[list[Any]]:
    """Arrays of these shapes and dtypes, one guess after the other."""
    return made_up_arguments([(spec.shape, spec.dtype) for spec in specs])
