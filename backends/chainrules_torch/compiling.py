"""Functions of this package that torch.compile calls as they are, between two of its graphs."""

from collections.abc import Callable
from typing import Any

import torch


def uncompiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function for torch.compile to call it, and all that it calls, as plain Python between
    two graphs.
    """
    # as torch.compiler.disable does, without importing the compiler, which takes as long as
    # importing PyTorch
    try:
        from torch._C._dynamo.eval_frame import (
            _FrameAction,
            _FrameExecStrategy,
            set_code_exec_strategy,
        )
    except ImportError:
        disabled: Callable[..., Any] = torch.compiler.disable(function)
        return disabled
    set_code_exec_strategy(
        function.__code__, _FrameExecStrategy(_FrameAction.SKIP, _FrameAction.SKIP)
    )
    function._torchdynamo_disable = True  # type: ignore[attr-defined]
    return function
