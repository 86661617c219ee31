"""The names of the package `autograd`, and what each is here: those that are the same, modules that have
another place, and what to write in place of the others.

`docs/migrating_from_autograd.md` says it for people, with examples.
"""

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

# Of these, the ones that are not reached as autograd has them, after `from chainrules_tape import
# autograd`.
INNER = {name: place for name, place in MODULES.items() if name.startswith("autograd.numpy.numpy_")}

CONTAINERS = {"dict", "isinstance", "list", "tuple", "type"}
OPERATORS = {
    "checkpoint",
    "deriv",
    "elementwise_grad",
    "grad",
    "grad_and_aux",
    "grad_named",
    "hessian",
    "hessian_tensor_product",
    "hessian_vector_product",
    "holomorphic_grad",
    "jacobian",
    "make_ggnvp",
    "make_hvp",
    "make_jvp",
    "make_vjp",
    "multigrad_dict",
    "tensor_jacobian_product",
    "value_and_grad",
    "vector_jacobian_product",
}
RULES = {
    "VSpace",
    "def_linear",
    "defjvp",
    "defjvp_argnum",
    "defjvp_argnums",
    "defvjp",
    "defvjp_argnum",
    "defvjp_argnums",
    "primitive",
    "vspace",
}

# What these modules have here; of all others, all names are NumPy's and SciPy's.
NAMES = {
    "autograd": frozenset({*CONTAINERS, *OPERATORS, "primitive"}),
    "autograd.builtins": frozenset({*CONTAINERS, "DictBox", "SequenceBox", "dict_", "list_"}),
    "autograd.core": frozenset({*RULES, "Box", "getval", "isbox", "make_jvp", "make_vjp"}),
    "autograd.differential_operators": frozenset(
        {*OPERATORS, "_make_jvp", "_make_vjp", "make_jvp_reversemode", "unary_to_nary", "vspace"}
    ),
    "autograd.extend": frozenset({*RULES, "Box", "notrace_primitive", "register_notrace"}),
    "autograd.misc": frozenset({"const_graph", "flatten"}),
    "autograd.misc.fixed_points": frozenset({"fixed_point"}),
    "autograd.misc.flatten": frozenset({"flatten", "flatten_func"}),
    "autograd.misc.optimizers": frozenset({"adam", "rmsprop", "sgd", "unflatten_optimizer"}),
    "autograd.misc.tracers": frozenset({"const_graph"}),
    "autograd.numpy.numpy_boxes": frozenset({"ArrayBox", "Box", "SequenceBox"}),
    "autograd.numpy.numpy_vjps": frozenset({"unbroadcast", "unbroadcast_f"}),
    "autograd.numpy.numpy_vspaces": frozenset({"VSpace"}),
    "autograd.test_util": frozenset(
        {"check_equivalent", "check_grads", "check_jvp", "check_vjp", "combo_check", "scalar_close"}
    ),
    "autograd.tracer": frozenset(
        {"Box", "getval", "isbox", "notrace_primitive", "primitive", "register_notrace"}
    ),
    "autograd.wrap_util": frozenset({"unary_to_nary", "wraps"}),
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


def module_here(name: str) -> str | None:
    """The place of a module of autograd's here; None where there is none.

    >>> module_here("autograd.numpy.linalg"), module_here("autograd.util")
    ('chainrules_tape.numpy.linalg', None)
    """
    return MODULES.get(name)


def instead_of(name: str) -> str:
    """Say what to write in place of a name that is not here."""
    return INSTEAD.get(name.rpartition(".")[2], OTHERWISE)
