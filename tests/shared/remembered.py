"""What a process remembers of a scope: derivatives of many functions after each of them was
differentiated in a scope first, for comparison with those of a process that had none.

``python remembered.py FILE [PACKAGE ...]`` reads pickled calls, differentiates all of them while
these packages are seen through, and then all of them again outside, and prints what came out. No
rule has been imported before.
"""

import importlib
import json
import pickle
import sys
import warnings
from contextlib import nullcontext
from pathlib import Path

import numpy as np

from chainrules_foreign_code.report import weighted_sum
from chainrules_py.values.identity import qualified_name
from chainrules_tape import grad, seen_through
from chainrules_tape.numpy.namespaces import interceptable


def public_place(primal):
    """The module and the name by which people call a function; None where there is none."""
    module, dot, name = qualified_name(primal).rpartition(".")
    public = module.partition("._")[0]
    public = "numpy" if public.startswith("numpy.lib") else public
    if not dot or public.partition(".")[0] not in ("numpy", "scipy"):
        return None
    found = getattr(sys.modules.get(public), name, None)  # `numpy.maximum` is no module
    return (public, name) if found is primal else None


def call_of(case):
    """A sample as data: where its function is, its arguments, and those that are differentiated.

    None of what cannot be pickled.
    """
    place, sample = public_place(case.primal), case.sample
    chosen = [
        position
        for position, arg in enumerate(sample.args)
        if position not in sample.fixed and is_real(arg)
    ]
    if place is None or not chosen:
        return None
    call = (place, sample.args, dict(sample.options), chosen)
    try:
        pickle.dumps(call)
    except Exception:
        return None
    return call


def is_real(arg):
    return isinstance(arg, float | np.ndarray) and np.asarray(arg).dtype == float


def function_of(call):
    """The function of a call as NumPy's and SciPy's modules hold it just now."""
    (module, name), *_ = call
    return getattr(importlib.import_module(module), name)


def gradient(call, function):
    """The gradient of a weighted sum of what a function returns for the arguments of a call."""
    _, args, options, chosen = call

    def summed(*values):
        given = dict(zip(chosen, values, strict=True))
        return weighted_sum(function(*(given.get(i, arg) for i, arg in enumerate(args)), **options))

    return grad(summed, argnums=tuple(range(len(chosen))))(*(args[i] for i in chosen))


def slopes(call, *, inside):
    """The gradient of a call as numbers, or the class of the error."""
    theirs = function_of(call)
    f = theirs if inside or isinstance(theirs, np.ufunc) else interceptable(theirs)
    try:
        bars = gradient(call, f)
    except Exception as error:
        return type(error).__name__
    return [float(entry) for bar in bars for entry in np.ravel(bar)]


def main(file, *packages):
    """Print a line of JSON."""
    warnings.simplefilter("ignore")
    calls = pickle.loads(Path(file).read_bytes())
    for module in dict.fromkeys(place[0] for place, *_ in calls):
        importlib.import_module(module)
    with seen_through(*packages) if packages else nullcontext():
        inside = [slopes(call, inside=True) for call in calls] if packages else []
    outside = [slopes(call, inside=False) for call in calls]
    print(json.dumps({"inside": inside, "outside": outside}))


if __name__ == "__main__":
    main(*sys.argv[1:])
