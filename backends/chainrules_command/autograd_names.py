"""The modules of the package `autograd`, the place of each here, and what to write in place of names that
are not here.

`docs/migrating_from_autograd.md` says it for people, with examples.
"""

from importlib import import_module

# Modules of autograd, and their places here.
MODULES = {
    "autograd": "chainrules_tape.autograd",
    "autograd.builtins": "chainrules_tape.autograd.builtins",
    "autograd.core": "chainrules_tape.autograd.core",
    "autograd.differential_operators": "chainrules_tape.autograd.differential_operators",
    "autograd.extend": "chainrules_tape.autograd.extend",
    "autograd.misc": "chainrules_tape.autograd.misc",
    "autograd.misc.fixed_points": "chainrules_tape.autograd.misc.fixed_points",
    "autograd.misc.flatten": "chainrules_tape.autograd.misc.flatten",
    "autograd.misc.optimizers": "chainrules_tape.autograd.misc.optimizers",
    "autograd.misc.tracers": "chainrules_tape.autograd.misc.tracers",
    "autograd.numpy": "chainrules_tape.autograd.numpy",
    "autograd.numpy.fft": "chainrules_tape.numpy.fft",
    "autograd.numpy.linalg": "chainrules_tape.numpy.linalg",
    "autograd.numpy.numpy_boxes": "chainrules_tape.autograd.boxes",
    "autograd.numpy.numpy_vjps": "chainrules_tape.autograd.extend",
    "autograd.numpy.numpy_vspaces": "chainrules_tape.autograd.spaces",
    "autograd.numpy.random": "chainrules_tape.numpy.random",
    "autograd.scipy": "chainrules_tape.autograd.scipy",
    "autograd.scipy.integrate": "chainrules_tape.scipy.integrate",
    "autograd.scipy.linalg": "chainrules_tape.scipy.linalg",
    "autograd.scipy.signal": "chainrules_tape.autograd.scipy.signal",
    "autograd.scipy.special": "chainrules_tape.scipy.special",
    "autograd.scipy.stats": "chainrules_tape.scipy.stats",
    "autograd.test_util": "chainrules_tape.autograd.test_util",
    "autograd.tracer": "chainrules_tape.autograd.tracer",
    "autograd.wrap_util": "chainrules_tape.autograd.wrap_util",
}

NODES = "write vjp(f, x) of chainrules_tape: a program sees no nodes"
INSTEAD = {
    "ArrayBox": "write isinstance(x, ArrayBox), with ArrayBox of chainrules_tape.autograd.boxes",
    "JVPNode": NODES,
    "Node": NODES,
    "SparseObject": "return the dense cotangent, or a SparseTangent of chainrules_py",
    "VJPNode": NODES,
    "autograd": "name chainrules-py with its extra tape, where it is a requirement",
    "backward_pass": NODES,
    "full_graph": "write show(f, x) of chainrules_tape",
    "new_box": NODES,
    "sparse_add": "return the dense cotangent",
    "trace": NODES,
}
OTHERWISE = "docs/migrating_from_autograd.md has what takes its place"


def place_of(module: str, name: str) -> str | None:
    """The place here of a module of autograd's that has a name here, too; None where there is none.

    >>> place_of("autograd.core", "getval"), place_of("autograd.core", "VJPNode")
    ('chainrules_tape.autograd.core', None)
    """
    place = MODULES.get(module)
    if place is None or name.startswith("__"):
        return None
    return place if hasattr(import_module(place), name) else None


def instead_of(name: str) -> str:
    """Say what to write in place of a name that is not here."""
    return INSTEAD.get(name.rpartition(".")[2], OTHERWISE)
