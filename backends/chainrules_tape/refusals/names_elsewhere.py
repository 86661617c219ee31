"""Names of JAX, PyTorch and others, each with what to write here: for errors of whoever types one.

`chainrules_tape` answers to its own names alone. Where a program asks it, or a traced value, for one
of another library's, the error says ours. The pages for those who come from there have them all.
"""

import sys
from typing import Any

import numpy as np

from chainrules_py.values.shipped import CONVERTED

PACKAGE = "chainrules_tape"

# Of functions and modules: what to write, in names of `chainrules_tape` where nothing else is said.
FUNCTIONS = {
    # JAX
    "jit": "compiled(f)",
    "jacfwd": 'jacobian(f, mode="forward")',
    "jacrev": 'jacobian(f, mode="reverse")',
    "remat": "checkpoint(f)",
    "custom_vjp": "primitive(f), and its rule by chainrules_py.rrule.register(f)",
    "custom_jvp": "primitive(f), and its rule by chainrules_py.frule.register(f)",
    "custom_gradient": "primitive(f), and its rule by chainrules_py.rrule.register(f)",
    "make_jaxpr": "show(f, x)",
    "ravel_pytree": "as_vector(tree)",
    "tree_map": "optree.tree_map(f, tree)",
    "tree": "optree.tree_map(f, tree)",
    "tree_util": "optree.tree_map(f, tree)",
    "register_pytree_node": "container(cls), or a dataclass",
    "check_grads": "assert_derivatives(f, x)",
    "random": "numpy.random.default_rng(seed), outside of what is differentiated",
    **dict.fromkeys(
        ("lax", "scan", "cond", "switch", "map", "fori_loop", "while_loop"),
        "loops and conditions of Python's; compiled(f) finds loops",
    ),
    **dict.fromkeys(
        ("pure_callback", "io_callback"), "primitive(f), and its rule, or the call itself"
    ),
    "eval_shape": "f(x).shape: programs run as they are",
    "linear_transpose": "vjp(f, x)",
    "custom_root": "chainrules_py.implicit_function(residual=...)",
    "custom_linear_solve": "numpy.linalg.solve, or chainrules_py.implicit_function(residual=...)",
    "debug_nans": 'numpy.errstate(invalid="raise"), around the call',
    "pmap": "vmap(f)",
    "device_put": "arrays of CuPy or JAX as arguments",
    "block_until_ready": "nothing: results are there when a call returns",
    # PyTorch
    "compile": "compiled(f)",
    "detach": "stop_gradient(x)",
    "no_grad": "stop_gradient(f(x)), or f(x) outside of grad, which records nothing",
    "inference_mode": "f(x) outside of grad, which records nothing",
    "enable_grad": "grad(f)(x)",
    "set_grad_enabled": "grad(f)(x) for a gradient, f(x) for none",
    "set_detect_anomaly": "chainrules_py.debug_mode()",
    "detect_anomaly": "chainrules_py.debug_mode()",
    "from_numpy": "the array as it is",
    "manual_seed": "numpy.random.default_rng(seed), outside of what is differentiated",
    "Variable": "numpy.array(x)",
    "backward": "grad(f)(x)",
    "tensor": "numpy.array(x)",
    "Tensor": "numpy.ndarray",
    "Function": "primitive(f), and its rule by chainrules_py.rrule.register(f)",
    "gradcheck": "assert_derivatives(f, x)",
    "gradgradcheck": "assert_derivatives(grad(f), x)",
    "func": "grad(f), vmap(f), jvp(f, args, tangents), vjp(f, x)",
    "functional": "jacobian(f), hessian(f), hvp(f, x, x_dot)",
    "functional_call": "f(params, x), a function of its parameters",
    "vhp": "hvp(f, x, x_dot)",
    "optim": "chainrules_tape.optimizers.adam(gradient, x)",
    "nn": "functions of numpy",
    # adapters of other engines
    **{
        f"{way}_{engine}": f"from chainrules_{engine} import {way}_{engine}"
        for way in ("to", "from")
        for engine in CONVERTED
    },
    # others
    "GradientTape": "grad(f)(x)",
    "gradient": "grad(f)(x)",
    "withgradient": "value_and_grad(f)(x)",
    "pullback": "vjp(f, x)",
    "pushforward": "jvp(f, (x,), (x_dot,))",
    "derivative": "grad(f)(x)",
    **{
        name: f"chainrules_tape.autograd.{name}(f)"
        for name in (
            *("elementwise_grad", "holomorphic_grad", "multigrad_dict", "make_hvp", "make_ggnvp"),
            *("hessian_vector_product", "hessian_tensor_product", "tensor_jacobian_product"),
        )
    },
    "defvjp": "chainrules_tape.autograd.extend.defvjp(f, pullback)",
    "defjvp": "chainrules_tape.autograd.extend.defjvp(f, tangent)",
    "make_vjp": "vjp(f, x), or chainrules_tape.autograd.make_vjp(f)",
    "make_jvp": "jvp(f, (x,), (x_dot,)), or chainrules_tape.autograd.make_jvp(f)",
    "grad_and_aux": "grad(f, has_aux=True)",
}

