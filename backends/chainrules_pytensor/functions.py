"""`to_pytensor`: functions with rules, and programs of NumPy's, as functions of PyTensor's
variables.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from pytensor.graph.basic import Variable
from pytensor.scalar.basic import ScalarType
from pytensor.tensor import as_tensor_variable
from pytensor.tensor.type import TensorType

from chainrules_py import RuleTable, default_rules
from chainrules_py.engines import FlatCall, frozen_once, in_force, qualified_name, with_rules
from chainrules_pytensor.errors import PytensorError
from chainrules_pytensor.operations import NumpyCall, NumpyOperation
from chainrules_pytensor.results import TypesOf, declared_result, found_result


def to_pytensor(
    primal: Callable[..., Any], *, outputs: Any = None, rules: RuleTable = default_rules
) -> "PytensorFunction":
    """Make a function of PyTensor's variables of a function with rules, or of any NumPy program.

    A program without rules is differentiated by chainrules_tape. Variables may stand anywhere in
    tuples, lists and dicts, and in options; NumPy's arrays and numbers are constants. `outputs` is
    what the function returns, with a type of PyTensor's in the place of each array; without it, the
    function is called once with made-up numbers to find out.

    >>> import pytensor, pytensor.tensor as pt
    >>> x = pt.dvector("x")
    >>> slope = pytensor.grad(to_pytensor(np.tanh)(x).sum(), x)
    >>> slope.eval({x: np.array([0.0, 1.0])}, mode="FAST_COMPILE").round(4)
    array([1.  , 0.42])
    """
    return PytensorFunction(primal, outputs, rules)


class PytensorFunction:
    """A function of PyTensor's variables, whose derivatives are those of the primal."""

    def __init__(self, primal: Callable[..., Any], outputs, rules: RuleTable) -> None:
        self.primal, self.outputs, self.rules = primal, outputs, rules
        self.__name__ = self.__qualname__ = getattr(primal, "__name__", type(primal).__name__)

    def __repr__(self) -> str:
        return f"to_pytensor({qualified_name(self.primal)})"

    def __call__(self, *args, **options) -> Any:
        """Return the value: what the function returns, with variables for arrays and numbers."""
        rules = in_force(self.rules)
        operation, given, named = with_rules(self.primal, args, options, rules)
        given, named = frozen_once(given), frozen_once(named)  # they run later
        flat, leaves = FlatCall.of(operation, given, named, is_leaf, rules)
        call, inputs = NumpyCall(flat), list(map(self.variable, leaves))

        if self.outputs is None:
            result = found_result(call, inputs)
            types = TypesOf(tuple(result.leaves), tuple(x.type for x in inputs))
        else:
            result = declared_result(self.outputs)
            types = TypesOf(tuple(result.leaves))
        return result.with_leaves(NumpyOperation(call, types)(*inputs, return_list=True))

    def variable(self, leaf) -> Any:
        """A leaf of a call as a variable of PyTensor's; arrays and numbers are constants, in copies."""
        if not isinstance(leaf, Variable):
            return as_tensor_variable(np.array(leaf))
        if not isinstance(leaf.type, TensorType | ScalarType):
            got = f"it was given a variable of the type {leaf.type}"
            instead = (
                "pass tensors: a sparse matrix by its data, or by pytensor.sparse's dense form"
            )
            raise PytensorError(repr(self), got, instead, primal=self.primal)
        return as_tensor_variable(leaf)


def is_leaf(x) -> bool:
    """Whether a part of the arguments is an input of the operation."""
    if isinstance(x, np.ndarray | np.generic):
        return x.dtype.kind in "biufc"
    return isinstance(x, Variable)
