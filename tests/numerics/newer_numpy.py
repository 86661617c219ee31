"""A NumPy that has more than the installed one: imported first, this module adds to it, for the
interpreter that imports it.

As a plugin of pytest it shows which tests notice; run, it writes as JSON what each new name says of
a traced value.
"""

import ctypes
import gc
import json
import sys
import types

import numpy as np
import numpy.polynomial.polynomial as polynomial
from numpy._core import overrides

INTERCEPTED = """
@array_function_dispatch(lambda x: (x,), module="{module}")
def {name}(x):
    return asarray(x) + 0.0
"""
PLAIN = """
def {name}(x):
    return asarray(x) + 0.0
{name}.__module__ = "{module}"
"""
ADDED = [
    *((np, "wiggled", INTERCEPTED), (np.linalg, "gramian", INTERCEPTED)),
    (np.fft, "dct", INTERCEPTED),
    (polynomial, "polymirror", INTERCEPTED),
    *((np, "wobbled", PLAIN), (polynomial, "polytwist", PLAIN)),
]


def add_function(module, name, source):
    """A function as it would be if it stood in a file of NumPy's."""
    home = types.ModuleType("numpy.lib._newer")
    vars(home).update(asarray=np.asarray, array_function_dispatch=overrides.array_function_dispatch)
    exec(source.format(name=name, module=module.__name__), vars(home))
    setattr(module, name, getattr(home, name))
    module.__all__ = [*module.__all__, name]


def add_attributes():
    """A method and an attribute of arrays, whose class is closed: Python's own way to them is
    around that.
    """
    code = compile("def mirrored(self):\n    return self[::-1]", "numpy", "exec")
    exec(code, namespace := {"__name__": "numpy"})
    method = namespace["mirrored"]
    method.__qualname__ = "ndarray.mirrored"
    (attributes,) = gc.get_referents(vars(np.ndarray))
    attributes |= {"mirrored": method, "roughness": property(lambda self: 0.0)}
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(np.ndarray))


for _added in ADDED:
    add_function(*_added)
add_attributes()

if __name__ == "__main__":
    import chainrules_tape.numpy as tnp
    from chainrules_tape import grad, jvp

    X = np.ones(2)
    CALLS = {
        "numpy.wiggled": lambda x: np.wiggled(x),
        "numpy.wiggled of a list": lambda x: np.wiggled([x, x]),
        "numpy.linalg.gramian": lambda x: np.linalg.gramian(x),
        "numpy.fft.dct": lambda x: np.fft.dct(x),
        "numpy.polynomial.polynomial.polymirror": lambda x: polynomial.polymirror(x),
        "numpy.wobbled": lambda x: np.wobbled(x),
        "numpy.wobbled of a list": lambda x: np.wobbled([x, x]),
        "numpy.polynomial.polynomial.polytwist": lambda x: polynomial.polytwist(x),
        "numpy.wobbled by chainrules_tape.numpy": lambda x: tnp.wobbled(x),
        "numpy.ndarray.mirrored": lambda x: x.mirrored(),
        "x.roughness": lambda x: x.roughness,
    }
    MODES = {
        "reverse": lambda f: grad(lambda x: np.sum(f(x)))(X),
        "forward": lambda f: jvp(f, (X,), (X,)),
    }
    said = {}
    for mode, take in MODES.items():
        for name, call in CALLS.items():
            try:
                said[f"{name}, {mode}"] = ["nothing", repr(take(call))]
            except Exception as error:
                said[f"{name}, {mode}"] = [type(error).__name__, str(error)]
    json.dump(said, sys.stdout)
