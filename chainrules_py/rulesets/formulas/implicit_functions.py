"""The implicit function theorem: where F(x, *args) = 0, x_dot = -(dF/dx)^-1 dF/dargs args_dot.

The residual F is differentiated by the engine that is calling. It returns as many numbers as x has,
in any container. Systems are solved in real coordinates, which holds for complex residuals that are
not holomorphic, too.
"""

from collections.abc import Callable
from functools import cache, cached_property
from importlib import import_module
from typing import Any, NoReturn

import numpy as np

from chainrules_py.annotations import Args, Function
from chainrules_py.batching.failures import note_handled
from chainrules_py.errors import BatchingError, NotDifferentiableError
from chainrules_py.makers.implicit import ImplicitFunction, LinearSolver
from chainrules_py.rules.config import HasBatching, RuleConfig, frule_via_ad, rrule_via_ad
from chainrules_py.rulesets.formulas.coordinates import Coordinates
from chainrules_py.tangents import ZERO, Tangent, is_zero, unthunk
from chainrules_py.values.arrays import common_namespace
from chainrules_py.values.captured_values import frozen
from chainrules_py.values.identity import qualified_name

Residual = Function
norm: Any = np.linalg.norm
CORRECTIONS = 4  # attempts to solve by the given Jacobian, before another one is made
NUMBERS = (float, np.float64)
SMALLEST = np.finfo(float).tiny  # slope by which a cotangent is divided
MANY = 16  # unknowns, from which on columns of a Jacobian are computed in lanes
MOST = 256  # lanes at once
FAR = 1e-2  # a Newton step longer than this times 1 + |x| shows that x is no solution


def implicit_pullback(
    config: RuleConfig,
    residual: Residual,
    x,
    args: Args,
    of,
    linear_solver: LinearSolver | None = None,
    jacobian: Residual | None = None,
) -> Callable[[Any], Any]:
    """The pullback from the solution `x` to the arguments.

    `of` is the function that found it, for errors. `jacobian` is the caller's own function for the
    derivative of the residual by x, or None.
    """
    value, pull = rrule_via_ad(config, residual, x, *args)
    if linear_solver is jacobian is None and type(x) in NUMBERS and type(value) in NUMBERS:
        return pullback_of_number(pull, float(x), float(value), of)
    space, rows = spaces(x, value, of)
    if linear_solver is not None or jacobian is not None:  # which are called in the pullback
        residual, args, linear_solver, jacobian = frozen((residual, args, linear_solver, jacobian))

    def product(vector) -> Any:
        return space.vector(pull(rows.tangent(vector))[0])

    def product_at(vector, x, *args) -> Any:
        return space.vector(rrule_via_ad(config, residual, x, *args)[1](rows.tangent(vector))[0])

    given = given_matrix(config, jacobian, x, args)
    system = system_of(
        config, product, product_at, (x, *args), linear_solver, of, given and (lambda: given().T)
    )
    values: list[Any] = [value]  # until the first cotangent, with which it is checked

    def pullback(x_bar) -> tuple[Any, ...]:
        if is_zero(x_bar):
            return (ZERO,) * len(args)
        w = system.solved(space.vector(x_bar))
        if values:
            system.require_solution(space.vector(x), rows.vector(values.pop()), transposed=True)
        bars: tuple[Any, ...] = pull(rows.tangent(-w))[1:]
        return bars

    return pullback


def pullback_of_number(pull, x: float, value: float, of) -> Callable[[Any], Any]:
    """The pullback from one unknown: one sweep gives the slope and the cotangents of the arguments,
    which are multiplied.
    """

    @cache
    def at_one() -> tuple[Any, list[Any]]:
        slope, *bars = pull(1.0)
        # traced ones are not looked at
        if is_zero(slope) or (type(slope) in NUMBERS and not abs(slope) >= SMALLEST):
            refuse_derivative(of)
        if type(slope) in NUMBERS:
            require_near(of, abs(x), value, abs(value / slope))
        return slope, bars

    def pullback(x_bar) -> tuple[Any, ...]:
        slope, bars = at_one()
        w = -unthunk(x_bar) / slope
        if type(w) in NUMBERS:
            w = float(w)
        # zero times an infinity is for the engine, and so are tangents of objects
        is_zeros = type(w) is float and not w
        if is_zeros or any(isinstance(bar, Tangent) for bar in bars):
            return tuple(pull(w)[1:])
        return tuple([w * bar for bar in bars])

    return pullback


