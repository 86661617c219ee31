"""SciPy as programs for autograd have it: `chainrules_tape.scipy`, with autograd's `convolve`."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from chainrules_tape import scipy as of_tape

if TYPE_CHECKING:
    from chainrules_tape.autograd.scipy import signal as signal


def __getattr__(name: str) -> Any:
    if name == "signal":
        return import_module(f"{__name__}.signal")
    return getattr(of_tape, name)


def __dir__() -> list[str]:
    return sorted({*globals(), "signal", *dir(of_tape)})
