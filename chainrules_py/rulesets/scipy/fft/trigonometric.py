"""Cosine and sine transforms of types 1 to 4, real symmetric relatives of the Fourier transform.

With ``norm="ortho"`` each is an orthogonal matrix O, whose adjoint is the inverse transform.
Otherwise it is c D O E, with a number c and diagonal matrices that differ from the identity at the
ends, so the adjoint is c E O^T D:

    type   factors of D (output)   factors of E (input)        length of the circle, c^2
    DCT 1  sqrt(2) at both ends    1/sqrt(2) at both ends      2 (n - 1)
    DCT 2  sqrt(2) first           none                        2 n
    DCT 3  none                    1/sqrt(2) first             2 n
    DST 1  none                    none                        2 (n + 1)
    DST 2  sqrt(2) last            none                        2 n
    DST 3  none                    1/sqrt(2) last              2 n

Type 4 has none. The inverse of type 2 is type 3 with the opposite norm, and the other way round.
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
# c is this power of the length of the circle
POWER = {None: 0.5, "backward": 0.5, "ortho": 0.0, "forward": -0.5}
ENDS = {
    ("dct", 1): (0, -1),
    ("dct", 2): (0,),
    ("dct", 3): (0,),
    ("dst", 2): (-1,),
    ("dst", 3): (-1,),
}
CIRCLE = {("dct", 1): -1, ("dst", 1): 1}

# Some versions of SciPy forget the option where numbers are complex.
_dct: Any = fft.dct
ORTHOGONALIZES_COMPLEX = np.allclose(
    _dct(np.ones(3) + 0j, orthogonalize=True).real, _dct(np.ones(3), orthogonalize=True)
)


def ends_scaled(x, ends: tuple[int, ...], axis: int, factor: float, xp) -> Any:
    """The array with some entries along an axis multiplied."""
    weights = [1.0] * x.shape[axis]
    for end in ends:
        weights[end] *= factor
    along = [1] * x.ndim
    along[axis] = -1
    return x * xp.reshape(xp.asarray(weights, dtype=xp.real(x).dtype), tuple(along))


def along_one_axis(y_bar, kind: str, type: int, axis: int, norm, orthogonalize, xp) -> Any:
    """The adjoint of a forward transform of all entries of an axis."""
    n, root = y_bar.shape[axis], 2.0**0.5
    c = (2 * (n + CIRCLE.get((kind, type), 0))) ** POWER[norm]
    if orthogonalize is None or (y_bar.dtype.kind == "c" and not ORTHOGONALIZES_COMPLEX):
        orthogonalize = norm == "ortho"
    ends = () if orthogonalize else ENDS.get((kind, type), ())
    before = ends_scaled(y_bar, ends if type in (1, 2) else (), axis, root, xp)
    x_bar = call(getattr(fft, f"i{kind}"), before, type=type, axis=axis, norm="ortho")
    return c * ends_scaled(x_bar, ends if type in (1, 3) else (), axis, 1 / root, xp)


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
        return resized(y_bar, x.shape, along, xp)

    linear_rule(transform, trigonometric_adjoint, value_only=("workers",))


for _name in ("dct", "idct", "dst", "idst"):
    declare(_name, "n", "axis")
    declare(f"{_name}n", "s", "axes")
