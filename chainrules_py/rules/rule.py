"""A rule as the table keeps it: a function, its argument classes, and what it wants to be given."""

import types
import typing
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from inspect import getclosurevars
from typing import Any, Literal, NamedTuple

from chainrules_py.annotations import Function
from chainrules_py.errors import OptionError, RegistrationError
from chainrules_py.rules.config import HandlesOverwriting, RuleConfig
from chainrules_py.values.arrays import ArrayLibrary
from chainrules_py.values.identity import location, qualified_name
from chainrules_py.values.notebooks import html_table
from chainrules_py.values.records import Record
from chainrules_py.values.signatures import Parameters, parameters_of

Mode = Literal["reverse", "forward", "batching"]
# the modes of differentiation; rules for batching say what a function does with many examples
MODES: tuple[Mode, Mode] = ("reverse", "forward")
ENTRY_POINTS: dict[Mode, str] = {"reverse": "rrule", "forward": "frule", "batching": "batched"}
OTHER_MODE: dict[Mode, Mode] = {"reverse": "forward", "forward": "reverse"}
Specialise = Callable[[tuple[type, ...], tuple[bool, ...], ArrayLibrary], Function]

INJECTED = frozenset({"xp", "needs"})
_GIVEN = INJECTED | {"config"}  # what a rule is given if it has a keyword of that name


class Linearity(NamedTuple):
    """In which arguments, by position, a function is linear.

    That is in each of them by itself, as a product is, or in all of them together, as a sum is. An
    argument that is a list or tuple counts as one, and the function is linear in its arrays
    together. `value_only` names options that concern the value and not the derivative.
    """

    arguments: tuple[bool, ...]
    together: bool
    value_only: frozenset[str] = frozenset()


class Rule(Record):
    """One method of one primal and mode.

    `types` and `variadic` are the classes of the positional arguments, `names` what the rule's
    author called them, `config` the class of the engine's config. `options` are the option names
    that the function takes (None: any), `defaults` what those are that have one. `specialise` makes
    the function for one pattern of types and needs; without it `function` serves all. `partials`
    evaluates the partial derivatives of a scalar rule, and `written_partials` gives them as their
    author wrote them, expressions and functions, a row per output. `checks_seed` says that its
    pullbacks refuse a wrong cotangent themselves. `overwrites` is the position of the argument that
    the primal writes into: the rule does, too, and its value is that argument. `linear` says in
    which arguments the primal is linear, where the maker of the rule was told. For a rule for
    batching, `axes` is the word that it was made of, if one says it, and `laned_options` are the
    options that may differ from lane to lane. `body` is the program of other functions from which
    the rule was made, where it was: an engine may run it on its own values instead. `derived_from` is
    the rule of the other mode that it was made of, for an engine that can. `depth` counts the
    tables beneath that which it was put into, `since` the rules that came before it; both are zero
    for those of this distribution, one of which may be kept in `replaces`, and `instead_of` are the
    places of all that stood where it stands. An opt-out has no function: where it is the most
    specific rule there is none.
    """

    mode: Mode
    primal: Any
    types: tuple[Any, ...]
    function: Function | None
    variadic: Any = None
    names: tuple[str, ...] = ()
    config: type[RuleConfig] = RuleConfig
    wants: frozenset[str] = frozenset()
    options: frozenset[str] | None = None
    defaults: tuple[tuple[str, Any], ...] = ()
    specialise: Specialise | None = None
    partials: Callable[..., tuple[Any, ...]] | None = None
    written_partials: Callable[[], tuple[tuple[Any, ...], ...]] | None = None
    checks_seed: bool = False
    differentiable: bool = True
    overwrites: int | None = None
    linear: Linearity | None = None
    axes: Any = None
    laned_options: frozenset[str] = frozenset()
    body: Function | None = None
    derived_from: "Rule | None" = None
    depth: int = 0
    since: int = 0
    replaces: "Rule | None" = None
    instead_of: frozenset[str] = frozenset()
    where: str = ""

    @property
    def name(self) -> str:
        """The name of the rule's function, as a traceback shows it, or of the word that it is."""
        if self.axes is not None:
            return str(self.axes.kind)
        return getattr(self.function, "__name__", "opt_out")

    @property
    def signature(self) -> str:
        """The types it dispatches on, as one reads them in an annotation."""
        names = [_type_name(cls) for cls in self.types]
        if self.variadic:
            names.append(f"*{_type_name(self.variadic)}")
        wanted = " and ".join([ability.__qualname__ for ability in self.abilities])
        return f"({', '.join(names)}{f'; config: {wanted}' if wanted else ''})"

    @cached_property
    def abilities(self) -> tuple[type[RuleConfig], ...]:
        """What the config of an engine has to be, for this to be its rule."""
        asked = () if self.config is RuleConfig else (self.config,)
        return asked if self.overwrites is None else (*asked, HandlesOverwriting)

    def suits(self, config: type[RuleConfig]) -> bool:
        """Whether an engine with a config of this class can have this rule."""
        return all(issubclass(config, ability) for ability in self.abilities)

    @cached_property
    def label(self) -> str:
        """``rrule(numpy.sin)``: how a person names this rule."""
        return f"{ENTRY_POINTS[self.mode]}({qualified_name(self.primal)})"

    @cached_property
    def place(self) -> str:
        """The label with file and line, for errors."""
        return f"{self.label} at {self.where}"

    def __str__(self) -> str:
        return f"{self.label}{self.signature} by {self.name} at {self.where}"

    def __repr__(self) -> str:
        return f"<{self}>"

    def _repr_html_(self) -> str:
        facts = {"arguments": self.signature, "by": self.name, "at": self.where}
        if self.options:
            facts["options"] = ", ".join(sorted(self.options))
        for of, formula in self.formulas().items():
            facts[of] = f"${formula}$"
        return html_table(self.label, (), [*facts.items()])

    def formulas(self) -> dict[str, str]:
        """Write the partial derivatives that are formulas in LaTeX, by ``dy/dx``."""
        from chainrules_py.rules.formulas import (
            in_latex,  # for people, whom few programs show rules
        )

        found = self._write_partials(in_latex)
        return {of: formula for of, formula in found.items() if not formula.startswith(r"\mathtt{")}

    def expressions(self) -> dict[str, str]:
        """Write the partial derivatives as Python, by ``dy/dx``, for terminals; y is the output."""
        from chainrules_py.rules.formulas import in_python

        return self._write_partials(in_python)

    def _write_partials(self, write: Callable[[Any, str], str]) -> dict[str, str]:
        rows = () if self.written_partials is None else self.written_partials()
        out = "y" if "y" not in self.names else "f"
        found = {}
        for number, row in enumerate(rows, 1):
            output = "y" if len(rows) == 1 else f"y{number}"
            for name, formula in zip(self.names, row, strict=True):
                found[f"d{output}/d{name}"] = write(formula, out)
        return found

    def bind(
        self, types: tuple[type, ...], needs: tuple[bool, ...], library: ArrayLibrary
    ) -> Function:
        """The function with `xp` and `needs` bound; a rule for batching is given its lanes."""
        if self.specialise is not None:
            return self.specialise(types, needs, library)
        assert self.function is not None, "an opt-out has nothing to bind"
        given = {"xp": library.namespace, "needs": needs}
        bound = with_defaults(self.function, {name: given[name] for name in self.wants & INJECTED})
        return partial(bound, needs) if self.mode == "batching" else bound


