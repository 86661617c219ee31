"""SciPy as programs for autograd have it: `chainrules_tape.scipy`, with autograd's `convolve`."""

from typing import Any

from chainrules_tape import scipy as of_tape
from chainrules_tape.autograd.scipy import signal as signal


def __getattr__(name: str) -> Any:
    return getattr(of_tape, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(of_tape)})
