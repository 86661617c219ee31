"""Matrices of derivatives, made of columns (jvp) or rows (vjp).

The result for an output tree and an argument tree is the output's tree with the argument's tree at
each leaf, and there an array whose shape is the output leaf's followed by the argument leaf's.
Several arguments are a tuple of them: a Hessian in two has two rows of two blocks.

A complex entry z = x + iy has two real directions, and the matrix has one number for both:

    a real result of z              df/dx + i df/dy, as `grad` has it
    a complex result of a real x    df/dx
    a holomorphic f                 f'
    any other complex f of z        an error: two complex numbers would be needed

Integers have no derivative: `NO_TANGENT` stands where their block would be, beside blocks of other
parts of the result or the argument. A result of nothing else is refused.
"""

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any, ParamSpec

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.engines.compilers import entry_point
from chainrules_py.rules.rule import Mode, require_mode
from chainrules_py.strong_zeros.strictness import watching
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_py.tangents import NO_TANGENT, ZERO
from chainrules_py.values.arrays import library_of_types, numpy_library, shape_of
from chainrules_py.values.discovery import require_installed
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.structure import is_container
from chainrules_tape.arguments import (
    Arguments,
    chosen_arguments,
    own_constants,
    refuse_integers_in_lists,
    require_argnums,
    restricted_to,
)
from chainrules_tape.core.config import engine_of, new_tape
from chainrules_tape.core.duals import Pushforward, trace_forward
from chainrules_tape.core.plans import Engine
from chainrules_tape.core.tracebacks import without_own_frames
from chainrules_tape.core.tracing import Leaves, Trace, cotangents, trace
from chainrules_tape.core.trees import flatten, unshared
from chainrules_tape.core.values import is_differentiable
from chainrules_tape.derivatives import Derivative, named_as_function
from chainrules_tape.gradients import (
    grad,
    require_derivatives,
    require_pair,
    written_out,
)
from chainrules_tape.lanes.unit_vectors import images_of_units
from chainrules_tape.recomputation import require_same_values
from chainrules_tape.refusals.errors import InPlaceError, InputError, OutputError
from chainrules_tape.refusals.subclasses import refuse_other_arrays, without_class
from chainrules_tape.transforms import jvp
from chainrules_tape.units import reciprocal

P = ParamSpec("P")
MAX_BYTES = 2**28  # how much memory the results of one pass may take, unless a caller says it
# entries: so many tangents cost no more than a trace, which would tell how large the result is
FEW = 4
NUMBERS = (float, complex, np.number)  # a handle, too, says which class its value is of
TRACED: Any = "traced"  # a mode: the cheaper one, by a trace


def jacobian(
    function: Callable[P, Any],
    argnums: Arguments = 0,
    *,
    mode: Mode | None = None,
    has_aux: bool = False,
    sparse: Any = False,
    max_bytes: int = MAX_BYTES,
    rules: RuleTable = default_rules,
) -> Callable[P, Any]:
    """The function x -> all derivatives of f at x; in the cheaper mode, unless `mode` names one.

    `argnums` names arguments by position or by name; several of them give a tuple with a block for
    each. With `has_aux`, f returns (y, aux), and the result is (dy/dx, aux).

    With `sparse` it is one matrix of `scipy.sparse`, a row per entry of the result and a column per
    entry of the argument, from as many directions as its pattern has colours. True detects the
    pattern at the first call and whenever it no longer holds. A pattern from `sparsity` is used as
    it is, and raises a SparsityError where it does not hold. `mode` then chooses colours of columns
    or of rows, and `max_bytes` limits the directions that are taken at once.

    >>> jacobian(lambda x: np.cumsum(x * x))(np.array([1.0, 2.0]))
    array([[2., 0.],
           [2., 4.]])
    >>> jacobian(lambda x, c: c * x, argnums=(0, 1))(np.array([1.0, 2.0]), 3.0)
    (array([[3., 0.],
           [0., 3.]]), array([1., 2.]))
    """
    require_argnums("jacobian", function, argnums)
    if mode is not None:
        require_mode(mode, "jacobian")
    if sparse is not False:
        require_sparse(function, has_aux, "jacobian")
        from chainrules_sparse.matrices import sparse_jacobian  # SciPy is needed from here on

        return sparse_jacobian(function, argnums, mode, sparse, max_bytes, rules)
    made = Derivative(all_derivatives, function, argnums, mode, has_aux, max_bytes, rules)
    return named_as_function(made, function)


def traced_jacobian(function: Function) -> Function:
    """The Jacobian in the mode that a trace says is cheaper, also where there are few entries: that
    of a number has the bits of its gradient.
    """
    return Derivative(all_derivatives, function, 0, TRACED, False, MAX_BYTES, default_rules)


