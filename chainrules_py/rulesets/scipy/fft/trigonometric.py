"""Cosine and sine transforms of types 1 to 4, real symmetric relatives of the Fourier transform.

Orthogonalised, each is a multiple of an orthogonal matrix. Types 1 and 4 are symmetric, and types 2
and 3 are each other's transpose, with the same norm. Otherwise the transpose D T E has factors D of
what it is given and E of what it gives, at the ends where the table below says so:

    type   D   E
    1      2   1/2
    2      2   none
    3      none   1/2

The inverse of type 2 is type 3 with the opposite norm, and the other way round.
"""

from typing import Any

import numpy as np
from scipy import fft

from chainrules_py.makers import linear_rule
from chainrules_py.projection import Space
from chainrules_py.rulesets.fft import OPPOSITE_NORM, axes_of, resized
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.values.arrays import call

INVERSE_TYPE = {1: 1, 2: 3, 3: 2, 4: 4}
ENDS = {
    ("dct", 1): (0, -1),
    ("dct", 2): (0,),
    ("dct", 3): (0,),
    ("dst", 2): (-1,),
    ("dst", 3): (-1,),
}

# Some versions of SciPy forget the option where numbers are complex.
_dct: Any = fft.dct
ORTHOGONALIZES_COMPLEX = np.allclose(
    _dct(np.ones(3) + 0j, orthogonalize=True).real, _dct(np.ones(3), orthogonalize=True)
)


def ends_scaled(x, ends: tuple[int, ...], axis: int, factor: float, xp) -> Any:
    """The array with some entries along an axis multiplied."""
    if not ends:
        return x
    weights = [1.0] * x.shape[axis]
    for end in ends:
        weights[end] *= factor
    along = [1] * x.ndim
    along[axis] = -1
    return x * xp.reshape(xp.asarray(weights, dtype=xp.real(x).dtype), tuple(along))


def along_one_axis(y_bar, kind: str, type: int, axis: int, norm, orthogonalize, xp) -> Any:
    """The adjoint of a forward transform of all entries of an axis."""
    if orthogonalize is None or (y_bar.dtype.kind == "c" and not ORTHOGONALIZES_COMPLEX):
        orthogonalize = norm == "ortho"
    ends = () if orthogonalize else ENDS.get((kind, type), ())
    before = ends_scaled(y_bar, ends if type in (1, 2) else (), axis, 2.0, xp)
    # CuPy does not know the option
    how = {} if orthogonalize == (norm == "ortho") else {"orthogonalize": orthogonalize}
    x_bar = call(getattr(fft, kind), before, type=INVERSE_TYPE[type], axis=axis, norm=norm, **how)
    return ends_scaled(x_bar, ends if type in (1, 3) else (), axis, 0.5, xp)


def forward_form(name: str, type: int, norm) -> tuple[str, int, Any]:
    """The forward transform that a transform is: its kind, type and norm."""
    kind = name.removeprefix("i").removesuffix("n")
    if name.startswith("i"):
        return kind, INVERSE_TYPE[type], OPPOSITE_NORM[norm]
    return kind, type, norm


def declare(name: str, shape: str, axes: str) -> None:
    """The rule of a transform along one axis, or along several, one after the other."""
    transform = getattr(fft, name)

    @with_options(transform, f"type {shape} {axes} norm workers orthogonalize")
    def trigonometric_adjoint(y_bar, x: Space, *, options: Options, xp):
        kind, type, norm = forward_form(name, options.type, options.norm)
        chosen = getattr(options, axes)
        along: tuple[int, ...] = (chosen,)
        if axes == "axes":
            chosen = None if chosen is None else np.atleast_1d(chosen).tolist()
            along = axes_of(x.ndim, options.s, chosen, name)
        for axis in along:
            y_bar = along_one_axis(y_bar, kind, type, axis, norm, options.orthogonalize, xp)
        return resized(y_bar, x.shape, xp)

    linear_rule(transform, trigonometric_adjoint, value_only=("workers",))


for _name in ("dct", "idct", "dst", "idst"):
    declare(_name, "n", "axis")
    declare(f"{_name}n", "s", "axes")
