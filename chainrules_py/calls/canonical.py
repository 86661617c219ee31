"""Find the primal of a call, under whatever name, and bring its arguments to canonical form.

Aliases, `functools.partial`, bound methods and callable objects come to one primal; positions and
keywords come to one form (`callform`), which depends on how many arguments the primal's rules
dispatch on.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from types import ModuleType
from typing import Any

from chainrules_py.annotations import Args, Options
from chainrules_py.calls.callform import Arrangement, CallForm
from chainrules_py.errors import NoRuleError
from chainrules_py.rules.config import RuleConfig
from chainrules_py.rules.rule import MODES, Mode, Rule
from chainrules_py.values import discovery
from chainrules_py.values.identity import home_module, lives_with_module, made_of

Adapt = Callable[..., tuple[Args, Options]]


class Alias:
    """Another name of a canonical primal; `adapt` rewrites the call where the parameters differ.

    `reads_shapes` says that `adapt` looks at the shapes of the arguments.
    """

    __slots__ = ("adapt", "primal", "reads_shapes")

    def __init__(self, primal, adapt: Adapt | None = None, reads_shapes: bool = False) -> None:
        self.primal, self.adapt, self.reads_shapes = primal, adapt, reads_shapes

    def keeps(self, args: Args) -> bool:
        """Whether a call of the name has the arguments of one of the primal."""
        return self.adapt is None or self.adapt(*args) == (args, {})


class CallNormalizer:
    """Brings calls to canonical form by the aliases of one table and of its parents.

    `rules_of` lists a primal's rules.
    """

    def __init__(
        self, parent: "CallNormalizer | None", rules_of: Callable[..., Iterator[Rule]]
    ) -> None:
        self.parent, self.rules_of = parent, rules_of
        self.aliases: dict[Any, Alias] = {}
        self._forms: dict[Any, CallForm] = {}
        self._loaded: set[tuple[Any, bool]] = set()  # listed functions with all their rules

    def canonical(
        self, primal, args: Args, options: Options, forms: dict[Any, CallForm]
    ) -> tuple[Any, Args, Options]:
        """The canonical form of a call: primal, arguments by position, options by keyword.

        Where the call is canonical as it is, its form is stored in `forms`.
        """
        alias, arity, arranged, remaining = self._arranged(primal, args, options)
        if len(arranged) < arity:
            arranged += self.defaults_after(alias.primal, len(arranged))
        if alias.adapt is None and arranged is args:
            form = self.form(alias.primal)
            if form.is_canonical(args, options, arity) and lives_with_module(primal):
                forms[primal, len(args), *options] = form
        return alias.primal, arranged, remaining

    def left_out(self, primal, args: Args, options: Options) -> Args:
        """List the defaults at the end of the canonical form which the call does not pass."""
        alias, arity, arranged, _ = self._arranged(primal, args, options)
        return self.defaults_after(alias.primal, len(arranged)) if len(arranged) < arity else ()

    def primal_of(self, primal, args: Args, options: Options) -> Any:
        """The function that the rules of a call belong to, under whatever name it is called."""
        primal, _, _ = self._unwrap(primal, args, options)
        require_primal(primal)
        return self.alias_of(primal).primal

    def _arranged(self, primal, args: Args, options: Options) -> tuple[Alias, int, Args, Options]:
        """Bring a call to canonical form, and count the arguments its rules dispatch on.

        Defaults that the call leaves out are not added.
        """
        primal, args, options = self._unwrap(primal, args, options)
        require_primal(primal)
        self.load(primal)  # how a call is arranged depends on its rules
        alias = self.alias_of(primal)
        if alias.adapt is not None:
            args, options = alias.adapt(*args, **options)
        arity = self.arity(alias.primal, len(args))
        return alias, arity, *self.form(alias.primal).arrange(args, options, arity)

    def defaults_after(self, primal, given: int, modes: Iterable[Mode] = MODES) -> Args:
        """List the defaults of arguments that follow, where all rules dispatch on more."""
        form, rules = self.form(primal), list(self.rules_of(primal, modes))
        lengths = {len(rule.types) for rule in rules}
        if not form.known or given in lengths or any(rule.variadic for rule in rules):
            return ()
        for length in sorted(lengths):
            missing = form.names[given:length]
            are_all_named = given < length <= len(form.names)
            if are_all_named and form.defaults.keys() >= set(missing):
                return tuple([form.defaults[name] for name in missing])
        return ()

    def arrangement(
        self, primal, count: int, options: Iterable[str], by_class: bool = False
    ) -> Arrangement | None:
        """Arrange calls with `count` positional arguments and options of these names.

        None where that depends on more than their number and names, and on the classes of the
        options with `by_class`: `canonical` does it call by call.
        """
        self.load(primal)  # before its rules are looked at, which are remembered then
        if not self.knows(primal):
            return None
        alias = self.alias_of(primal)
        if alias.reads_shapes:
            return None  # plans have the values of arrays in lanes, of other shapes
        if alias.primal is not primal:
            self.load(alias.primal)
        form, arity = self.form(alias.primal), self.arity(alias.primal, count)
        # an engine keeps this no longer than the rules that are looked at
        defaults_after = cache(partial(self.defaults_after, alias.primal))
        moves_options = False
        if form.known and alias.adapt is None:
            names = form.names[: max(arity, count)]
            is_short = count < arity and bool(defaults_after(count))
            moves_options = is_short or any(name in names for name in options)
            given_twice = any(name in form.names[:count] for name in options)
            if count > len(form.names) or given_twice or (moves_options and not by_class):
                return None
        return Arrangement(
            alias.primal,
            form,
            arity if form.known else count,
            alias.adapt,
            defaults_after,
            moves_options,
        )

    def load(self, primal, batching: bool = False) -> None:
        """Import the rules of a function, whichever of its names this is; on request, with those
        for many examples.
        """
        try:
            if (primal, batching) in self._loaded:
                return
        except TypeError:  # an unhashable callable object
            self._load(primal, batching)
            return
        if self._load(primal, batching):
            self._loaded.add((primal, batching))

    def _load(self, primal, batching: bool) -> bool:
        function = made_of(primal)
        named = primal if function is None else function
        discovery.load_other_names(home_module(named))
        try:
            canonical = self.alias_of(named).primal
        except TypeError:  # an unhashable callable object
            canonical = named
        return discovery.load_rules_of(canonical, batching)

    def is_listed(self, primal) -> bool | None:
        """Whether a function has rules that nobody has imported yet, or has none; None where only
        the rules tell.
        """
        if made_of(primal) is not None:
            return None
        discovery.load_other_names(home_module(primal))
        return None if self.is_alias(primal) else discovery.is_listed(primal)

    def is_alias(self, primal) -> bool:
        """Whether this is another name of a function."""
        own = primal in self.aliases
        return own or (self.parent is not None and self.parent.is_alias(primal))

    def knows(self, primal) -> bool:
        """Whether there are rules of this very object, or it is an alias."""
        try:
            own = primal in self.aliases or next(self.rules_of(primal), None) is not None
        except TypeError:  # an unhashable callable object
            return False
        return own or (self.parent is not None and self.parent.knows(primal))

    def alias_of(self, primal) -> Alias:
        """Return what a name stands for; a primal stands for itself."""
        found = self.aliases.get(primal)
        if found is None:
            return self.parent.alias_of(primal) if self.parent is not None else Alias(primal)
        # a name of what is itself another name
        return self.alias_of(found.primal) if found.adapt is None else found

    def form(self, primal) -> CallForm:
        """The parameters of a primal, read once."""
        if self.parent is not None:
            return self.parent.form(primal)
        found = self._forms.get(primal)
        if found is None:
            found = CallForm.of(primal)
            if lives_with_module(primal):
                self._forms[primal] = found
        return found

    def forget_forms(self) -> None:
        """Forget which parameters functions have: it is read again, and keeps none alive."""
        self._forms = {}

    def _unwrap(self, primal, args: Args, options: Options) -> tuple[Any, Args, Options]:
        while isinstance(primal, partial):
            primal, args, options = (
                primal.func,
                (*primal.args, *args),
                {**primal.keywords, **options},
            )
        self.load(primal)  # of a callable object: the pack of its class
        primal = self._rewritten_name(primal)
        if self.knows(primal):
            return primal, args, options
        owner = getattr(primal, "__self__", None)
        if owner is not None and not isinstance(owner, ModuleType):
            method = getattr(type(owner), getattr(primal, "__name__", ""), None)
            if method is None:
                return primal, args, options
            return self._rewritten_name(method), (owner, *args), options
        call = getattr(type(primal), "__call__", None)
        if call is not None and self.knows(call):
            return call, (primal, *args), options
        return primal, args, options

    def _rewritten_name(self, primal) -> Any:
        """Find the name that a primitive was made of, where calls of that name are rewritten.

        A primitive with rules of its own stays itself.
        """
        function = made_of(primal)
        if function is None or self.alias_of(function).adapt is None:
            return primal
        is_own = any(rule.primal is primal for rule in self.rules_of(primal))
        return primal if is_own or self.alias_of(primal).primal is not primal else function

    def arity(self, primal, given: int, modes: Iterable[Mode] = MODES) -> int:
        """Count the positional arguments: those of the longest rule, or all if one is variadic."""
        longest = -1
        for rule in self.rules_of(primal, modes):
            if rule.variadic:
                return given
            longest = max(longest, len(rule.types))
        return given if longest < 0 else longest


def require_primal(primal) -> None:
    """Raise NoRuleError for what is no function, or is a callable that cannot be hashed."""
    name = type(primal).__qualname__
    if not callable(primal):
        got = f"a {name} stands where the function goes"
        instead = (
            "write rrule(function, *args) or frule(tangents, function, *args): the function, not"
            " its result"
        )
        if isinstance(primal, RuleConfig):
            instead = "pass an engine's config by name: rrule(function, *args, config=...)"
    elif type(primal).__hash__ is None:
        got = f"objects of class {name} cannot be hashed, and their class has no rule"
        instead = f"register one for {name}.__call__, of which the object is argument 0"
    else:
        return
    raise NoRuleError(
        "rrule and frule", got, instead, mode=None, primal=primal, types=(), nearest=()
    )
