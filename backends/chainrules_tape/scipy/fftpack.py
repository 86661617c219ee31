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

from chainrules_py.rulesets.scipy.fft.trigonometric import INVERSE_TYPE
from chainrules_tape.core.levels import call_traced
from chainrules_tape.numpy.conversions import by_others
from chainrules_tape.numpy.namespaces import stand_in
from chainrules_tape.scipy.objects import named_arguments


def _same(name: str) -> Any:
    """The function of this name in `scipy.fft`, with the parameter names of `scipy.fftpack`."""
    plain, function = getattr(fftpack, name), getattr(transforms, name)
    if is_inverse := name.startswith(("idct", "idst")):  # the newer ones divide by a factor
        function = getattr(transforms, name[1:])

    @by_others(plain)
    def transform(*args, **options):
        given = named_arguments(plain, *args, **options)
        x = given.pop("x")
        del given["overwrite_x"]
        renamed = {{"shape": "s"}.get(key, key): value for key, value in given.items()}
        if is_inverse:
            renamed["type"] = INVERSE_TYPE[given["type"]]
        return call_traced(function, (x,), renamed)

    return transform


for _name in (
    *("fft", "ifft", "fft2", "ifft2", "fftn", "ifftn"),
    *("dct", "idct", "dst", "idst", "dctn", "idctn", "dstn", "idstn"),
):
    globals()[_name] = _same(_name)
__getattr__, __dir__ = stand_in(fftpack, globals())
