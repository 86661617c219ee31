"""torch.compile is told to run this package's functions as they are, between two of its graphs."""

from collections.abc import Callable
from typing import Any

import torch


def uncompiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which torch.compile calls as it is, between two of its graphs, and all that is
    called in it, too.
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
