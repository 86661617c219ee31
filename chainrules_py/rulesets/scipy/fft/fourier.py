"""The transforms of `numpy.fft` under SciPy's names.

The adjoints are those of `rulesets.fft`, in numpy.fft's functions.
"""

from inspect import Parameter, signature
from typing import Any

import numpy as np
from scipy import fft

from chainrules_py import axes_rule, composed
from chainrules_py.annotations import Function
from chainrules_py.makers import (
    linear_rule,
    non_differentiable,
)
from chainrules_py.projection import Space
from chainrules_py.rulesets import fft as numpys
from chainrules_py.rulesets.scipy.options import Options, state_signature, with_options
from chainrules_py.values.arrays import Array, call
from chainrules_py.values.identity import existing


def with_workers(adjoint: Function) -> Function:
    """The adjoint with SciPy's option `workers`, which concerns the value alone."""

    def adjoint_of_any(y_bar, x: Space, *, workers: int | None = None, xp, **options):
        return adjoint(y_bar, x, xp=xp, **options)

    workers = Parameter("workers", Parameter.KEYWORD_ONLY, default=None)
    state_signature(adjoint_of_any, [*signature(adjoint).parameters.values(), workers])
    return adjoint_of_any


for _name, _adjoint in numpys.ADJOINTS.items():
    linear_rule(getattr(fft, _name), with_workers(_adjoint), value_only=("workers",))


def hermitian(kind: str, names: str) -> None:
    """Give bodies to a transform of Hermitian arrays and its inverse."""
    forward, inverse = getattr(fft, f"hfft{kind}"), getattr(fft, f"ihfft{kind}")

    def turned(options: Options) -> dict[str, Any]:
        given = {name: value for name, value in options.items() if value is not None}
        return {**given, "norm": numpys.opposite(options.norm)}

    @with_options(forward, names, composed)
    def hermitian_transform(x: Array, *, options: Options, xp) -> Any:
        """The inverse real transform of the conjugate, with the opposite norm."""
        return call(getattr(fft, f"irfft{kind}"), xp.conj(x), **turned(options))

    @with_options(inverse, names, composed)
    def inverse_transform(x: Array, *, options: Options, xp) -> Any:
        """The conjugate of the real transform, with the opposite norm."""
        return xp.conj(call(getattr(fft, f"rfft{kind}"), x, **turned(options)))


hermitian("", "n axis norm workers")
hermitian("2", "s axes norm workers")
hermitian("n", "s axes norm workers")
if fft.fftshift is not np.fft.fftshift:  # which depends on the version of SciPy
    linear_rule(fft.fftshift, numpys.fftshift_adjoint)
    linear_rule(fft.ifftshift, numpys.ifftshift_adjoint)


numpys.frequencies(fft.fftfreq)
numpys.frequencies(fft.rfftfreq)

# lengths and settings
non_differentiable(*existing(fft, "next_fast_len", "prev_fast_len", "get_workers"))

# Many examples at once: 1,000 of 64 entries take 0.2 to 1.4 ms, in a loop 7 to 9, and gradients of
# cosine transforms 2, in a loop 21.

axes_rule(
    *(fft.fft, fft.ifft, fft.rfft, fft.irfft, fft.dct, fft.idct, fft.dst, fft.idst),
    kind="mixes",
    default=-1,
)
axes_rule(
    *(fft.fft2, fft.ifft2, fft.rfft2, fft.irfft2),
    kind="mixes",
    axes=("axes",),
    default=(-2, -1),
)