def implicit_pushforward(
    config: RuleConfig,
    residual: Residual,
    x,
    args: Args,
    dots: tuple[Any, ...],
    of,
    linear_solver: LinearSolver | None = None,
    jacobian: Residual | None = None,
) -> Any:
    """The tangent of the solution, given those of the arguments."""
    value, moved = frule_via_ad(config, (ZERO, *dots), residual, x, *args)
    if is_zero(moved):
        return ZERO
    space, rows = spaces(x, value, of)

    def product_at(vector, x, *args) -> Any:
        dots = space.tangent(vector), *(ZERO,) * len(args)
        return rows.vector(frule_via_ad(config, dots, residual, x, *args)[1])

    def product(vector) -> Any:
        return product_at(vector, x, *args)

    given = given_matrix(config, jacobian, x, args)
    system = system_of(config, product, product_at, (x, *args), linear_solver, of, given)
    x_dot = space.tangent(system.solved(-rows.vector(moved)))
    system.require_solution(space.vector(x), rows.vector(value), transposed=False)
    return x_dot


def spaces(x, value, of) -> tuple[Coordinates, Coordinates]:
    """The coordinates of a solution and of its residual, of which there must be as many."""
    space, rows = Coordinates(x), Coordinates(value)
    if rows.size != space.size:
        got = f"a residual of {rows.size} real numbers for a solution of {space.size}"
        raise NotDifferentiableError(
            qualified_name(of), got, "return one number per unknown", primal=of, argument=None
        )
    return space, rows


def system_of(
    config: RuleConfig,
    product: Callable[[Any], Any],
    product_at: Function,
    point: tuple[Any, ...],
    linear_solver: LinearSolver | None,
    of,
    given: Callable[[], Any] | None,
) -> Any:
    """The linear system whose matrix times a vector is `product`: dense, or left to a solver."""
    if linear_solver is None:
        return DenseSystem(config, product, of, given)
    return ProductSystem(config, product, product_at, point, linear_solver, of)


def given_matrix(
    config: RuleConfig, jacobian: Residual | None, x, args: Args
) -> Callable[[], Any] | None:
    """A function for the caller's own Jacobian of a plain real vector; None if there is none."""
    is_plain = type(x) is np.ndarray and x.dtype == np.float64
    if jacobian is None or not is_plain or config.is_active((x, *args)):
        return None

    def matrix():
        found = np.asarray(jacobian(x, *args))
        fits = found.shape == (x.size, x.size) and found.dtype.kind in "fiu"
        return found.astype(float) if fits and np.isfinite(found).all() else np.empty((0, 0))

    return matrix


