"""`from_pytensor`: graphs of PyTensor's as primitives with both rules, in programs of NumPy's arrays.

A graph is built and compiled once for each kind of arguments: their dtypes, their numbers of
dimensions, and which lengths are one, since PyTensor broadcasts along these only.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pytensor
from pytensor.gradient import grad
from pytensor.graph.basic import Variable
from pytensor.graph.replace import clone_replace
from pytensor.tensor import as_tensor_variable
from pytensor.tensor.type import TensorType

from chainrules_py import NO_TANGENT, RuleTable, default_rules
from chainrules_py.engines import FlatValue, ForeignFunction, foreign_primitive, qualified_name
from chainrules_pytensor.errors import PytensorError
from chainrules_pytensor.operations import is_floating

Build = Callable[..., Any]
NUMBERS = (bool, int, float, complex)


def from_pytensor(
    inputs: Build | Sequence[Variable[Any, Any]],
    outputs: Any = None,
    *,
    mode: Any = None,
    rules: RuleTable = default_rules,
) -> Callable[..., Any]:
    """A primitive on NumPy's arrays from the inputs and outputs of a graph, or from a function of
    tensor variables.

    Arguments and outputs may stand in tuples, lists and dicts. The graph is compiled when it is
    first needed, and so are its derivatives; `mode` is PyTensor's. Make it once: its rules are
    registered with it.

    >>> import pytensor.tensor as pt
    >>> from chainrules_tape import grad
    >>> norm = from_pytensor(lambda x: pt.sqrt(pt.sum(x**2)), mode="FAST_COMPILE")
    >>> grad(norm)(np.array([3.0, 4.0]))
    array([0.6, 0.8])
    """
    if not callable(inputs):
        build, name = graph_as_function(list(inputs), outputs), "from_pytensor(graph)"
        return foreign_primitive(PytensorGraph(build, name, mode), rules)
    if outputs is not None:
        raise PytensorError(
            f"from_pytensor({qualified_name(inputs)})",
            "it was given a function, and outputs of a graph",
            "write from_pytensor(f), or from_pytensor(inputs, outputs)",
            primal=inputs,
        )
    name = f"from_pytensor({qualified_name(inputs)})"
    return foreign_primitive(PytensorGraph(inputs, name, mode), rules)


def graph_as_function(inputs: list[Variable[Any, Any]], outputs) -> Build:
    """A graph as a function of other variables, which take the place of its inputs."""
    found = FlatValue.of(outputs, is_variable)

    def graph(*args):
        if len(args) != len(inputs):
            raise PytensorError(
                "from_pytensor(graph)",
                f"it was called with {len(args)} arguments, and the graph has {len(inputs)} inputs",
                "pass one argument for each input",
                primal=outputs,
            )
        pairs = zip(inputs, args, strict=True)
        replacements = [(x, x.type.filter_variable(in_dtype_of(x, arg))) for x, arg in pairs]
        return found.with_leaves(clone_replace(found.leaves, replacements))

    return graph


def in_dtype_of(x, arg) -> Any:
    """An argument in the dtype of the variable whose place it takes."""
    variable = as_tensor_variable(arg)
    return variable if variable.dtype == x.dtype else variable.astype(x.dtype)


class PytensorGraph(ForeignFunction):
    """A function of PyTensor's variables, which builds a graph that PyTensor differentiates."""

    # PyTensor's compiled functions return arrays of their own, and the pullback is a graph anew
    keeps_arguments = True

    def __init__(self, function: Build, name: str, how: Any = None) -> None:
        super().__init__(function, name, how)
        self.compiled: dict[Any, tuple[Any, FlatValue]] = {}

    @cached_property
    def _pullback(self) -> ForeignFunction:
        return self.pullback()

    @cached_property
    def _pushforward(self) -> ForeignFunction:
        return self.pushforward()

    def evaluate(self, *args) -> Any:
        """Return the value."""
        flat = FlatValue.of(args, becomes_variable)
        leaves = list(map(np.asarray, flat.leaves))
        key = (str(flat.tree), tuple(map(type_of, leaves)))
        if key not in self.compiled:
            self.compiled[key] = self._compile(flat, key[1])
        function, result = self.compiled[key]
        return result.with_leaves([np.asarray(y)[()] for y in function(*leaves)])

    def vjp(self, *args) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
        """Return the value and the pullback, which computes what it needs of the value again."""

        def pull(y_bar):
            return self._pullback.evaluate(y_bar, *args)

        return self.evaluate(*args), pull

    def jvp(self, args: tuple[Any, ...], dots: tuple[Any, ...]) -> tuple[Any, Any]:
        """Return the value and its tangent."""
        return self.evaluate(*args), self._pushforward.evaluate(dots, *args)

    def pulled(self, y_bar, *args: Any) -> Any:
        """Return the cotangents of the arguments, as variables."""
        flat = FlatValue.of(args, is_variable)
        y = FlatValue.of(self.function(*args), is_variable).leaves
        return flat.with_leaves(pulled_variables(y, flat.leaves, bars_of(y_bar, y)))

    def pushed(self, dots: tuple[Any, ...], *args: Any) -> Any:
        """Return the tangent of the value, as variables."""
        xs = FlatValue.of(args, is_variable).leaves
        y = FlatValue.of(self.function(*args), is_variable)
        return y.with_leaves(pushed_variables(y.leaves, xs, bars_of(dots, xs)))

    def _compile(self, flat: FlatValue, types: tuple[TensorType, ...]) -> tuple[Any, FlatValue]:
        variables = [own() for own in types]
        value = FlatValue.of(self.function(*flat.with_leaves(variables)), is_variable)
        function = pytensor.function(
            variables, value.leaves, mode=self.how, on_unused_input="ignore"
        )
        return function, value


