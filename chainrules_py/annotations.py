"""The types of functions and of the arguments of a call, as annotations name them."""

from collections.abc import Callable
from typing import Any

Function = Callable[..., Any]
Args = tuple[Any, ...]
Options = dict[str, Any]