def with_defaults(function: Function, values: dict[str, Any]) -> Function:
    """Copy a function with other keyword defaults, so that a call costs what it did before."""
    if not values:
        return function
    if not isinstance(function, types.FunctionType) or not function.__code__.co_kwonlyargcount:
        return partial(function, **values)
    copy = types.FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__kwdefaults__ = {**(function.__kwdefaults__ or {}), **values}
    copy.__qualname__ = function.__qualname__
    copy.__doc__ = function.__doc__
    copy.__dict__ = dict(function.__dict__)
    return copy


def rule_from_function(mode: Mode, primal, function: Function, *, defaults: bool = False) -> Rule:
    """Read a rule off a function's signature: its types and options, and what it wants to be given.

    `defaults` says that arguments may have some.
    """
    require_callable(primal, function)
    read = _parameters(primal, function)
    # the first of the others are the tangents, or the lanes
    names = read.positional if mode == "reverse" else read.positional[1:]
    if not defaults:
        _require_no_defaults(primal, function, read, names)
    return Rule(
        mode=mode,
        primal=primal,
        types=tuple([_annotation(primal, function, read, name) for name in names]),
        variadic=_annotation(primal, function, read, read.rest) if read.rest else None,
        names=names,
        function=function,
        config=_config_class(primal, function, read),
        wants=_GIVEN.intersection(read.keyword_only),
        options=frozenset(read.keyword_only) - _GIVEN if read.options is None else None,
        defaults=tuple(
            [(name, read.defaults[name]) for name in read.keyword_only if name in read.defaults]
        ),
        where=location(function),
    )


def by_number_of_arguments(rule: Rule) -> Iterator[Rule]:
    """The rule for each number of arguments: those with a default may be absent."""
    required = len(rule.types) - len(getattr(rule.function, "__defaults__", None) or ())
    for count in range(required, len(rule.types) + 1):
        yield rule.replaced(types=rule.types[:count])