def pulled_variables(ys: list[Any], xs: list[Any], bars: list[Any]) -> list[Any]:
    """The cotangents of variables, NO_TANGENT of integers."""
    found = iter(gradients(ys, bars, list(filter(is_floating, xs))))
    return [in_dtype_of(x, next(found)) if is_floating(x) else NO_TANGENT for x in xs]


def pushed_variables(ys: list[Any], xs: list[Any], dots: list[Any]) -> list[Any]:
    """The tangents of variables, by two pullbacks: a pullback is linear, and has a pullback."""
    seeds = [y.type() for y in ys]
    bars = pulled_variables(ys, xs, seeds)
    places = [k for k, x in enumerate(xs) if is_floating(x)]
    chosen = [seed for seed in seeds if is_floating(seed)]
    found = gradients([bars[k] for k in places], [dots[k] for k in places], chosen)
    # a linear function has the same pullback everywhere, and may be written with its argument
    zeros = [(seed, y.zeros_like()) for seed, y in zip(seeds, ys, strict=True)]
    tangents = iter(clone_replace(found, zeros, rebuild_strict=False))
    return [in_dtype_of(y, next(tangents)) if is_floating(y) else NO_TANGENT for y in ys]


def gradients(ys: list[Any], bars: list[Any], xs: list[Any]) -> list[Any]:
    """The cotangents of variables from those of others; zeros where nothing depends on one.

    One of the others may be computed from another one, which PyTensor's `known_grads` forbids.
    """
    pairs = [(y, bar) for y, bar in zip(ys, bars, strict=True) if is_floating(y)]
    if not pairs or not xs:
        return [x.zeros_like() for x in xs]
    terms = [(y * bar).sum() for y, bar in pairs]
    found: list[Any] = grad(sum(terms[1:], start=terms[0]), xs, disconnected_inputs="ignore")
    return found


def bars_of(t, xs: list[Any]) -> list[Any]:
    """The tangents of variables, one for each, in their dtypes; None of integers."""
    leaves = FlatValue.of(t, lambda part: part is not None).leaves
    pairs = zip(leaves, xs, strict=True)
    return [in_dtype_of(x, leaf) if is_floating(x) else None for leaf, x in pairs]


def type_of(x: np.ndarray) -> TensorType:
    """The type of arrays of this kind: only lengths of one are known."""
    return TensorType(str(x.dtype), shape=tuple(1 if n == 1 else None for n in x.shape))


def becomes_variable(x) -> bool:
    """Whether a part of the arguments becomes a variable: an array of numbers, or a number."""
    if isinstance(x, np.ndarray | np.generic):
        return x.dtype.kind in "biufc"
    return isinstance(x, NUMBERS)


def is_variable(x) -> bool:
    """Whether a part of a value is a variable of PyTensor's."""
    return isinstance(x, Variable)
