"""The rules of a function that is linear in each of its arguments, or in several together, from one
adjoint per argument.

Forward is the sum over arguments of the call with the tangent in the argument's place. Reverse is
the adjoints, in lines that `linear_lines` writes for one pattern of classes and needs: what no
adjoint reads is not kept.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np

from chainrules_py.errors import ProjectionError, RegistrationError, RuleContractError
from chainrules_py.makers.linear_lines import arguments_of, stage_lines
from chainrules_py.makers.products import fit_tangent
from chainrules_py.makers.skeleton import both_rules
from chainrules_py.makers.staging import Stage, closed, fitted
from chainrules_py.makers.writing import define, stem
from chainrules_py.projection import ProjectTo, Space
from chainrules_py.projection.dense import dense_space
from chainrules_py.rules.rule import Rule
from chainrules_py.strong_zeros.strictness import get_state, latest_strictness, relax, strict
from chainrules_py.strong_zeros.strong_contraction import LARGE, require_finite, strong_contraction
from chainrules_py.tangents import NO_TANGENT, ZERO, unthunk
from chainrules_py.values.arrays import Array, ArrayLibrary, Scalar, numpy_library
from chainrules_py.values.identity import qualified_name

Refuse = Callable[..., None]


def dot_is_flagged() -> bool:
    """Whether NumPy looks at the processor's flags after `dot`, as newer versions do."""
    try:
        with np.errstate(invalid="raise"):
            np.dot(np.zeros((2, 2)), np.full((2, 2), np.inf))
    except FloatingPointError:
        return True
    return False


# No ufunc computes them: NumPy does not look at the flags.
UNFLAGGED = frozenset(
    {
        np.vdot,
        np.convolve,
        np.correlate,
        *(() if dot_is_flagged() else (np.dot, np.inner, np.tensordot)),
    }
)


@dataclass(frozen=True, eq=False)
class MultilinearForm:
    """A function that is linear in each argument that has an adjoint, or in all of these together."""

    primal: Any
    adjoints: tuple[Rule | None, ...]
    value_only: frozenset[str] = frozenset()
    refuse: Refuse | None = None
    together: bool = False

    def rules(self) -> Iterator[Rule]:
        """Make the rules of both modes; any adjoint may say which class an argument has, and which
        options there are.
        """
        given = [adjoint for adjoint in self.adjoints if adjoint is not None]
        for adjoint in given:
            self._require_all_arguments(adjoint)
        known = None not in [adjoint.options for adjoint in given]
        described = replace(
            given[0],
            types=tuple(
                object if own is None else _class_of(i, given)
                for i, own in enumerate(self.adjoints)
            ),
            options=(
                frozenset().union(*(adjoint.options or () for adjoint in given)) if known else None
            ),
            defaults=tuple(default for adjoint in given for default in adjoint.defaults),
            wants=frozenset(),
        )
        return both_rules(described, self.reverse, self.forward)

    def _require_all_arguments(self, adjoint: Rule) -> None:
        if len(adjoint.types) != len(self.adjoints):
            raise RegistrationError(
                f"the adjoint {adjoint.name} of {qualified_name(self.primal)} at {adjoint.where}",
                f"takes {len(adjoint.types)} arguments after the cotangent, where the rule has"
                f" {len(self.adjoints)}",
                "write adjoint(y_bar, *arguments, *, options), and one adjoint per argument",
                primal=self.primal,
                rule=adjoint.function,
            )

    def _active(self, needs: tuple[bool, ...]) -> tuple[int, ...]:
        return tuple(
            i for i, adjoint in enumerate(self.adjoints) if adjoint is not None and needs[i]
        )

    @property
    def _multiplies(self) -> bool:
        """Whether it is a product: linear in each of several arguments by itself."""
        return not self.together and sum(adjoint is not None for adjoint in self.adjoints) > 1

    def reverse(
        self, types: tuple[type, ...], needs: tuple[bool, ...], library: ArrayLibrary
    ) -> Callable[..., Any]:
        """Bind the adjoints of the needed arguments; an argument is kept only if another one's
        adjoint is needed.
        """
        stage, pull = self._stage_and_pull(types, needs, library)

        @cache
        def careful_pull() -> Callable[..., Any]:
            return self._stage_and_pull(types, needs, library, strong=True)[1]

        if self._multiplies:
            pull.careful = lambda residuals, y_bar: careful_pull()(residuals, y_bar)  # type: ignore[attr-defined]
        return closed(stage, self._multiplies)

    def _stage_and_pull(
        self,
        types: tuple[type, ...],
        needs: tuple[bool, ...],
        library: ArrayLibrary,
        strong: bool = False,
    ) -> tuple[Stage, Callable[..., Any]]:
        """The rule without a closure, as `linear_lines` writes it, and its pullback; `strong` where
        zero wins over infinity.
        """
        name, needed = stem(self.primal), self._active(needs)
        scope: dict[str, Any] = {
            "primal": library.implementation(self.primal),
            "dense_space": dense_space,
            "NO_TANGENT": NO_TANGENT,
            "ProjectTo": ProjectTo,
            "refuse": self.refuse,
            "require_finite": require_finite,
        }
        for i in needed:
            adjoint: Any = self.adjoints[i]
            bound = adjoint.bind(types, needs, library)
            scope |= {
                f"adjoint{i}": strong_adjoint(bound) if strong else bound,
                f"class{i}": types[i],
            }
            scope[f"bring{i}"] = partial(_project_or_blame, adjoint)
        unread = self._active((True,) * len(types)) if self.together else ()
        # about zero times infinity; other libraries raise no flags
        raises = library.name == numpy_library().name
        flagged = (
            self.primal not in UNFLAGGED if self._multiplies and raises and not strong else None
        )
        arguments = arguments_of([*map(ProjectTo.is_dense, types)], needed, unread, flagged)
        lines = stage_lines(name, arguments, self.refuse is not None)
        where = next(
            (adjoint.where for i in needed if (adjoint := self.adjoints[i]) is not None), ""
        )
        pattern = ", ".join(
            f"{'x' if i in needed else '-'} {cls.__qualname__}" for i, cls in enumerate(types)
        )
        origin = (
            f"<{name}_stage of {where} for {pattern}{' with strong products' if strong else ''}>"
        )
        stage = define(f"{name}_stage", lines, scope, origin)
        stage.keeps = frozenset(argument.position for argument in arguments if argument.read)  # type: ignore[attr-defined]
        return stage, scope[f"{name}_pull"]

    def forward(
        self, types: tuple[type, ...], needs: tuple[bool, ...], library: ArrayLibrary
    ) -> Callable[..., Any]:
        """Bind the sum over active arguments of the call with the tangent in the argument's place."""
        primal, active = library.implementation(self.primal), self._active(needs)
        term = self._product if self._multiplies else with_dot

        def multilinear_frule(dots: tuple[Any, ...], *args: Any, **options: Any) -> tuple[Any, Any]:
            if self.refuse is not None:
                self.refuse(**options)
            y = primal(*args, **options)
            if not active:
                return y, ZERO
            for name in self.value_only & options.keys():
                del options[name]
            if self.together:
                parts = [
                    x if adjoint is None else 0
                    for x, adjoint in zip(args, self.adjoints, strict=True)
                ]
                for i in active:
                    parts[i] = dots[i]
                return y, fit_tangent(primal(*parts, **options), y)
            y_dot = term(primal, active[0], dots, args, options)
            for i in active[1:]:
                y_dot = y_dot + term(primal, i, dots, args, options)
            return y, (
                fitted(y_dot, type(y), y.shape, y.dtype)
                if type(y) is np.ndarray
                else ProjectTo(y)(y_dot)
            )

        return multilinear_frule

    def _product(
        self,
        primal: Callable[..., Any],
        i: int,
        dots: Sequence[Any],
        args: tuple[Any, ...],
        options: dict[str, Any],
    ) -> Any:
        """Call the primal with a tangent in the place of its argument; a zero of the tangent wins
        over an infinity.
        """
        strictness = latest_strictness[0]
        is_watched = get_state(None) is strictness.error_state
        outer = strictness.applies
        token = None
        if is_watched:
            strictness.applies = True
        else:
            token = strict()
        try:
            try:
                y_dot = with_dot(primal, i, dots, args, options)
                if self.primal in UNFLAGGED or sum(getattr(arg, "size", 1) for arg in args) > LARGE:
                    require_finite(y_dot, *args[:i], dots[i], *args[i + 1 :])
                return y_dot
            finally:
                if is_watched:
                    strictness.applies = outer
                else:
                    relax(token)
        except FloatingPointError:
            factors = [
                k for k, adjoint in enumerate(self.adjoints) if adjoint is not None and k != i
            ]

            def contract(x_dot: Any, *values: Any) -> Any:
                placed = dict(zip(factors, values, strict=True)) | {i: x_dot}
                return primal(*[placed.get(k, arg) for k, arg in enumerate(args)], **options)

            return strong_contraction(contract, dots[i], [args[k] for k in factors])


