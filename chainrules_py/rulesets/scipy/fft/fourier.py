"""The transforms of `numpy.fft` under SciPy's names.

The adjoints are those of `rulesets.fft`, in numpy.fft's functions.
"""

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any

import numpy as np
from scipy import fft

from chainrules_py.makers import (
    Linearised,
    LinearMap,
    linear_rule,
    linearised_rule,
    non_differentiable,
)
from chainrules_py.projection import Space
from chainrules_py.rulesets import fft as numpys
from chainrules_py.rulesets.fft import (
    OPPOSITE_NORM,
    in_both_forms,
    inverse_real_adjoint,
    real_adjoint,
)
from chainrules_py.rulesets.scipy.options import state_signature
from chainrules_py.values.arrays import Integer
from chainrules_py.values.identity import existing


def with_workers(adjoint: Callable[..., Any]) -> Callable[..., Any]:
    """The adjoint with SciPy's option `workers`, which concerns the value alone."""

    def adjoint_of_any(y_bar, x: Space, *, workers: int | None = None, xp, **options):
        return adjoint(y_bar, x, xp=xp, **options)

    workers = Parameter("workers", Parameter.KEYWORD_ONLY, default=None)
    state_signature(adjoint_of_any, [*signature(adjoint).parameters.values(), workers])
    return adjoint_of_any


def hermitian_adjoint(y_bar, x: Space, s, axes: tuple[int, ...], norm, xp):
    """hfftn is irfftn of the conjugate, with the opposite norm."""
    return xp.conj(inverse_real_adjoint(y_bar, x, s, axes, OPPOSITE_NORM[norm], xp))


def inverse_hermitian_adjoint(y_bar, x: Space, s, axes: tuple[int, ...], norm, xp):
    """ihfftn is the conjugate of rfftn, with the opposite norm."""
    return real_adjoint(xp.conj(y_bar), x, s, axes, OPPOSITE_NORM[norm], xp)


HERMITIAN = {
    **in_both_forms("hfft", hermitian_adjoint),
    **in_both_forms("ihfft", inverse_hermitian_adjoint),
}
for _name, _adjoint in {**numpys.ADJOINTS, **HERMITIAN}.items():
    linear_rule(getattr(fft, _name), with_workers(_adjoint), value_only=("workers",))
if fft.fftshift is not np.fft.fftshift:  # which depends on the version of SciPy
    linear_rule(fft.fftshift, numpys.fftshift_adjoint)
    linear_rule(fft.ifftshift, numpys.ifftshift_adjoint)


@linearised_rule(fft.fftfreq, fft.rfftfreq)
def frequencies_linearised(n: Integer, d: Any = 1.0, *, out, xp) -> Linearised:
    """Frequencies are inversely proportional to the spacing of the samples."""
    by_spacing: LinearMap = numpys.spacing_map(out, d, xp)
    return None, by_spacing


# lengths and settings
non_differentiable(*existing(fft, "next_fast_len", "prev_fast_len", "get_workers"))
