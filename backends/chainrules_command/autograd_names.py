"""The names of the package `autograd`, and what each is here: those that are the same, modules that have
another place, and what to write in place of the others.

`docs/migrating_from_autograd.md` says it for people, with examples.
"""

# Of `autograd` itself, by the same name and with the same arguments but `argnum`.
SAME = frozenset({"checkpoint", "grad", "hessian", "jacobian", "value_and_grad"})
TAKE_ARGNUM = frozenset({"grad", "hessian", "jacobian", "value_and_grad"})

# Modules, with all that is in them; a longer name comes before its beginning.
MODULES = {
    "autograd.numpy.fft": "chainrules_tape.numpy.fft",
    "autograd.numpy.linalg": "chainrules_tape.numpy.linalg",
    "autograd.numpy.random": "chainrules_tape.numpy.random",
    "autograd.numpy": "chainrules_tape.numpy",
    "autograd.scipy.integrate": "chainrules_tape.scipy.integrate",
    "autograd.scipy.linalg": "chainrules_tape.scipy.linalg",
    "autograd.scipy.signal": "chainrules_tape.scipy.signal",
    "autograd.scipy.special": "chainrules_tape.scipy.special",
    "autograd.scipy.stats": "chainrules_tape.scipy.stats",
    "autograd.scipy": "chainrules_tape.scipy",
}

BOXES = "isinstance(x, numpy.ndarray) is true of traced arrays"
INSTEAD = {
    "ArrayBox": BOXES,
    "Box": BOXES,
    "DictBox": "a dict of traced values is a dict",
    "SequenceBox": "a list or tuple of traced values is one",
    "VSpace": BOXES,
    "autograd": "name chainrules-py, where it is a requirement",
    "adam": "it is plain NumPy, and may be copied",
    "check_grads": "write chainrules_py.testing.check_rule(f, x) for a rule",
    "def_linear": "write the rule by @rrule.register(f) of chainrules_py, or linear_rule",
    "defjvp": "the reverse rule serves both modes; or write @frule.register(f) of chainrules_py",
    "defvjp": "write scalar_rule(f, ...) or @rrule.register(f) of chainrules_py",
    "deriv": "write jvp(f, (x,), (np.ones_like(x),))[1]",
    "elementwise_grad": "write grad(lambda x: np.sum(f(x)))(x)",
    "fixed_point": "write implicit_function(solver, residual) of chainrules_py",
    "flatten": "write tree_ravel(tree) of optree.integrations.numpy",
    "getval": "write stop_gradient(x) of chainrules_tape",
    "grad_and_aux": "write grad(f, has_aux=True)",
    "grad_named": "write grad(f, argnums=name)",
    "hessian_vector_product": "write hvp(f, x, v) of chainrules_tape",
    "holomorphic_grad": "write jacobian(f)(z)",
    "make_hvp": "write hvp(f, x, v) of chainrules_tape",
    "make_jvp": "write jvp(f, (x,), (v,)) of chainrules_tape",
    "make_jvp_reversemode": "write jvp(f, (x,), (v,)) of chainrules_tape",
    "make_vjp": "write vjp(f, x) of chainrules_tape, which gives (value, pullback)",
    "multigrad_dict": "pass a dict: its gradient is a dict",
    "primitive": "write primitive of chainrules_tape, and its rule by @rrule.register(f)",
    "sgd": "it is plain NumPy, and may be copied",
    "unbroadcast_f": "scalar_rule sums over broadcast axes by itself",
}
OTHERWISE = "docs/migrating_from_autograd.md has what takes its place"


def module_here(name: str) -> str | None:
    """The place of a module of autograd's here; None where there is none.

    >>> module_here("autograd.numpy.linalg"), module_here("autograd.numpy.numpy_boxes")
    ('chainrules_tape.numpy.linalg', None)
    """
    return MODULES.get(name)


def instead_of(name: str) -> str:
    """Say what to write in place of a name that is not here."""
    return INSTEAD.get(name.rpartition(".")[2], OTHERWISE)