# Of attributes of arrays.
ATTRIBUTES = {
    "detach": "chainrules_tape.stop_gradient(x)",
    "numpy": "x; chainrules_tape.stop_gradient(x), if a constant is meant",
    "cpu": "x",
    "cuda": "x, and pass arrays of CuPy to the derivative",
    "to": "x.astype(dtype), and pass arrays of the device to the derivative",
    "backward": "chainrules_tape.grad(f)(x), around the function",
    "grad": "chainrules_tape.grad(f)(x), around the function",
    "requires_grad": "chainrules_tape.grad(f, argnums), which says what is differentiated",
    "requires_grad_": "chainrules_tape.grad(f, argnums), which says what is differentiated",
    "clone": "numpy.copy(x)",
    "unsqueeze": "numpy.expand_dims(x, axis)",
    "permute": "numpy.transpose(x, axes)",
    "expand": "numpy.broadcast_to(x, shape)",
    "double": "x.astype(float)",
    "float": "x.astype(numpy.float32)",
    "type": "x.dtype, or x.astype(dtype)",
    "t": "x.T",
    "mm": "x @ y",
    "dim": "x.ndim",
    "numel": "x.size",
    "nelement": "x.size",
    "norm": "numpy.linalg.norm(x)",
    "masked_fill": "numpy.where(mask, value, x)",
    "index_select": "numpy.take(x, indices, axis)",
    "gather": "numpy.take_along_axis(x, indices, axis)",
    "scatter_": "numpy.put_along_axis(x, indices, values, axis)",
    "topk": "numpy.sort(x)[-k:]",
    "relu": "numpy.maximum(x, 0)",
    "sigmoid": "scipy.special.expit(x)",
    "softmax": "chainrules_tape.scipy.special.softmax(x)",
    "contiguous": "x",
    "at": "x = x.copy(), and then x[index] = v, or x[index] += v",
    "block_until_ready": "x",
}


def instead_of_name(name: str) -> str:
    """Say what to write in the place of a name of another library; nothing of other names.

    >>> instead_of_name("jacfwd")
    '; write jacobian(f, mode="forward")'
    >>> instead_of_name("jacobean")
    ''
    """
    return f"; write {FUNCTIONS[name]}" if name in FUNCTIONS else ""


def instead_of_attribute(error: AttributeError) -> str | None:
    """Say what to write in the place of an attribute of arrays of another library, or of one that
    NumPy has as a function.
    """
    name = str(error.name)
    if name in ATTRIBUTES:
        return f"x.{name} is another library's: write {ATTRIBUTES[name]}"
    if callable(getattr(np, name, None)):
        return f"NumPy has this as a function: write numpy.{name}(x)"
    return None


class NamesElsewhere:
    """The last finder of modules, which finds none.

    ``from chainrules_tape import jit`` asks for a module of that name when the package has nothing
    of it, and only then can an error say more than that.
    """

    @staticmethod
    def find_spec(fullname: str, path: Any = None, target: Any = None) -> None:
        """Raise where another library's name is asked of the package."""
        package, _, name = fullname.rpartition(".")
        if package == PACKAGE and name in FUNCTIONS:
            text = f"cannot import name {name!r} from {PACKAGE!r}{instead_of_name(name)}"
            raise ImportError(text, name=PACKAGE)


def tell_importers() -> None:
    """Have imports of other libraries' names say ours."""
    sys.meta_path.append(NamesElsewhere)
