"""Make the rules of a function that is linear in its arguments from one adjoint per argument.

It may be linear in each argument by itself, as a product is, or in several together, as a sum is.
Forward is the sum over arguments of the call with the tangent in the argument's place. Reverse is
the adjoints, in a stage that `linear_reverse` makes for one pattern of classes and needs.
"""

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.errors import ProjectionError, RegistrationError, RuleContractError
from chainrules_py.makers.linear_reverse import Argument, write_stage
from chainrules_py.makers.products import fit_tangent
from chainrules_py.makers.skeleton import both_rules
from chainrules_py.makers.staging import Stage, closed
from chainrules_py.makers.writing import stem
from chainrules_py.projection import ProjectTo, Space
from chainrules_py.rules.rule import Linearity, Rule
from chainrules_py.strong_zeros.strictness import get_state, latest_strictness, relax, strict
from chainrules_py.strong_zeros.strong_contraction import LARGE, require_finite, strong_contraction
from chainrules_py.tangents import ZERO, AbstractTangent, unthunk
from chainrules_py.values.arrays import Array, ArrayLibrary, Scalar, numpy_library
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.indices import PLAIN, read
from chainrules_py.values.places import with_items_at
from chainrules_py.values.records import Record

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
UNFLAGGED = frozenset({np.vdot, np.convolve, np.correlate})
if not dot_is_flagged():
    UNFLAGGED |= {np.dot, np.inner, np.tensordot}


class MultilinearForm(Record):
    """A function that is linear in each argument with an adjoint, or in all of these together."""

    primal: Any
    adjoints: tuple[Rule | None, ...]
    zeros: frozenset[int] = frozenset()  # places of arguments by which the derivative is zero
    value_only: frozenset[str] = frozenset()
    refuse: Refuse | None = None
    together: bool = False

    def rules(self) -> Iterator[Rule]:
        """Make the rules of both modes; any adjoint may say a class and name options."""
        given = [adjoint for adjoint in self.adjoints if adjoint is not None]
        for adjoint in given:
            self._require_all_arguments(adjoint)
        known = None not in [adjoint.options for adjoint in given]
        described = given[0].replaced(
            types=tuple(
                object if own is None else _class_of(i, given)
                for i, own in enumerate(self.adjoints)
            ),
            options=(
                frozenset().union(*(adjoint.options or () for adjoint in given)) if known else None
            ),
            defaults=tuple(default for adjoint in given for default in adjoint.defaults),
            wants=frozenset(),
            linear=Linearity(
                tuple([adjoint is not None for adjoint in self.adjoints]),
                self.together,
                self.value_only,
            ),
        )
        without = {i for i, adjoint in enumerate(self.adjoints) if adjoint is None}
        constants = without - self.zeros
        return both_rules(described, self.reverse, self.forward, constants=constants)

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
    ) -> Function:
        """Bind the adjoints of the needed arguments; what none of them reads is not kept."""
        stage, pull = self._stage_and_pull(types, needs, library)

        @cache
        def careful_pull() -> Function:
            return self._stage_and_pull(types, needs, library, strong=True)[1]

        def careful(residuals, y_bar):
            return careful_pull()(residuals, y_bar)

        if self._multiplies:
            pull.careful = careful  # type: ignore[attr-defined]
        return closed(stage, self._multiplies)

    def _stage_and_pull(
        self,
        types: tuple[type, ...],
        needs: tuple[bool, ...],
        library: ArrayLibrary,
        strong: bool = False,
    ) -> tuple[Stage, Function]:
        """Make the stage and its pullback; `strong` ones let zero win over infinity."""
        primal, name = library.implementation(self.primal), stem(self.primal)
        arguments = self._arguments(types, needs, library, strong)
        # of one argument, nearly all are of one text, which is compiled once
        own = name if len(arguments) > 1 else "linear"
        source = write_stage(own, primal, arguments, self.refuse)
        stage = source.compile(f"{own}_stage", self._origin(name, arguments, strong))
        pull = source.scope[f"{own}_pull"]
        kept = frozenset(argument.position for argument in arguments if argument.read)
        stage.keeps = kept  # type: ignore[attr-defined]
        return stage, pull

    def _arguments(
        self,
        types: tuple[type, ...],
        needs: tuple[bool, ...],
        library: ArrayLibrary,
        strong: bool,
    ) -> list[Argument]:
        """Describe the arguments of calls with these classes and needs."""
        needed = self._active(needs)
        flagged = None
        if self._multiplies and library.name == numpy_library().name and not strong:
            flagged = self.primal not in UNFLAGGED  # other libraries raise no flags

        found = []
        for i, (cls, rule) in enumerate(zip(types, self.adjoints, strict=True)):
            adjoint = project = None
            if rule is not None and i in needed:
                bound = rule.bind(types, needs, library)
                adjoint = strong_adjoint(bound) if strong else bound
                project = partial(_project_or_blame, rule)
            read_by_others = any(other != i for other in needed)
            read = read_by_others and not (self.together and rule is not None)
            is_zero = i in self.zeros and needs[i]
            found.append(Argument(i, cls, adjoint, project, read, flagged, is_zero))
        return found

    def _origin(self, name: str, arguments: Sequence[Argument], strong: bool) -> str:
        """Describe a stage that is written, for tracebacks, which show it in place of a file."""
        wheres = [
            rule.where
            for rule, argument in zip(self.adjoints, arguments, strict=True)
            if rule is not None and argument.adjoint is not None
        ]
        where = wheres[0] if wheres else ""
        classes = ", ".join(
            f"{'-' if argument.adjoint is None else 'x'} {argument.cls.__qualname__}"
            for argument in arguments
        )
        return f"<{name}_stage of {where} for {classes}{' with strong products' * strong}>"

    def forward(
        self, types: tuple[type, ...], needs: tuple[bool, ...], library: ArrayLibrary
    ) -> Function:
        """Bind the sum over active arguments of calls with the tangent in the argument's place."""
        primal, active = library.implementation(self.primal), self._active(needs)
        if primal is operator.getitem and types[1] not in PLAIN:
            primal = read
        term = self._product if self._multiplies else with_dot

        def linear_frule(dots: tuple[Any, ...], x, /, *others, **options) -> tuple[Any, Any]:
            y = primal(x, *others, **options)
            y_dot = primal(dots[0], *others, **options)
            return y, y_dot if is_regular(y_dot, y) else ProjectTo(y)(y_dot)

        # most functions: 1 us less than the general form takes
        is_simple = not (self.refuse or self.value_only or self.together or self._multiplies)
        if active == (0,) and is_simple:
            return linear_frule

        def multilinear_frule(dots: tuple[Any, ...], *args, **options) -> tuple[Any, Any]:
            if self.refuse is not None:
                self.refuse(*args, **options)
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
            if is_regular(y_dot, y):
                return y, y_dot
            return y, ProjectTo(y)(y_dot)

        return multilinear_frule

    def _product(
        self,
        primal: Function,
        i: int,
        dots: Sequence[Any],
        args: Args,
        options: Options,
    ) -> Any:
        """Call the primal with a tangent in the place of its argument, with ``0 * inf = 0``."""
        strictness = latest_strictness[0]
        is_watched = get_state(None) is strictness.error_state
        outer = strictness.applies
        token: Any = None
        if is_watched:
            strictness.applies = True
        else:
            token = strict()
        try:
            try:
                y_dot = with_dot(primal, i, dots, args, options)
                entries = 0
                for arg in args:
                    entries += getattr(arg, "size", 1)
                if self.primal in UNFLAGGED or entries > LARGE:
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

            def contract(x_dot, *values):
                given = with_items_at(args, [*factors, i], [*values, x_dot])
                return primal(*given, **options)

            return strong_contraction(contract, dots[i], [args[k] for k in factors])


