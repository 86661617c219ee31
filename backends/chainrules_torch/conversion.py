"""Tensors as NumPy's arrays and back: what is shared, and what is copied because sharing it would
not be safe.

A tensor on the CPU is handed to NumPy without a copy, read-only: a function that writes into its
argument fails instead of changing a tensor behind PyTorch's back. A result that NumPy shares with
an argument or with another result is copied, since both will be tensors that may be written.
"""

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np
import torch

from chainrules_py import TangentTypeError
from chainrules_py.engines import describe


def array_of_tensor(x) -> Any:
    """Turn a tensor into an array of NumPy's that cannot be written; return other values as they
    are.
    """
    if not isinstance(x, torch.Tensor):
        return x
    try:
        array = x.detach().numpy()
    # asking first whether it is a plain tensor takes as long as the conversion
    except (TypeError, RuntimeError):
        array = plain(x).numpy()
    if recording() is not None and depends_on_inputs(x):
        got = (
            "PyTorch records the operations on a tensor (make_fx, torch.func.linearize) that NumPy"
            " computes with"
        )
        instead = (
            "take torch.func.jvp or vjp of this function, or give it a rule that is written on `xp`"
        )
        raise TangentTypeError("to_torch", got, instead, operation=array_of_tensor, operands=(x,))
    array.flags.writeable = False
    return array


# the mode in which PyTorch records a graph, if one is on, else None; there is no public question
recording = partial(torch._C._get_dispatch_mode, torch._C._TorchDispatchModeKey.PROXY)


def depends_on_inputs(x: torch.Tensor) -> bool:
    """Tell whether a tensor is computed from inputs of the graph that PyTorch records, so that its
    numbers are not constants of that graph.
    """
    from torch.fx.experimental.proxy_tensor import get_proxy_slot

    found = get_proxy_slot(x, recording().tracer, None)
    nodes = [] if found is None else [found.proxy.node]
    for node in nodes:  # and those that this loop adds
        nodes += [each for each in node.all_input_nodes if each not in nodes]
    return any(node.op == "placeholder" for node in nodes)


def plain(x: torch.Tensor) -> torch.Tensor:
    """Detach a tensor, bring it to the CPU and carry out its conjugation and negation, so that
    NumPy can read it.
    """
    try:
        tensor = x.detach().resolve_conj().resolve_neg().cpu()
        tensor.numpy()
    except (TypeError, RuntimeError) as error:
        got = (
            f"a tensor of {x.dtype}, which is no array of NumPy"
            f" ({str(error).partition(chr(10))[0]})"
        )
        instead = (
            "pass dense tensors of a type that NumPy has; for batches of arguments use"
            " torch.func.vmap, jacrev or jacfwd, which know these functions"
        )
        raise TangentTypeError(
            "to_torch", got, instead, operation=array_of_tensor, operands=(x,)
        ) from error
    return tensor


def as_tensor(x, like: torch.Tensor | None, given: Iterable[Any], where) -> torch.Tensor:
    """Turn a result into a tensor on the device of `like` that shares no memory with the arrays in
    `given`.
    """
    array = x if type(x) is np.ndarray else np.asarray(x)
    if (
        array.base is not None
        or not (array.flags.writeable and array.dtype.isnative)
        or id(array) in map(id, given)
    ):
        array = unshared(array, given)
    try:
        tensor = torch.from_numpy(array)
    except TypeError as error:
        got = f"{describe(x)} is no value that PyTorch has a type for"
        instead = "return float32, float64, complex, integer or boolean arrays"
        raise TangentTypeError(
            repr(where), got, instead, operation=as_tensor, operands=(x,)
        ) from error
    return tensor if like is None or like.is_cpu else tensor.to(like.device)


def unshared(array: np.ndarray, given: Iterable[Any]) -> np.ndarray:
    """Copy an array if PyTorch cannot take it over: it has to be writeable, in native byte order,
    with no entry in memory twice, and shared with none of those given.
    """
    shared = any(
        np.may_share_memory(array, other) for other in given if isinstance(other, np.ndarray)
    )
    if (
        shared
        or not (array.flags.writeable and array.dtype.isnative)
        or any(step <= 0 for step in array.strides)
    ):
        return array.astype(array.dtype.newbyteorder("="), copy=True)
    return array


def as_fresh_tensor(x, device: torch.device | str | None = None) -> Any:
    """Copy an array or a number of NumPy's into a tensor; return other values as they are."""
    if isinstance(x, bool | int) or not isinstance(x, np.ndarray | np.generic | float | complex):
        return x
    array = np.asarray(x)
    return torch.from_numpy(array.astype(array.dtype.newbyteorder("="), order="C", copy=True)).to(
        device
    )


def as_shared_tensor(x, device: torch.device | str | None = None) -> Any:
    """Turn an array into a tensor on the same memory if it can be written and PyTorch can read its
    layout; copy it otherwise.
    """
    if (
        isinstance(x, np.ndarray)
        and x.flags.writeable
        and x.dtype.isnative
        and all(step >= 0 for step in x.strides)
    ):
        return torch.from_numpy(x).to(device)
    return as_fresh_tensor(x, device)


def is_tensor(x) -> bool:
    """Tell whether a value is a tensor."""
    return isinstance(x, torch.Tensor)


def is_differentiable(x) -> bool:
    """Tell whether a tensor or an array has a tangent space."""
    if isinstance(x, torch.Tensor):
        return bool(x.is_floating_point() or x.is_complex())
    return getattr(getattr(x, "dtype", None), "kind", "") in ("f", "c") or isinstance(
        x, float | complex
    )
