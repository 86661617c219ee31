"""The rules of planned calls as autograd wants them: bound to a library that knows the value.

Where autograd asks a rule of its own tables, the value is known already. Then the rule is bound to
a library whose implementation of the primal hands the known value out.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from autograd.numpy.numpy_boxes import ArrayBox

from chainrules_autograd.boxes import CONTAINERS, is_box_or_array
from chainrules_autograd.calls import runs
from chainrules_py import ArrayLibrary, default_rules
from chainrules_py.engines import (
    BoundCall,
    CanonicalCall,
    FlatCall,
    KnownCall,
    Mode,
    held,
    kind,
    library_of_types,
    made_of,
)

Args = Sequence[Any]
Options = dict[str, Any]


class BoundRule(BoundCall):
    """A rule bound for the calls of one kind.

    `nested` says that arguments are boxes, of an outer derivative.
    """

    run: Callable[..., Any]
    known: KnownCall | None
    nested: bool

    def tell(self, value, args: Args, options: Options) -> None:
        """Tell the rule the value of the call that is run next."""
        assert self.known is not None, "the rule is bound to a library that knows the value"
        # A box of a tuple is not taken for the value: no call of the rule has these arguments, so
        # that it computes its own.
        own_args = () if isinstance(value, CONTAINERS) else args
        self.known.call = own_args, options, value


def bound_rule(mode: Mode, knows: bool, call: CanonicalCall) -> BoundRule | None:
    """Bind the rule of a call of arrays and numbers; None where the rule cannot run on them."""
    types = call.types
    rule = call.rule(mode, types)
    if rule is None or any(kind(cls) is not None for cls in types):
        return None
    if rule.body is not None and call.table is not default_rules:  # which its calls ask, too
        return None
    nested = ArrayBox in types
    if nested and (call.table is not default_rules or not _runs_on_boxes(mode, call)):
        return None

    # To an outer derivative the value is a call of the function; else it is computed by what
    # `primitive` made the function of.
    library = library_of_types(types)
    function = made_of(call.written)
    if nested:
        library = library.calling(call.written)
    elif function is not None:
        library = library.implementing(call.written, function)
    known = None
    if knows:
        known = KnownCall()
        function = known_or_computed(known, library, call.primal)
        library = library.implementing(call.primal, function)
    run = held(rule, rule.bind(types, call.needs, library), call.needs)
    return BoundRule(call.table, call.primal, rule, call.needed, run, known, nested)


# by whether the value is known
REVERSE = {knows: partial(bound_rule, "reverse", knows) for knows in (False, True)}
FORWARD = {knows: partial(bound_rule, "forward", knows) for knows in (False, True)}


def _runs_on_boxes(mode: Mode, call: CanonicalCall) -> bool:
    if call.may_have_options:
        return False
    flat, leaves = FlatCall.of(call.primal, tuple(call.values), {}, is_box_or_array, call.table)
    pairs = zip(call.values, call.needs, strict=True)
    needs_of_leaves = [need for x, need in pairs if not isinstance(x, int | str | None)]
    return len(leaves) == len(needs_of_leaves) and runs(flat, leaves, needs_of_leaves, mode)


def known_or_computed(known: KnownCall, library: ArrayLibrary, primal) -> Callable[..., Any]:
    """Make a function that takes the known value of a call, and computes those of others."""

    def value_of(*args, **options) -> Any:
        value = known.value_of(args, options)
        return library.implementation(primal)(*args, **options) if value is None else value

    return value_of