def require_sparse(function: Function, has_aux: bool, caller: str) -> None:
    """Raise where SciPy is missing, whose matrices are asked for, or they are beside an `aux`."""
    require_installed("scipy", "scipy", f"{caller}(f, sparse=...)", "chainrules_tape")
    if has_aux:
        name = qualified_name(function)
        got = "has_aux=True, and a sparse matrix"
        instead = "return the value alone, and call the function once more for aux"
        where = f"{caller}({name}, sparse=...)"
        raise InputError(where, got, instead, function=function, argument=None, value=has_aux)


@entry_point
@without_own_frames
def all_derivatives(
    function: Function,
    argnums: Arguments,
    mode: Mode | None,
    has_aux: bool,
    max_bytes: int,
    rules: RuleTable,
    /,
    *args,
    **options,
) -> Any:
    """Compute `jacobian` of a function; a function of the module, so that it pickles."""
    chosen, points = chosen_arguments(function, argnums, args, options)
    refuse_integers_in_lists(function, points, chosen)
    restricted = restricted_to(function, chosen, args, options, runs_often=True)
    if isinstance(argnums, int | str):
        of_one, x = restricted, points[0]
    else:
        of_one, x = lambda some: restricted(*some), points
    aux = Beside(function) if has_aux else None
    found = derivatives_in(of_one, x, mode, max_bytes, rules, function, aux)
    return found if aux is None else (found, aux.value)


