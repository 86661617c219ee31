"""The names and conventions of the package autograd on this engine: ``from chainrules_tape.autograd
import grad`` in the place of ``from autograd import grad``.

It is for programs that were written for autograd, which `chainrules migrate` changes to it. What is
autograd's here: `argnum`, results of shape (1,), integer arrays as arguments, complex gradients
(dL/dx - i dL/dy), rules in the form of `defvjp`. New programs take the names of `chainrules_tape`.

    differential_operators    grad, jacobian, make_vjp and their like
    extend                    primitive, defvjp, defjvp, vspace, unbroadcast_f
    boxes                     what traced values are told by: ArrayBox, isbox, getval
    builtins                  tuple, list, dict: Python's own
    core, tracer, wrap_util   parts of autograd that packages import from
    common_rules              the rules that are imported with this package
    misc                      flatten, fixed_point, optimizers, const_graph
    test_util                 check_grads
    numpy                     NumPy, without buffers for writes
    scipy                     SciPy: `chainrules_tape.scipy`, with autograd's `convolve`

>>> elementwise_grad(lambda x: x**3)(np.array([1.0, 2.0]))
array([ 3., 12.])
>>> make_vjp(lambda x, y: x * y, 1)(2.0, 5.0)[0](1.0)
2.0
"""

from importlib import import_module
from typing import Any

# for its effect: it imports rules
from chainrules_tape.autograd import (
    common_rules as common_rules,
    differential_operators,
    numpy as numpy,
    scipy as scipy,
)
from chainrules_tape.autograd.builtins import (
    dict as dict,
    isinstance as isinstance,
    list as list,
    tuple as tuple,
    type as type,
)
from chainrules_tape.autograd.differential_operators import (
    checkpoint as checkpoint,
    deriv as deriv,
    elementwise_grad as elementwise_grad,
    grad as grad,
    grad_and_aux as grad_and_aux,
    grad_named as grad_named,
    hessian as hessian,
    holomorphic_grad as holomorphic_grad,
    jacobian as jacobian,
    make_ggnvp as make_ggnvp,
    make_hvp as make_hvp,
    make_jvp as make_jvp,
    make_vjp as make_vjp,
    multigrad_dict as multigrad_dict,
    value_and_grad as value_and_grad,
)
from chainrules_tape.autograd.extend import primitive as primitive

hessian_tensor_product = differential_operators.hessian_tensor_product
hessian_vector_product = differential_operators.hessian_tensor_product
tensor_jacobian_product = differential_operators.tensor_jacobian_product
vector_jacobian_product = differential_operators.tensor_jacobian_product

MODULES = frozenset({"builtins", "core", "misc", "test_util", "tracer"})


def __getattr__(name: str) -> Any:
    if name in MODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