def is_regular(y_dot, y) -> bool:
    """Tell whether a tangent of an array has its shape and dtype, as nearly all have."""
    if type(y) is not np.ndarray or issubclass(type(y_dot), AbstractTangent):
        return False
    try:
        return bool(y_dot.shape == y.shape and y_dot.dtype is y.dtype)
    except AttributeError:
        return False


def with_dot(
    primal: Function,
    i: int,
    dots: Sequence[Any],
    args: Args,
    options: Options,
) -> Any:
    """Call the primal with a tangent in the place of its argument."""
    return primal(*args[:i], dots[i], *args[i + 1 :], **options)


def strong_adjoint(adjoint: Function) -> Function:
    """Make an adjoint in which a zero of the cotangent wins over an infinity of an argument."""

    def strong(y_bar, *args, **options):
        factors = [k for k, arg in enumerate(args) if not isinstance(arg, Space)]

        def contract(t, *values):
            return unthunk(adjoint(t, *with_items_at(args, factors, values), **options))

        return strong_contraction(contract, y_bar, [args[k] for k in factors])

    return strong


def _project_or_blame(adjoint: Rule, space: Space, x_bar):
    """Project a cotangent, and name the adjoint where it returned what cannot be projected."""
    try:
        return space(x_bar)
    except ProjectionError as error:
        raise RuleContractError(
            f"the adjoint of {qualified_name(adjoint.primal)} at {adjoint.where}",
            error.got,
            error.instead,
            rule=adjoint,
            location=adjoint.where,
            argument="pullback",
            value=x_bar,
            expected=space.shape,
        ) from error


def _class_of(index: int, adjoints: Sequence[Rule]) -> Any:
    """Find the class that some adjoint's annotation gives to an argument, else array or number."""
    for adjoint in adjoints:
        cls = adjoint.types[index]
        if cls not in (object, Space):
            return cls
    return Array | Scalar