class Beside:
    """What a function returned beside its value, in its last run."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.value: Any = None

    def taken_off(self, outputs: Leaves) -> Leaves:
        """Return the leaves of y, given those of a pair (y, aux)."""
        pair = outputs.rebuilt(unshared(outputs.values.copy()))
        y, self.value = require_pair("jacobian", self.function, pair)
        leaves, rebuilt = flatten(y)
        count = len(leaves)  # those of y come first
        return Leaves(outputs.values[:count], outputs.slots[:count], rebuilt)


def derivatives_in(
    restricted: Function,
    x,
    mode: Mode | None,
    max_bytes: int,
    rules: RuleTable,
    of: Function,
    aux: Beside | None,
) -> Any:
    """All derivatives of a function of one argument, which may be a container; `of` is the function
    as its author knows it, for errors, and `aux` takes what it returns beside its value.
    """
    engine = engine_of(rules)
    if mode == "forward":
        return by_columns(restricted, x, max_bytes, engine, of, aux)
    if mode is None and size(flatten(x)[0]) <= FEW:
        try:
            return by_columns(restricted, x, max_bytes, engine, of, aux)
        except (NotImplementedError, TypeError):  # of a rule for reverse mode alone
            pass
    traced = watching(trace, new_tape(engine), restricted, (x,), {}, keep=True, of=of)
    inputs, outputs, recording = traced
    if aux is not None:
        outputs = aux.taken_off(outputs)
        traced = inputs, outputs, recording
    if mode in (None, TRACED) and size(inputs.values) <= size(outputs.values):
        return by_columns(restricted, x, max_bytes, engine, of, aux, outputs)
    return by_rows(of, traced, x, max_bytes, engine)


def hessian(
    function: Callable[P, Any],
    argnums: Arguments = 0,
    *,
    has_aux: bool = False,
    sparse: Any = False,
    max_bytes: int = MAX_BYTES,
    rules: RuleTable = default_rules,
) -> Callable[P, Any]:
    """The function x -> all second derivatives of a real-valued f at x, forward over reverse.

    `argnums` names arguments by position or by name; several of them give a tuple of tuples, with a
    block for each pair. With `has_aux`, f returns (y, aux), and the result is a pair, too. With
    `sparse` it is one matrix of `scipy.sparse`, as for `jacobian`; the
    pattern is ``sparsity(grad(f), x, symmetric=True)``.

    >>> hessian(lambda x: np.sum(x**3))(np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    require_argnums("hessian", function, argnums)
    if sparse is not False:
        require_sparse(function, has_aux, "hessian")
        from chainrules_sparse.matrices import sparse_hessian

        return sparse_hessian(function, argnums, sparse, max_bytes, rules)
    made = Derivative(second_derivatives, function, argnums, has_aux, max_bytes, rules)
    return named_as_function(made, function)


@entry_point
@without_own_frames
def second_derivatives(
    function: Function,
    argnums: Arguments,
    has_aux: bool,
    max_bytes: int,
    rules: RuleTable,
    /,
    *args,
    **options,
):
    """Compute `hessian` of a function; a function of the module, so that it pickles."""
    gradient = grad(function, argnums, has_aux=has_aux, rules=rules)
    return all_derivatives(
        gradient, argnums, "forward", has_aux, max_bytes, rules, *args, **options
    )


@entry_point
@without_own_frames
def hvp(
    function: Function, x: Any, x_dot: Any, *rest: Any, rules: RuleTable = default_rules
) -> Any:
    """The derivative along `x_dot` of the gradient of ``f(x, *rest)`` in x, forward over reverse:
    H(x) x_dot.

    >>> hvp(lambda x: np.sum(x**3), np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    array([ 6., 12.])
    """
    if is_container(x):
        refuse_integers_in_lists(function, (x,))
    gradient = grad(function, rules=rules)
    return jvp(lambda some: gradient(some, *rest), (x,), (x_dot,), rules=rules)[1]


def by_columns(
    function: Function,
    x,
    max_bytes: int,
    engine: Engine,
    of: Function,
    aux: Beside | None,
    known: Leaves | None = None,
) -> Any:
    """All derivatives of a function in forward mode: a sweep per leaf of the argument, whose lanes
    are the columns. `of` is the function as its author knows it, for errors, and `known` the result
    of an earlier run; `aux` takes what is returned beside it.
    """
    leaves, rebuilt = flatten(x)
    refuse_other_arrays(of, leaves)
    y_leaves: list[Any] | None = known.values if known is not None else None
    y_rebuilt: Any = known.rebuilt if known is not None else None

    def pushed(index: int, direction) -> list[Any]:
        nonlocal y_leaves, y_rebuilt
        dots: list[Any] = [ZERO] * len(leaves)
        dots[index] = direction
        try:
            values, y_dots, made = run(dots)
        except InPlaceError:
            # A program that writes into a copy of another leaf: it takes traced entries if that
            # leaf is traced, too.
            values, y_dots, made = run(list(map(zeros_of, leaves, dots)))
        if y_leaves is not None:
            require_same_values(of, y_leaves, values)
        y_leaves, y_rebuilt = values, made
        return list(map(without_class, map(written_out, y_dots, values)))

    def run(dots: list[Any]) -> Any:
        level = Pushforward(engine)
        own = own_constants(leaves, dots)
        found = watching(trace_forward, level, function, own, dots, as_only_argument, of)
        if aux is None:
            return found
        values, y_dots, made = found
        of_value = aux.taken_off(Leaves(values, [None] * len(values), made))
        values, made = of_value.values, of_value.rebuilt
        return values, y_dots[: len(values)], made

    def as_only_argument(others: list[Any]) -> tuple[Any]:
        return (rebuilt(others),)

    def columns_of(index: int):
        leaf, push = leaves[index], partial(pushed, index)
        found = images_of_units(push, leaf, engine, max_bytes)
        if found is None or not np.iscomplexobj(leaf):
            return found
        turned = images_of_units(push, leaf, engine, max_bytes, 1j)
        parts = zip(y_leaves or (), found, turned or (), strict=True)
        return [derivative_in(of, *part) for part in parts]

    columns = list(map(columns_of, range(len(leaves))))  # by argument leaf, output leaf
    if y_leaves is None:  # no entry has a tangent, and the function has not run
        _, outputs, _ = watching(trace, new_tape(engine), function, (x,), {}, True, of)
        of_value: Leaves = outputs if aux is None else aux.taken_off(outputs)
        y_leaves, y_rebuilt = of_value.values, of_value.rebuilt
    require_derivatives(of, y_leaves)

    def block(k: int, y_leaf) -> Any:
        pairs = zip(columns, leaves, strict=True)
        return reciprocal(rebuilt([assembled(found, k, leaf, y_leaf, -1) for found, leaf in pairs]))

    return y_rebuilt([block(k, y_leaf) for k, y_leaf in enumerate(y_leaves)])


def zeros_of(leaf, dot) -> Any:
    """Write a tangent of zero out, where the leaf that has it can be differentiated."""
    return np.zeros_like(leaf)[()] if dot is ZERO and is_differentiable(leaf) else dot


def by_rows(function: Function, traced: Trace, x, max_bytes: int, engine: Engine) -> Any:
    """All derivatives of a function in reverse: a sweep per leaf of the result, whose lanes are the
    rows.
    """
    inputs, outputs, recording = traced
    require_derivatives(function, outputs.values)
    leaves, rebuilt = flatten(x)

    def pulled(index: int, seed) -> list[Any]:
        seeds: list[Any] = [ZERO] * len(outputs.values)
        seeds[index] = seed
        bars = watching(cotangents, inputs, recording.copy(), seeds, outputs.slots)
        return list(map(without_class, map(written_out, bars, inputs.values)))

    def rows_of(index: int, y_leaf) -> Any:
        images = partial(
            images_of_units, partial(pulled, index), y_leaf, engine, max_bytes, in_reverse=True
        )
        found = images()
        if found is None or not np.iscomplexobj(y_leaf):
            return found
        parts = zip(leaves, found, images(1j) or (), strict=True)
        return [derivative_of(function, *part) for part in parts]

    def block(index: int, y_leaf) -> Any:
        rows = rows_of(index, y_leaf)
        blocks = [assembled(rows, k, leaf, y_leaf, 0) for k, leaf in enumerate(leaves)]
        return reciprocal(rebuilt(blocks))

    return outputs.rebuilt([block(index, y_leaf) for index, y_leaf in enumerate(outputs.values)])


def derivative_in(function: Function, y, along_one, along_i) -> Any:
    """The derivative of a result in a complex entry, given those along 1 and along i."""
    if not is_differentiable(y):
        return along_one
    if not np.iscomplexobj(y):
        return along_one + 1j * along_i
    require_holomorphic(function, along_one, along_i)
    return along_one


def derivative_of(function: Function, x, bar_of_one, bar_of_i) -> Any:
    """The derivative of a complex entry of the result, given the cotangents of an argument for 1
    and for i.
    """
    found = derivative_in(function, x, bar_of_one, bar_of_i)
    if not is_differentiable(x) or not np.iscomplexobj(x):
        return found
    return library_of_types((type(found),)).namespace.conj(found)


def require_holomorphic(function: Function, of_one, of_i) -> None:
    """Raise where the derivative along i is not i times that along 1, up to roundoff.

    That is asked of each complex entry by itself; they lie along the first axis.
    """
    xp = library_of_types((type(of_one),)).namespace
    axes = tuple(range(1, of_one.ndim))
    differences, sizes = (
        xp.max(xp.abs(part), axis=axes, initial=0) for part in (of_i - 1j * of_one, of_one)
    )
    precision = np.finfo(of_one.dtype).eps
    if xp.any(differences > float(np.sqrt(precision)) * sizes):
        got = "a complex function that is not holomorphic at this point"
        instead = (
            "take its real and imaginary part as functions of those of the argument, or vjp and jvp"
            " for combinations"
        )
        where = f"jacobian({qualified_name(function)})"
        raise OutputError(where, got, instead, function=function, value=of_one)


def assembled(vectors, k: int, leaf, y_leaf, axis: int) -> Any:
    """The block for one argument leaf and one output leaf, which of numbers is a number."""
    block = assembled_array(vectors, k, leaf, y_leaf, axis)
    are_numbers = isinstance(leaf, NUMBERS) and isinstance(y_leaf, NUMBERS)
    return block[()] if are_numbers and block is not NO_TANGENT else block


def assembled_array(vectors, k: int, leaf, y_leaf, axis: int) -> Any:
    """The block as an array, from its rows (axis 0) or columns (axis -1), which lie along the first
    axis.

    They are taken out of the list `vectors`: an array that nobody else holds need not be copied.
    """
    if not is_differentiable(leaf) or not is_differentiable(y_leaf):
        return NO_TANGENT
    shape = shape_of(y_leaf) + shape_of(leaf)
    if vectors is None:
        dtype = np.result_type(*[getattr(each, "dtype", each) for each in (y_leaf, leaf)])
        xp = library_of_types((type(y_leaf), type(leaf))).namespace
        return unshared([in_library_of_leaf(leaf, xp.zeros(shape, dtype))])[0]
    given, vectors[k] = [in_library_of_leaf(leaf, vectors[k])], None
    if type(given[0]) is not np.ndarray:
        xp = library_of_types((type(given[0]),)).namespace
        block = given[0] if axis == 0 else xp.moveaxis(given[0], 0, -1)
        return unshared([xp.reshape(block, shape)])[0]
    (vector,) = unshared(given)
    if axis == -1:
        vector = vector.transpose((*range(1, vector.ndim), 0))
    return vector.reshape(shape)  # a view of an array that nobody else holds


def in_library_of_leaf(leaf, found) -> Any:
    """A derivative by an argument leaf; one of constants alone is NumPy's, and joins the leaf's
    library.
    """
    library = library_of_types((type(leaf),))
    if library is numpy_library() or type(found) is not np.ndarray:
        return found
    xp = library.namespace
    return found + xp.sum(xp.zeros_like(leaf))


def size(leaves: list[Any]) -> int:
    """How many entries with a tangent the leaves of a tree have."""
    return sum(prod(np.shape(leaf)) for leaf in leaves if is_differentiable(leaf))
