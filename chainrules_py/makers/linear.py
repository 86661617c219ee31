"""`linear_rule`: declare that a function is linear, give its adjoint, get both rules.

    linear_rule(np.reshape, reshape_adjoint)

in its one argument (so written, it is a decorator of the adjoint, too);

    linear_rule(np.matmul, matmul_adjoint_a, matmul_adjoint_b)
    linear_rule(operator.getitem, getitem_adjoint, None)

in each of several arguments, None where one has no tangent space;

    linear_rule(np.where, ZERO, where_adjoint_x, where_adjoint_y, together=True)

in several together, as a sum is, ZERO where the derivative by one is zero;

    linear_rule(np.concatenate, concatenate_adjoint)

in all arrays of a list or tuple (see `joint`).

Forward is the same call on the tangent. Reverse is the adjoint, a function of the cotangent, the
arguments and the options; the argument that it is the adjoint *in* comes as its `Space`, a shape
and dtype without the array, so that an adjoint cannot keep alive what it does not need. What the
adjoint returns is brought into the argument's tangent space (dtype, real part); a wrong shape is an
error.
"""

from collections.abc import Callable, Collection, Iterable
from functools import partial
from inspect import Parameter, signature
from typing import Any, TypedDict, TypeVar, Unpack, overload

from chainrules_py.annotations import Function
from chainrules_py.calls.decorator_misuse import require_primals
from chainrules_py.errors import RegistrationError
from chainrules_py.makers.joint import is_of_sequence, rules_of_sequence
from chainrules_py.makers.multilinear import MultilinearForm, Refuse
from chainrules_py.rules.rule import Rule, rule_from_function
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_py.tangents import ZERO, ZeroTangent
from chainrules_py.values.identity import qualified_name

F = TypeVar("F", bound=Function)
Adjoint = Function | ZeroTangent | None


class Keywords(TypedDict, total=False):
    """Keywords of `linear_rule`: facts about a linear function besides its adjoints."""

    value_only: Collection[str]
    refuse: Refuse | None
    together: bool
    table: RuleTable


@overload
def linear_rule(primal, /, **keywords: Unpack[Keywords]) -> Callable[[F], F]: ...
@overload
def linear_rule(
    primal, adjoint: Adjoint, /, *adjoints: Adjoint, **keywords: Unpack[Keywords]
) -> None: ...
def linear_rule(
    primal: Any,
    *adjoints: Adjoint,
    value_only: Collection[str] = (),
    refuse: Refuse | None = None,
    together: bool = False,
    table: RuleTable = default_rules,
) -> Callable[[F], F] | None:
    """Register both rules of a linear function from its adjoint, or from one per argument.

    Adjoint `i` is called as ``adjoint(y_bar, *args, **options)`` with argument `i` replaced by its
    `Space`. None stands for an argument without a tangent space (indices, axes), and ZERO for one
    by which the derivative is zero. The keyword-only parameters of the adjoints are the rule's
    options, and `xp`; their annotations are the classes that it dispatches on. Without an adjoint, this is a decorator of one.

    An argument annotated ``list | tuple`` is a sequence of arrays: its adjoint gets a list of
    spaces, and returns as many cotangents. `together` says that the function is linear in its
    arguments together, as a sum is and a product is not: an adjoint then gets None for the other
    ones, which are not kept.

    `value_only` names options that concern the value and not the derivative (an added constant, a
    demand for a copy): the tangent is computed without them. `refuse` is called with the options
    before anything is computed, and raises for those that cannot be differentiated; with the
    arguments, too, where it has parameters that are positional only.

    >>> import numpy as np
    >>> from chainrules_py import rrule
    >>> def doubled(x):
    ...     return x + x
    >>> linear_rule(doubled, lambda y_bar, x: y_bar + y_bar)
    >>> rrule(doubled, np.ones(2))[1](np.array([1.0, 5.0]))
    (array([ 2., 10.]),)
    >>> def scaled(c, x):
    ...     return c * x
    >>> linear_rule(scaled, lambda y_bar, c, x: (y_bar * x).sum(), lambda y_bar, c, x: c * y_bar)
    >>> y, pullback = rrule(scaled, 3.0, np.array([1.0, 2.0]))
    >>> pullback(np.ones(2))
    (3.0, array([3., 3.]))
    """
    require_primals("linear_rule", (primal,))
    make = partial(
        _rules_of_adjoints,
        primal,
        value_only=frozenset(value_only),
        refuse=refuse and of_arguments(refuse),
        together=together,
    )

    def register(adjoint: F) -> F:
        table.declare(primal, partial(make, (adjoint,)))
        return adjoint

    if not adjoints:
        return register
    table.declare(primal, partial(make, adjoints))
    return None


def of_arguments(refuse: Refuse) -> Refuse:
    """The function that refuses calls, given their arguments and options."""
    kinds = [parameter.kind for parameter in signature(refuse).parameters.values()]
    if Parameter.POSITIONAL_ONLY in kinds:
        return refuse
    return lambda *args, **options: refuse(**options)


def _rules_of_adjoints(primal, functions: tuple[Adjoint, ...], **keywords) -> Iterable[Rule]:
    # An adjoint has the shape of a forward rule: one extra positional argument in front, then the
    # primal's arguments.
    adjoints = [
        rule_from_function("forward", primal, each) if callable(each) else None
        for each in functions
    ]
    zeros = frozenset([i for i, each in enumerate(functions) if each is ZERO])
    first = next((adjoint for adjoint in adjoints if adjoint is not None), None)
    if first is None:
        raise _bad(
            primal,
            f"has {len(functions)} arguments without an adjoint",
            "write non_differentiable(function)",
        )
    if len(functions) > 1 or not is_of_sequence(first):
        return MultilinearForm(primal, tuple(adjoints), zeros, **keywords).rules()
    if any(keywords.values()):
        got = "is linear in a sequence, and has `value_only`, `refuse` or `together`"
        raise _bad(
            primal, got, "write the adjoint and nothing else, or register a rule for each mode"
        )
    return rules_of_sequence(first)


def _bad(primal, got: str, instead: str) -> RegistrationError:
    return RegistrationError(
        f"linear_rule({qualified_name(primal)})", got, instead, primal=primal, rule=None
    )