class DenseSystem:
    """A linear system whose matrix is made of its columns when it is first needed.

    A matrix of plain numbers is factored once. A function `given` may return a matrix that is
    nearly right: each solution by it is corrected by products with the true one. Where that does
    not converge, the columns are made after all.
    """

    def __init__(
        self,
        config: RuleConfig,
        product: Callable[[Any], Any],
        of,
        given: Callable[[], Any] | None = None,
    ) -> None:
        self.config = config
        self.product, self.of, self.size, self.given = product, of, 0, given

    @cached_property
    def matrix(self) -> Any:
        """The matrix that is given, or one whose columns are the products with unit vectors."""
        if self.given is not None:
            matrix = self.given()
            if matrix.size == self.size**2:
                return matrix
            self.given = None
        units = np.eye(self.size)
        if self.size >= MANY and isinstance(self.config, HasBatching):
            parts = [units[k : k + MOST] for k in range(0, self.size, MOST)]
            try:
                rows = [self.config.in_lanes(self.product, (True,), (part,)) for part in parts]
                return common_namespace(rows).concatenate(rows).T
            except BatchingError as error:
                note_handled(error)
        columns = list(map(self.product, units))
        return common_namespace(columns).stack(columns, axis=-1)

    @cached_property
    def factors(self) -> Any:
        """The LU factors of a matrix of plain numbers; None for others, and without SciPy."""
        if type(self.matrix) is not np.ndarray or self.matrix.dtype != np.float64:
            return None
        try:
            lapack: Any = import_module("scipy.linalg.lapack")
        except ModuleNotFoundError:
            return None
        factors, pivots, singular = lapack.dgetrf(self.matrix)
        return refuse_derivative(self.of) if singular else (factors, pivots)

    def solved(self, vector, transposed: bool = False) -> Any:
        """The solution w of ``matrix @ w = vector``."""
        if not vector.size:  # nothing is asked of the matrix, of which no column tells the library
            return vector
        self.size = self.size or vector.size
        if self.given is not None and not transposed:
            try:
                w = self.corrected(vector)
            except NotDifferentiableError:
                w = None
            if w is not None:
                return w
            self.given = None
            for computed in ("matrix", "factors"):
                vars(self).pop(computed, None)
        return self.by_matrix(vector, transposed)

    def corrected(self, vector) -> Any:
        """The solution by the given matrix, corrected until products agree; else None."""
        w, left = np.zeros(self.size), vector
        for _ in range(CORRECTIONS):
            w = w + self.by_matrix(left, False)
            left = vector - self.product(w)
            if norm(left) <= 1e-12 * (norm(vector) + norm(self.matrix) * norm(w)):
                return w
        return None

    def by_matrix(self, vector, transposed: bool) -> Any:
        """The solution by the matrix as it is, or transposed."""
        if type(vector) is np.ndarray and vector.dtype == np.float64 and self.factors is not None:
            lapack: Any = import_module("scipy.linalg.lapack")
            w = lapack.dgetrs(*self.factors, vector, trans=int(transposed))[0]
            return self.checked(w, vector)
        matrix = self.matrix.T if transposed else self.matrix
        try:
            w = common_namespace([matrix, vector]).linalg.solve(matrix, vector)
        except np.linalg.LinAlgError:
            refuse_derivative(self.of)
        return self.checked(w, vector) if type(w) is np.ndarray else w

    def checked(self, w, vector) -> Any:
        """The solution; raises where the matrix is singular up to roundoff.

        It is if |A| |w| / |b|, which is at most the condition of A, exceeds 1 / eps.
        """
        bound = np.abs(vector).max(initial=0.0) / np.finfo(w.dtype).eps
        if not np.abs(self.matrix).max(initial=0.0) * np.abs(w).max(initial=0.0) <= bound:
            refuse_derivative(self.of)
        return w

    def require_solution(self, x, value, transposed: bool) -> None:
        """Raise where the residual at `x` is so large that Newton's next step would lead far."""
        if type(x) is type(value) is np.ndarray and x.size and type(self.matrix) is np.ndarray:
            step = np.abs(self.solved(value, transposed)).max() if value.any() else 0.0
            require_near(self.of, np.abs(x).max(), value, step)


class ProductSystem:
    """A linear system of which only products of its matrix with vectors are known.

    With traced values, its solution is an `ImplicitFunction`, too, which has second derivatives.
    """

    def __init__(
        self,
        config,
        product,
        product_at,
        point,
        linear_solver: LinearSolver,
        of,
    ) -> None:
        self.config = config
        self.product = product
        self.product_at = product_at
        self.point = point
        self.linear_solver, self.of = linear_solver, of

    def solved(self, vector) -> Any:
        """The solution w of ``product(w) = vector``."""
        if not self.config.is_active((vector, *self.point)):
            return self._solved(self.product, vector)

        def solver(vector, *point):
            return self._solved(lambda w: self.product_at(w, *point), vector)

        def residual(w, vector, *point):
            return self.product_at(w, *point) - vector

        return ImplicitFunction(solver, residual, self.linear_solver)(vector, *self.point)

    def _solved(self, product: Callable[[Any], Any], vector) -> Any:
        w = self.linear_solver(product, vector)
        if not np.linalg.norm(product(w) - vector) <= 1e-4 * np.linalg.norm(vector):
            raise unconverged(self.of, "a linear_solver whose result does not solve product(x) = b")
        return w

    def require_solution(self, x, value, transposed: bool) -> None:
        """Nothing: another solve would cost as much as the derivative."""


def require_near(of, size: float, value, step: float) -> None:
    """Raise where Newton's next step leads far from a solution of this size."""
    if not step <= FAR * (1 + size):
        got = f"a solution with the residual {value}, from which Newton's method goes on by {step:.2g}"
        raise unconverged(of, got)


def refuse_derivative(of) -> NoReturn:
    """Raise, as the solution is not a function of the arguments here."""
    got = (
        "the Jacobian of the residual by the solution is singular, so that the solution has no"
        " derivative"
    )
    instead = "add equations that determine it, or leave out unknowns that do not matter"
    raise NotDifferentiableError(qualified_name(of), got, instead, primal=of, argument=None)


def unconverged(of, got: str) -> NotDifferentiableError:
    """The error for a value that does not solve the equation, and so has no derivative by it."""
    instead = "let the solver iterate until it converges, or start nearer to the solution"
    return NotDifferentiableError(
        qualified_name(of), f"not converged: {got}", instead, primal=of, argument=None
    )
