"""Batches of cotangents as `torch.autograd.grad(..., is_grads_batched=True)` makes them, and of
tangents, as `vectorize=True` does in forward mode.

PyTorch has an older `vmap` beside that of `torch.func`, which calls `backward` and `jvp` with tensors
that hide their batch, and knows no functions but PyTorch's own. Such a call is handed to
`torch.func.vmap`: a pullback by NumPy is then one call in lanes.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from chainrules_py.engines import with_items_at

# PyTorch has no public names for these; without the first two, nothing is seen as such a batch.
_keys: Any = getattr(torch._C, "_dispatch_keys", None)
_parsed: Any = getattr(torch._C, "_dispatch_key_parse", None)
_without_batch: Any = getattr(torch, "_remove_batch_dim", None)
_with_batch: Any = getattr(torch, "_add_batch_dim", None)
_BATCHED: Any = _parsed("Batched") if _keys is not None and _parsed is not None else None

Backward = Callable[..., tuple[Any, ...]]


def is_older_batch(bar) -> bool:
    """Tell whether a cotangent hides a batch."""
    return _BATCHED is not None and bar is not None and bool(_keys(bar).has(_BATCHED))


def by_vmap(backward: Backward, bars: Sequence[Any]) -> tuple[Any, ...]:
    """Return what `backward`, or `jvp`, answers to cotangents, or tangents, some of which hide a
    batch, hidden again.
    """
    level = level_of_batches()
    present = [k for k, bar in enumerate(bars) if bar is not None]
    has_batch = [is_older_batch(bars[k]) for k in present]
    shown = [
        _without_batch(bars[k], level, 1, 0) if batched else bars[k]
        for k, batched in zip(present, has_batch, strict=True)
    ]
    places: list[int] = []
    length = 0

    def of_one(*given) -> tuple[Any, ...]:
        nonlocal length
        results = backward(*with_items_at([None] * len(bars), present, given))
        places[:] = [k for k, result in enumerate(results) if result is not None]
        length = len(results)
        return tuple([results[k] for k in places])

    found = torch.func.vmap(of_one, tuple([0 if batched else None for batched in has_batch]))(
        *shown
    )
    answers = [_with_batch(result.contiguous(), 0, level) for result in found]
    return tuple(with_items_at([None] * length, places, answers))


def level_of_batches() -> int:
    """Return the number of the older `vmap` that is at work; threads of devices do not know it."""
    level = int(torch._C._vmapmode_increment_nesting())
    torch._C._vmapmode_decrement_nesting()
    return max(level - 1, 1)
