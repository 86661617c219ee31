"""How the Taylor coefficients of an operation's results are computed: the nodes and steps of
`series.level`, whose docstring is the place to begin.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cache, reduce
from operator import and_, getitem, matmul, mul
from typing import Any

import numpy as np

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.makers.products import fit_tangent
from chainrules_py.rules.rule import Linearity
from chainrules_py.strong_zeros.float_errors import Strictness
from chainrules_py.strong_zeros.strictness import this_thread
from chainrules_py.strong_zeros.strong_contraction import require_finite, strong_contraction
from chainrules_py.tangents import ZERO, is_zero, materialize
from chainrules_py.tangents.plain_containers import tangents_of_parts
from chainrules_py.values.arrays import library_of_types
from chainrules_py.values.indices import read
from chainrules_py.values.structure import fields, is_container, rebuild
from chainrules_tape.core.dispatch import asks_operands
from chainrules_tape.core.levels import call_traced, innermost
from chainrules_tape.core.values import is_differentiable, resolved

Path = tuple[Any, ...]  # the keys that lead to a part of a container
Coefficients = list[Any]


class Node:
    """One value with the coefficients of its series, as far as they are known."""

    __slots__ = ("coefficients", "depth", "path", "step")

    def __init__(self, value, step: "Step", path: Path, depth: int) -> None:
        self.coefficients: Coefficients = [value]
        self.step, self.path, self.depth = step, path, depth


class Step:
    """How the coefficients of the results of one operation are computed.

    A result in a container has a node for each part: `path` leads to the one that is asked for.
    """

    def coefficient(self, k: int, path: Path, known: Coefficients) -> Any:
        """Compute coefficient k of a result, given those before it."""
        raise NotImplementedError


class Given(Step):
    """An argument, x + t v."""

    def __init__(self, direction) -> None:
        self.direction = direction

    def coefficient(self, k: int, path: Path, known: Coefficients) -> Any:
        """Return the direction, and zeros."""
        return self.direction if k == 1 else ZERO


class Shifted(Step):
    """The derivative of a series by t."""

    def __init__(self, series: Coefficients) -> None:
        self.series = series

    def coefficient(self, k: int, path: Path, known: Coefficients) -> Any:
        """Return coefficient k + 1 of the series, times k + 1."""
        following = self.series[k + 1]
        return ZERO if following is ZERO else following * (k + 1)


class Recurrent(Step):
    """Arithmetic, by a recurrence."""

    def __init__(
        self, compute: Function, operands: list[Coefficients], strictness: Strictness
    ) -> None:
        self.compute, self.operands, self.strictness = compute, operands, strictness

    def coefficient(self, k: int, path: Path, known: Coefficients) -> Any:
        """Compute coefficient k; where zero meets infinity in a product, again, and zero counts."""
        strictness = self.strictness
        outer = strictness.applies
        strictness.applies = True  # `call_strictly` written out, 5 % of a series of numbers
        try:
            found = self.compute(k, known, *self.operands, times=mul)
        except FloatingPointError:
            strictness.applies = outer
            found = self.compute(k, known, *self.operands, times=times_strongly())
        finally:
            strictness.applies = outer
        return found if found is ZERO else fitted_coefficient(found, known[0])


@cache
def times_strongly() -> Callable[[Any, Any], Any]:
    """Return the product in which zero times infinity is zero, of a rule pack."""
    from chainrules_py.rulesets.formulas.recurrences import strong_times

    return strong_times


class Linear(Step):
    """A function that is linear in some of its arguments, by itself or together."""

    def __init__(
        self,
        primal,
        args: list[Any],
        operands: dict[int, "Operand"],
        options: Options,
        linear: Linearity,
    ) -> None:
        self.primal, self.args, self.operands = primal, args, operands
        self.options = {n: option for n, option in options.items() if n not in linear.value_only}
        self.compute = self._sum if linear.together else self._product
        self.varying = [i for i, operand in operands.items() if operand.varies]
        self.constants = {i: operand.at(0) for i, operand in operands.items() if not operand.varies}
        self.latest: tuple[int, Any] = (0, None)
        others = [arg for i, arg in enumerate(args) if i not in operands]
        # NumPy does not ask an index or a mask that differs from lane to lane
        self.is_beside_traced = innermost((*others, *options.values())) is not None

    def coefficient(self, k: int, path: Path, known: Coefficients) -> Any:
        """Compute coefficient k of all results at once, and return the one of this path."""
        if self.latest[0] != k:
            self.latest = (k, self.compute(k))
        found = self.latest[1]
        for key in path:
            if found is ZERO:
                break
            found = fields(found)[key]
        return fitted_coefficient(found, known[0])

    def _sum(self, k: int) -> Any:
        """Add what each argument contributes, at once; 0 stands for those that are constant."""
        terms = {i: operand.at(k) for i, operand in self.operands.items()}
        if all(term is ZERO for term in terms.values()):
            return ZERO
        return self._call({i: 0 if term is ZERO else term for i, term in terms.items()})

    def _product(self, k: int) -> Any:
        """Sum the products of coefficients whose orders add up to k."""
        if len(self.varying) == 1:
            (position,) = self.varying
            factor = self.operands[position].at(k)
            return ZERO if factor is ZERO else self._strong_product({position: factor})
        total: Any = ZERO
        for orders in splits(k, len(self.varying)):
            pairs = zip(self.varying, orders, strict=True)
            factors = {i: self.operands[i].at(order) for i, order in pairs}
            if any(factor is ZERO for factor in factors.values()):
                continue
            term = self._strong_product(factors)
            total = term if total is ZERO else total + term
        return total

    def _strong_product(self, varying: dict[int, Any]) -> Any:
        """Compute one product; of a zero in one factor and an infinity in another, zero counts."""
        factors = {**varying, **self.constants}
        if len(factors) == 1:
            return self._call(factors)
        strictness = this_thread.strictness
        outer = strictness.applies
        strictness.applies = True
        try:
            found = self._call(factors)
            require_finite(found)  # of sums of products, not all flags are seen
            return found
        except FloatingPointError:
            pass  # zero may have met infinity
        finally:
            strictness.applies = outer
        first, *others = factors.values()

        def contract(*values):
            return self._call(dict(zip(factors, values, strict=True)))

        return strong_contraction(contract, first, others)

    def _call(self, given: dict[int, Any]) -> Any:
        args = [given.get(i, arg) for i, arg in enumerate(self.args)]
        if self.is_beside_traced:
            return call_traced(self.primal, tuple(args), self.options)
        return implementation_for(self.primal, args)(*args, **self.options)


class Operand:
    """An argument in which a function is linear: an array, a constant, or a container of these."""

    def __init__(self, level, arg, varies: bool) -> None:
        self.level, self.arg, self.varies = level, level.fresh(arg), varies
        self.series = None if is_container(arg) else level.series(arg)

    def at(self, k: int) -> Any:
        """Return coefficient k; of a container with a zero for each part, `ZERO`."""
        if self.series is not None:
            return self.series[k] if k < len(self.series) else ZERO
        return self.level.strip(self.arg) if k == 0 else part_at(self.level, self.arg, k)


def part_at(level, arg, k: int) -> Any:
    """Return coefficient k > 0 of an argument, with zeros for what is constant in a container."""
    if not is_container(arg):
        series = level.series(arg)
        return series[k] if k < len(series) else ZERO
    parts = fields(arg)
    found = {key: part_at(level, part, k) for key, part in parts.items()}
    if all(part is ZERO for part in found.values()):
        return ZERO
    return rebuild(
        arg, {key: materialized(part, level.strip(parts[key])) for key, part in found.items()}
    )


def materialized(coefficient, like) -> Any:
    """Return a coefficient as numbers; zeros in the precision of results also for integers."""
    if coefficient is not ZERO:
        return coefficient
    return materialize(ZERO, like=like) if is_differentiable(like) else np.zeros(np.shape(like))


class Derived(Step):
    """Any other function, whose derivative is computed by its forward rule, on series."""

    def __init__(self, level, primal, args: Args, options: Options) -> None:
        self.level, self.primal, self.args, self.options = level, primal, args, options
        self.key: Any = None  # of this call in the level's memo, and what it returned
        self.result: Any = None
        self.derivative: Any = None
        self.series: dict[Path, Coefficients] = {}  # of the parts of the derivative

    def coefficient(self, k: int, path: Path, known: Coefficients) -> Any:
        """Return coefficient k - 1 of the derivative, divided by k."""
        try:
            series = self.series[path]
        except KeyError:
            series = self.series[path] = self._series(path)
        if k > len(series) or series[k - 1] is ZERO:
            return ZERO
        found = series[k - 1] if k == 1 else series[k - 1] / k
        return self._unless_at_rest(found, k)

    def _unless_at_rest(self, found, k: int) -> Any:
        """Coefficient k, of a length zero where those of its arguments are zero so far."""
        from chainrules_tape.core.kinks import STRAIGHT, differentiating  # not for a first gradient

        if self.primal not in STRAIGHT:
            return found
        given = [c for arg in self.args for c in self.level.series(arg)[: k + 1] if c is not ZERO]
        if any(differentiating(c) is not None for c in given):
            return found
        return np.where(reduce(and_, [c == 0 for c in given]), 0, found)[()]

    def _series(self, path: Path) -> Coefficients:
        """Return the coefficients of a part of the derivative."""
        if self.derivative is None:
            self.derivative = self.level.derivative_of_call(self)
        found = self.derivative
        for key in path:
            found = tangents_of_parts(found, ()).get(key, ZERO)
        found = resolved(found)
        return [] if is_zero(found) else self.level.series(found)


def implementation_for(primal, values: Iterable[Any]) -> Function:
    """Return the function that computes an operation on values without series.

    Values may be those of an outer derivative: what asks its operands hands itself on to it, and all
    else is handed there, lists and SciPy's solvers among them.
    """
    if not asks_operands(primal) and innermost(values) is not None:
        return lambda *args, **options: call_traced(primal, args, options)
    # sparse matrices answer the operator only
    if primal is np.matmul:
        return matmul
    found: Function = library_of_types(map(type, values)).implementation(primal)
    return read if found is getitem else found


def fitted_coefficient(coefficient, value) -> Any:
    """Return a coefficient in the shape and dtype of the value."""
    if coefficient is ZERO or type(coefficient) is type(value) is np.float64:
        return coefficient
    if (
        type(coefficient) is type(value) is np.ndarray
        and coefficient.shape == value.shape
        and coefficient.dtype is value.dtype
    ):
        return coefficient
    return fit_tangent(coefficient, value)


def splits(total: int, count: int) -> Iterator[tuple[int, ...]]:
    """List the ways to write a number as a sum of `count` numbers from 0 on, in order."""
    if count == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for others in splits(total - first, count - 1):
            yield (first, *others)
