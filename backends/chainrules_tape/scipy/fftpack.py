"""`scipy.fftpack` for code that is differentiated: its complex, cosine and sine transforms, which
`scipy.fft` has, too.

>>> import numpy as np
>>> from chainrules_tape import grad
>>> from chainrules_tape.scipy import fftpack
>>> grad(lambda x: fftpack.dct(x)[0])(np.ones(3))
array([2., 2., 2.])
"""

from typing import Any

from scipy import fft as transforms, fftpack

from chainrules_tape.core.levels import call_traced
from chainrules_tape.numpy.conversions import by_others
from chainrules_tape.numpy.namespaces import stand_in

_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}  # the type that inverts a type, but for a factor


def _same(name: str, *names: str) -> Any:
    """The function of `scipy.fft` of a name, with arguments called as in `scipy.fftpack`."""

    @by_others(getattr(fftpack, name))
    def transform(x, *args, overwrite_x: bool = False, **options):
        given = dict(zip((*names, "overwrite_x"), args, strict=False)) | options
        given.pop("overwrite_x", None)
        renamed = {{"shape": "s"}.get(key, key): value for key, value in given.items()}
        function = getattr(transforms, name)
        if name.startswith(("idct", "idst")):  # without the factor that the newer ones divide by
            function, renamed["type"] = (
                getattr(transforms, name[1:]),
                _INVERSE[given.get("type", 2)],
            )
        return call_traced(function, (x,), renamed)

    return transform


fft, ifft = _same("fft", "n", "axis"), _same("ifft", "n", "axis")
fft2, ifft2 = _same("fft2", "shape", "axes"), _same("ifft2", "shape", "axes")
fftn, ifftn = _same("fftn", "shape", "axes"), _same("ifftn", "shape", "axes")
dct, idct = _same("dct", "type", "n", "axis", "norm"), _same("idct", "type", "n", "axis", "norm")
dst, idst = _same("dst", "type", "n", "axis", "norm"), _same("idst", "type", "n", "axis", "norm")
dctn, idctn = (
    _same("dctn", "type", "shape", "axes", "norm"),
    _same("idctn", "type", "shape", "axes", "norm"),
)
dstn, idstn = (
    _same("dstn", "type", "shape", "axes", "norm"),
    _same("idstn", "type", "shape", "axes", "norm"),
)
__getattr__, __dir__ = stand_in(fftpack, globals())
