"""`linear_rule` and `multilinear_rule`: declare that a function is linear, give its adjoint, get both rules.

Forward is the same call on the tangent. Reverse is the adjoint, a function of the cotangent, the arguments and the options;
the argument that it is the adjoint *in* comes as its `Space`, a shape and dtype without the array, so that an
adjoint cannot keep alive what it does not need. What the adjoint returns is brought into the argument's tangent space (dtype,
real part); a wrong shape is an error.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, TypeVar, overload

import numpy as np

from chainrules_py.arrays import Array, ArrayLibrary, Scalar
from chainrules_py.decorating import require_primals
from chainrules_py.errors import ProjectionError, RegistrationError, RuleContractError
from chainrules_py.float_errors import STRICT
from chainrules_py.identity import location, qualified_name
from chainrules_py.makers.linear_lines import arguments_of, stage_lines
from chainrules_py.makers.products import fit_tangent
from chainrules_py.makers.staging import Stage, closed, fitted
from chainrules_py.makers.writing import define, stem
from chainrules_py.projection import ProjectTo, Space
from chainrules_py.projection.dense import dense_space
from chainrules_py.registry import RuleTable, default_rules
from chainrules_py.rule import MODES, Rule, rule_from_function, with_defaults
from chainrules_py.strictness import get_state, relax, strict, watched_state
from chainrules_py.strong_contraction import LARGE, require_finite, strong_contraction
from chainrules_py.tangents import NO_TANGENT, ZERO, unthunk

UNFLAGGED = frozenset({np.vdot, np.convolve, np.correlate})  # no ufunc computes them: NumPy does not look at the flags
F = TypeVar("F", bound=Callable[..., Any])
Refuse = Callable[..., None]


@overload
def linear_rule(
    primal: Any, *, value_only: Collection[str] = (), refuse: Refuse | None = None, table: RuleTable = default_rules
) -> Callable[[F], F]: ...
@overload
def linear_rule(
    primal: Any,
    adjoint: Callable[..., Any],
    *,
    value_only: Collection[str] = (),
    refuse: Refuse | None = None,
    table: RuleTable = default_rules,
) -> None: ...
def linear_rule(
    primal: Any,
    adjoint: Callable[..., Any] | None = None,
    *,
    value_only: Collection[str] = (),
    refuse: Refuse | None = None,
    table: RuleTable = default_rules,
) -> Callable[[F], F] | None:
    """Register both rules of a function that is linear in its one argument; also a decorator of the adjoint.

    The adjoint is called as ``adjoint(y_bar, spec, **options)``; its keyword-only parameters are the options of the rule (and
    `xp`, if it asks for it), its second annotation the class it dispatches on. `value_only` names options that concern the
    value and not the derivative (an added constant, a demand for a copy): the tangent is computed without them. `refuse` is
    called with the options before anything is computed, and raises for those that cannot be differentiated.

    >>> import numpy as np
    >>> from chainrules_py import rrule
    >>> def doubled(x):
    ...     return x + x
    >>> linear_rule(doubled, lambda y_bar, x: y_bar + y_bar)
    >>> rrule(doubled, np.ones(2))[1](np.array([1.0, 5.0]))
    (array([ 2., 10.]),)
    """
    require_primals("linear_rule", (primal,))

    def declare(function: Callable[..., Any]) -> None:
        table.declare(primal, partial(_rules_of, primal, (function,), frozenset(value_only), refuse))

    def decorate(function: F) -> F:
        declare(function)
        return function

    if adjoint is None:
        return decorate
    declare(adjoint)
    return None


def multilinear_rule(
    primal: Any, *adjoints: Callable[..., Any] | None, together: bool = False, table: RuleTable = default_rules
) -> None:
    """Register both rules of a function that is linear in each argument: one adjoint per argument.

    Adjoint `i` is called as ``adjoint(y_bar, *args, **options)`` with argument `i` replaced by its spec. None stands for
    an argument without a tangent space (indices, axes). A function that is linear in its arguments `together`, as a sum is
    and a product is not, may say so: an adjoint then gets None for the other ones, which are not kept.

    >>> import numpy as np
    >>> from chainrules_py import rrule
    >>> def scaled(c, x):
    ...     return c * x
    >>> multilinear_rule(scaled, lambda y_bar, c, x: (y_bar * x).sum(), lambda y_bar, c, x: c * y_bar)
    >>> y, pullback = rrule(scaled, 3.0, np.array([1.0, 2.0]))
    >>> pullback(np.ones(2))
    (3.0, array([3., 3.]))
    """
    require_primals("multilinear_rule", (primal,))
    table.declare(primal, partial(_rules_of, primal, adjoints, together=together))


@dataclass(frozen=True, eq=False)
class MultilinearForm:
    """A function that is linear in each argument that has an adjoint, or in all of these together."""

    primal: Any
    adjoints: tuple[Callable[..., Any] | None, ...]
    rules: tuple[Rule | None, ...]
    value_only: frozenset[str] = frozenset()
    refuse: Refuse | None = None
    together: bool = False
    written: dict[Any, Callable[..., Any]] = field(default_factory=dict)  # reverse rules, by pattern

    def specialise_reverse(self, types: tuple[type, ...], needs: tuple[bool, ...], library: ArrayLibrary) -> Callable[..., Any]:
        """Reverse: adjoints of the needed arguments; an argument is kept only if another one's adjoint is needed."""
        key = (types, needs, library)
        if key not in self.written:
            needed = tuple(i for i, adjoint in enumerate(self.adjoints) if adjoint is not None and needs[i])
            self.written[key] = self._named(closed(self._stage(types, needed, library), self._multiplies), "rrule", needed)
        return self.written[key]

    def _stage(self, types: tuple[type, ...], needed: tuple[int, ...], library: ArrayLibrary) -> Stage:
        stage, pull = self._stage_and_pull(types, needed, library)

        @cache
        def careful_pull() -> Callable[..., Any]:
            return self._stage_and_pull(types, needed, library, strong=True)[1]

        def careful(residuals: Any, y_bar: Any) -> tuple[Any, ...]:
            bars: tuple[Any, ...] = careful_pull()(residuals, y_bar)
            return bars

        if self._multiplies:
            pull.careful = careful  # type: ignore[attr-defined]
        return stage

    @property
    def _multiplies(self) -> bool:
        """Whether it is a product: linear in each of several arguments by itself."""
        return not self.together and sum(adjoint is not None for adjoint in self.adjoints) > 1

    def _stage_and_pull(
        self, types: tuple[type, ...], needed: tuple[int, ...], library: ArrayLibrary, strong: bool = False
    ) -> tuple[Stage, Callable[..., Any]]:
        """The rule without a closure, as `linear_lines` writes it, and its pullback; `strong` where zero wins over infinity."""
        name = stem(self.primal, "linear")
        scope: dict[str, Any] = {
            "primal": library.implementation(self.primal),
            "dense_space": dense_space,
            "NO_TANGENT": NO_TANGENT,
            "ProjectTo": ProjectTo,
            "bring": _bringing(next(rule for rule in self.rules if rule is not None), self._where(needed)),
            "refuse": self.refuse,
            "require_finite": require_finite,
        }
        for i, adjoint in enumerate(self._bound(library)):
            scope |= {f"adjoint{i}": strong_adjoint(adjoint) if strong and adjoint else adjoint, f"class{i}": types[i]}
        unread = [i for i, adjoint in enumerate(self.adjoints) if adjoint is not None] if self.together else []
        flagged = self.primal not in UNFLAGGED if self._multiplies and not strong else None
        arguments = arguments_of([*map(ProjectTo.is_dense, types)], needed, unread, flagged)
        lines = stage_lines(name, arguments, self.refuse is not None)
        pattern = ", ".join(f"{'x' if i in needed else '-'} {cls.__qualname__}" for i, cls in enumerate(types))
        origin = f"<{name}_stage of {self._where(needed)} for {pattern}{' with strong products' if strong else ''}>"
        return define(f"{name}_stage", lines, scope, origin), scope[f"{name}_pull"]

    def specialise_forward(self, types: tuple[type, ...], needs: tuple[bool, ...], library: ArrayLibrary) -> Callable[..., Any]:
        """Forward: the sum over active arguments of the same call with the tangent in its place."""
        primal = library.implementation(self.primal)
        active = tuple(i for i, adjoint in enumerate(self.adjoints) if adjoint is not None and needs[i])

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
                parts = [x if adjoint is None else 0 for x, adjoint in zip(args, self.adjoints, strict=True)]
                for i in active:
                    parts[i] = dots[i]
                return y, fit_tangent(primal(*parts, **options), y)
            first, *others = active
            y_dot = term(primal, first, dots, args, options)
            for i in others:
                y_dot = y_dot + term(primal, i, dots, args, options)
            return y, fitted(y_dot, type(y), y.shape, y.dtype) if type(y) is np.ndarray else ProjectTo(y)(y_dot)

        return self._named(multilinear_frule, "frule", active)

    def _product(
        self, primal: Callable[..., Any], i: int, dots: Sequence[Any], args: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        """Call the primal with a tangent in the place of its argument; a zero of the tangent wins over an infinity."""
        factors = [k for k, adjoint in enumerate(self.adjoints) if adjoint is not None and k != i]

        def contract(x_dot: Any, *values: Any) -> Any:
            placed = dict(zip(factors, values, strict=True)) | {i: x_dot}
            return primal(*[placed.get(k, arg) for k, arg in enumerate(args)], **options)

        token = None if get_state(None) is watched_state[0] else strict()
        y_dot = STRICT
        try:
            try:
                y_dot = with_dot(primal, i, dots, args, options)
                if self.primal in UNFLAGGED or sum(getattr(arg, "size", 1) for arg in args) > LARGE:
                    require_finite(y_dot)
                return y_dot
            finally:
                if token is not None:
                    relax(token)
        except FloatingPointError:
            y_dot = None
            return strong_contraction(contract, dots[i], [args[k] for k in factors])

    def _bound(self, library: ArrayLibrary) -> tuple[Callable[..., Any] | None, ...]:
        return tuple(
            None
            if rule is None or adjoint is None
            else with_defaults(adjoint, {"xp": library.namespace} if "xp" in rule.wants else {})
            for adjoint, rule in zip(self.adjoints, self.rules, strict=True)
        )

    def _named(self, function: Callable[..., Any], entry_point: str, indices: Sequence[int]) -> Callable[..., Any]:
        name = f"{getattr(self.primal, '__name__', 'linear')}_{entry_point}"
        function.__name__ = function.__qualname__ = name
        function.__rule_location__ = self._where(indices)  # type: ignore[attr-defined]
        return function

    def _where(self, indices: Sequence[int]) -> str:
        """Where the first of these adjoints is written."""
        return next((location(adjoint) for i in indices if (adjoint := self.adjoints[i]) is not None), "")


def with_dot(primal: Callable[..., Any], i: int, dots: Sequence[Any], args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Call the primal with a tangent in the place of its argument."""
    return primal(*args[:i], dots[i], *args[i + 1 :], **options)


def strong_adjoint(adjoint: Callable[..., Any]) -> Callable[..., Any]:
    """An adjoint in which a zero of the cotangent wins over an infinity of the other arguments."""

    def strong(y_bar: Any, *args: Any, **options: Any) -> Any:
        factors = [k for k, arg in enumerate(args) if not isinstance(arg, Space)]

        def contract(t: Any, *values: Any) -> Any:
            placed = dict(zip(factors, values, strict=True))
            return unthunk(adjoint(t, *[placed.get(k, arg) for k, arg in enumerate(args)], **options))

        return strong_contraction(contract, y_bar, [args[k] for k in factors])

    return strong


def _bringing(rule: Rule, where: str) -> Callable[..., Any]:
    """`bring`, with the adjoint named that returned what cannot be brought."""

    def bring_or_blame(space: Space, x_bar: Any) -> Any:
        try:
            return space(x_bar)
        except ProjectionError as error:
            place = f"the adjoint of {qualified_name(rule.primal)} at {where}"
            data = {"rule": rule, "location": where, "argument": "pullback", "value": x_bar, "expected": space.shape}
            raise RuleContractError(place, error.got, error.instead, **data) from error

    return bring_or_blame


def _rules_of(
    primal: Any,
    adjoints: tuple[Callable[..., Any] | None, ...],
    value_only: frozenset[str] = frozenset(),
    refuse: Refuse | None = None,
    together: bool = False,
) -> Iterator[Rule]:
    # An adjoint has the shape of a forward rule: one extra positional argument in front, then the primal's arguments.
    read = tuple(None if adjoint is None else rule_from_function("forward", primal, adjoint) for adjoint in adjoints)
    described = [rule for rule in read if rule is not None]
    count = len(adjoints)
    for rule in described:
        if len(rule.types) != count:
            raise RegistrationError(
                f"the adjoint {rule.name} of {qualified_name(primal)} at {rule.where}",
                f"takes {len(rule.types)} arguments after the cotangent, where the rule has {count}",
                "write adjoint(y_bar, *arguments, *, options)",
                primal=primal,
                rule=rule.function,
            )
    classes = tuple(object if adjoint is None else _class_of(i, described) for i, adjoint in enumerate(adjoints))
    form = MultilinearForm(primal, adjoints, read, value_only, refuse, together)
    options = None if any(r.options is None for r in described) else frozenset().union(*(r.options or () for r in described))
    for mode in MODES:
        yield Rule(
            mode=mode,
            primal=primal,
            types=classes,
            names=described[0].names,
            function=form._named(_placeholder(), "rrule" if mode == "reverse" else "frule", ()),
            options=options,
            defaults=tuple(default for rule in described for default in rule.defaults),
            specialise=form.specialise_reverse if mode == "reverse" else form.specialise_forward,
            where=described[0].where,
        )


def _class_of(index: int, described: Sequence[Rule]) -> Any:
    """The class that any adjoint's annotation gives to an argument; arrays and numbers where none says."""
    return next((rule.types[index] for rule in described if rule.types[index] not in (object, Space)), Array | Scalar)


def _placeholder() -> Callable[..., Any]:
    def refuse_call(*args: Any) -> Any:
        raise TypeError("a linear rule is called through resolve, which specialises it")

    return refuse_call