def _require_no_defaults(primal, function, read: Parameters, names: Iterable[str]) -> None:
    for name in names:
        if name in read.defaults:
            raise _bad_rule(
                primal,
                function,
                f"positional parameter {name!r} has a default",
                "make options keyword-only",
            )


def _parameters(primal, function) -> Parameters:
    try:
        return parameters_of(function)
    except (TypeError, ValueError) as error:  # no function at all, or one without a signature
        where = f"a rule of {qualified_name(primal)}"
        got = f"{function!r} has no signature to read argument classes from"
        raise RegistrationError(
            where, got, "register a Python function", primal=primal, rule=function
        ) from error


def require_place_for_tangents(primal, function) -> None:
    """Raise for a forward rule whose first parameter is annotated as no tangent can be."""
    read = _parameters(primal, function)
    got = "has no parameters"
    if read.names:
        first = read.names[0]
        hint = read.annotations.get(first, object)
        is_free = not isinstance(hint, type) or hint in (object, Any)
        if is_free or issubclass(hint, tuple):
            return
        got = f"its first parameter is {first}: {hint.__name__}"
    instead = "take the tangents first: dots, a tuple of one per argument, and then the arguments"
    raise _bad_rule(primal, function, got, instead)


def require_mode(mode, where: str, modes: Iterable[str] = MODES) -> None:
    """Raise for a mode that is none of these: "reverse" or "forward" in a differentiation."""
    if mode not in modes:
        instead = f"write one of {', '.join(map(repr, modes))}"
        raise OptionError(
            where, f"got mode={mode!r}", instead, primal=None, option="mode", value=mode
        )


def require_callable(primal, function, where: str | None = None) -> None:
    """Raise for a primal that cannot be called; `where` says who declares it."""
    if not callable(primal):
        raise RegistrationError(
            where or f"a rule at {location(function)}",
            f"its primal {primal!r} is a {type(primal).__qualname__}, which is not callable",
            "register a function, a class (for its constructor) or Class.__call__ (for callable"
            " objects)",
            primal=primal,
            rule=function,
        )
    if isinstance(primal, partial):
        raise RegistrationError(
            where or f"a rule at {location(function)}",
            f"its primal is a partial of {qualified_name(primal.func)}, and its calls count as calls"
            " of that",
            f"register {qualified_name(primal.func)}, or a function of your own that calls it",
            primal=primal,
            rule=function,
        )


def require_classes(primal, function, hints: Iterable[Any]) -> tuple[Any, ...]:
    """Return annotations as classes or unions of classes; raise for any others."""
    return tuple(_as_class(primal, function, hint) for hint in hints)


def _annotation(primal, function, read: Parameters, name: str) -> Any:
    hint = read.annotations.get(name, object)
    if isinstance(hint, str):
        scope = dict(getclosurevars(function).nonlocals)
        try:
            hint = eval(hint, function.__globals__, scope)
        except (NameError, AttributeError, SyntaxError) as error:
            got = f"the annotation {hint!r} of {name!r} names nothing"
            raise _bad_rule(primal, function, got, "import the class at run time") from error
    return _as_class(primal, function, hint)


def _config_class(primal, function, read: Parameters) -> type[RuleConfig]:
    hint: Any = object
    if "config" in read.keyword_only:
        hint = _annotation(primal, function, read, "config")
    if hint is object:
        return RuleConfig
    if isinstance(hint, type) and issubclass(hint, RuleConfig):
        return hint
    got = f"its config is annotated with {_type_name(hint)}, which no engine is"
    raise _bad_rule(
        primal,
        function,
        got,
        "annotate it with HasReverseMode, HasForwardsMode or another RuleConfig",
    )


def _as_class(primal, function, hint) -> Any:
    if hint is Any:
        return object
    if hint is None:
        return type(None)
    if isinstance(hint, type) and not isinstance(hint, types.GenericAlias):
        if getattr(hint, "_is_protocol", False) and not getattr(
            hint, "_is_runtime_protocol", False
        ):
            got = f"dispatches on the protocol {_type_name(hint)}, which isinstance cannot check"
            raise _bad_rule(primal, function, got, "decorate it with typing.runtime_checkable")
        return hint
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        members = require_classes(primal, function, typing.get_args(hint))
        return typing.Union[members]  # noqa: UP007  (a tuple of members has no | form)
    raise _bad_rule(
        primal,
        function,
        f"dispatches on {hint!r}, which is not a class",
        "annotate with a bare class such as Array and branch inside",
    )


def _bad_rule(primal, function, got: str, instead: str) -> RegistrationError:
    where = f"the rule {function.__qualname__} for {qualified_name(primal)} at {location(function)}"
    return RegistrationError(where, got, instead, primal=primal, rule=function)


def _type_name(hint) -> str:
    if isinstance(hint, type):
        return hint.__qualname__
    return " | ".join(_type_name(member) for member in typing.get_args(hint))
