"""Pullbacks of declared rules as the operations of PyTorch that they come to, recorded once for
each kind of tensors (`Replays`).

What a declared rule's pullback does in Python depends on shapes and dtypes alone: it wraps each
tensor, and checks each result. On small tensors that takes as long as the operations do. So the
operations of one run are written as a function of tensors, and are those of each run on tensors of
the same shapes and dtypes. A pullback that looks at a number in a tensor, or does anything else
whose result is no tensor, is not recorded.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from chainrules_torch.arrays.tensor_array import TensorArray

Pull = Callable[[Any, Any], Sequence[Any]]
Replay = Callable[..., tuple[Any, ...]]
# which are those of each run that is replayed
ATTRIBUTES = frozenset({"shape", "dtype", "ndim", "is_cpu", "device"})
QUESTIONS = (torch.Tensor.is_complex, torch.Tensor.is_floating_point, torch.Tensor.numel)
CONSTANTS = int | float | complex | str | torch.dtype | torch.device | None
SEEN_ONCE, MOST_SHAPES = "seen once", 64


class Replays(dict[Any, Any]):
    """The recordings of a pullback, by the shapes, dtypes and devices of the arguments; None for
    those of which none can be made.
    """

    def pulled(
        self,
        pull: Pull,
        residuals,
        args: Sequence[torch.Tensor],
        needed: Sequence[int],
        y_bar: torch.Tensor,
    ) -> Sequence[Any]:
        """Pull back by the rule, and from the third call with such tensors by its recording."""
        key = tuple([(x.shape, x.dtype, x.is_cpu) for x in args])
        replay: Any = self.get(key, self)
        if replay is self:  # such tensors were never seen
            if len(self) >= MOST_SHAPES:
                self.clear()
            self[key] = SEEN_ONCE
        elif replay is SEEN_ONCE:
            like = {k: args[k] for k in needed}
            is_on_cpu = all(x.is_cpu for x in args)
            replay = self[key] = recorded(pull, residuals, like, y_bar) if is_on_cpu else None
        if callable(replay):
            return replay(*tensors_in(residuals), y_bar)  # pyright: ignore[reportReturnType]
        return pull(residuals, TensorArray(y_bar))


class Recording(TorchFunctionMode):  # type: ignore[misc]
    """The operations that are called meanwhile, as lines of Python; `is_whole` as long as all of
    them could be written.
    """

    def __init__(self, inputs: Sequence[torch.Tensor]) -> None:
        super().__init__()
        self.tensors = list(inputs)  # alive, so that no other tensor gets the id of one
        self.names = {id(x): f"x{k}" for k, x in enumerate(inputs)}
        self.lines: list[str] = []
        self.scope: dict[str, Any] = {}
        self.is_whole = True

    def __torch_function__(self, function, types, args: Any = (), kwargs: Any = None) -> Any:
        """The result of an operation, which is written down if it is a tensor."""
        options = kwargs or {}
        y = function(*args, **options)
        if type(y) is torch.Tensor:
            self.note(function, args, options, y)
        elif function not in QUESTIONS and attribute_read_by(function) not in ATTRIBUTES:
            self.is_whole = False
        return y

    def note(self, function, args, options: dict[str, Any], y: torch.Tensor) -> None:
        """Write the line of an operation, whose result is a tensor."""
        n = len(self.lines)
        given = list(map(self.written, args))
        given += [f"{key}={self.written(x)}" for key, x in options.items()]
        self.scope[f"f{n}"] = function
        self.lines.append(f"y{n} = f{n}({', '.join(given)})")
        self.tensors.append(y)
        self.names[id(y)] = f"y{n}"

    def written(self, x) -> str:
        """An argument of an operation: the name of a tensor, or of a constant."""
        if isinstance(x, torch.Tensor):
            self.is_whole &= id(x) in self.names
            return self.names.get(id(x), "")
        parts = x if isinstance(x, tuple | list) else (x,)
        self.is_whole &= all(isinstance(part, CONSTANTS) for part in parts)
        name = f"c{len(self.scope)}"
        self.scope[name] = x
        return name

    def replay(self, count: int, results: Sequence[torch.Tensor | None]) -> Replay | None:
        """The operations as a function of the inputs, so many, that returns these tensors; None
        where one is of elsewhere.
        """
        names = ["None" if y is None else self.names.get(id(y), "") for y in results]
        if not self.is_whole or "" in names:
            return None
        head = f"def replay({', '.join(f'x{k}' for k in range(count))}):"
        exec("\n    ".join([head, *self.lines, f"return ({', '.join(names)},)"]), self.scope)
        replay: Replay = self.scope["replay"]
        return replay


def attribute_read_by(function) -> str:
    """The name of the attribute that a function reads, which is then a property's ``__get__``."""
    return getattr(getattr(function, "__self__", None), "__name__", "")


def recorded(
    pull: Pull, residuals: Sequence[Any], like: dict[int, torch.Tensor], y_bar: torch.Tensor
) -> Replay | None:
    """The operations of a pullback as a function of the tensors among its residuals and of the
    cotangent.

    `like` has the needed arguments by position. None where operations cannot be written down, or
    give no tensors like these.
    """
    # New objects, so that two residuals that are one tensor are two inputs.
    kept = tuple(
        [TensorArray(x.tensor.detach()) if type(x) is TensorArray else x for x in residuals]
    )
    inputs = [*tensors_in(kept), y_bar.detach()]
    with Recording(inputs) as recording:
        bars = pull(kept, TensorArray(inputs[-1]))
    if not all(is_like(bars[k], x) for k, x in like.items()):
        return None
    results = [bar.tensor if k in like else None for k, bar in enumerate(bars)]
    found: Replay | None = recording.replay(len(inputs), results)
    return found


def is_like(bar, x: torch.Tensor) -> bool:
    """Whether a cotangent has the shape and dtype of a tensor."""
    if type(bar) is not TensorArray:
        return False
    return bool(bar.tensor.shape == x.shape and bar.tensor.dtype == x.dtype)


def tensors_in(residuals: Sequence[Any]) -> list[torch.Tensor]:
    """The tensors among the residuals of a pullback."""
    return [x.tensor for x in residuals if type(x) is TensorArray]