def with_dot(
    primal: Callable[..., Any],
    i: int,
    dots: Sequence[Any],
    args: tuple[Any, ...],
    options: dict[str, Any],
) -> Any:
    """Call the primal with a tangent in the place of its argument."""
    return primal(*args[:i], dots[i], *args[i + 1 :], **options)


def strong_adjoint(adjoint: Callable[..., Any]) -> Callable[..., Any]:
    """An adjoint in which a zero of the cotangent wins over an infinity of the other arguments."""

    def strong(y_bar: Any, *args: Any, **options: Any) -> Any:
        factors = [k for k, arg in enumerate(args) if not isinstance(arg, Space)]

        def contract(t: Any, *values: Any) -> Any:
            placed = dict(zip(factors, values, strict=True))
            return unthunk(
                adjoint(t, *[placed.get(k, arg) for k, arg in enumerate(args)], **options)
            )

        return strong_contraction(contract, y_bar, [args[k] for k in factors])

    return strong


def _project_or_blame(adjoint: Rule, space: Space, x_bar: Any) -> Any:
    """Project a cotangent, and name the adjoint where it returned what cannot be projected."""
    try:
        return space(x_bar)
    except ProjectionError as error:
        place = f"the adjoint of {qualified_name(adjoint.primal)} at {adjoint.where}"
        data = {
            "rule": adjoint,
            "location": adjoint.where,
            "argument": "pullback",
            "value": x_bar,
            "expected": space.shape,
        }
        raise RuleContractError(place, error.got, error.instead, **data) from error


def _class_of(index: int, adjoints: Sequence[Rule]) -> Any:
    """The class that any adjoint's annotation gives to an argument; arrays and numbers where none
    says.
    """
    return next(
        (each.types[index] for each in adjoints if each.types[index] not in (object, Space)),
        Array | Scalar,
    )
