"""`+` and `*` on tangents, and from these two every other operator.

Line up the types in one order:

    NotImplemented · NoTangent · Zero · Thunk · structural · natural

Of two operands the one further left decides, and what it does is one line of a table:

                       t + other                            t * other
    NotImplemented     t                                    t
    NoTangent, Zero    other                                t
    Thunk              its value + other                    its value * other
    structural         field by field; moves a primal       field by field, by a scalar only

with one exception: in a product the zeros stand before NotImplemented. Zero times anything is zero
(the strong zero), even times what nobody wrote, and times an infinite partial.

`NO_TANGENT + x` is `x`, for natural x as for others. It has to be for `primal + tangent` (a
container's integer field stays what it is), and so nothing can get lost in a sum: if a gradient
arrives where there is no tangent space, it is projection that notices, with the primal at hand.
Between the two zeros the order decides: `ZERO + NO_TANGENT` is `NO_TANGENT`.

Subtraction is adding the negative; division by something natural is a product. Everything else is
not linear and is refused.
"""

import operator
from collections.abc import Callable
from numbers import Number
from typing import Any, NoReturn

from chainrules_py.annotations import Function
from chainrules_py.errors import TangentTypeError
from chainrules_py.tangents.abstract import AbstractTangent
from chainrules_py.tangents.describing import describe
from chainrules_py.tangents.not_implemented import NotImplementedTangent
from chainrules_py.tangents.structural import SequenceTangent, Tangent, entries, with_entries
from chainrules_py.tangents.thunk import Thunk, unthunk
from chainrules_py.tangents.zero import ZERO, AbstractZero, NoTangent, ZeroTangent
from chainrules_py.values import structure

Binary = Callable[[Any, Any], Any]

ORDER: tuple[type, ...] = (NotImplementedTangent, NoTangent, ZeroTangent, Thunk, Tangent, object)
_ORDER_IN_PRODUCTS: tuple[type, ...] = (
    NoTangent,
    ZeroTangent,
    NotImplementedTangent,
    Thunk,
    Tangent,
    object,
)

_ranks: dict[type, int] = {}
_ranks_in_products: dict[type, int] = {}


def rank(x) -> int:
    """The place of a tangent in the order of precedence: 0 decides first, the last is natural."""
    return _place(type(x), ORDER, _ranks)


def rank_in_products(x) -> int:
    """The place of a factor in the order of precedence for products, where the zeros come first."""
    return _place(type(x), _ORDER_IN_PRODUCTS, _ranks_in_products)


def _place(cls: type, order: tuple[type, ...], known: dict[type, int]) -> int:
    try:
        return known[cls]
    except KeyError:
        return known.setdefault(
            cls, next(place for place, base in enumerate(order) if issubclass(cls, base))
        )


def add(a, b) -> Any:
    """a + b, where at least one is not natural.

    >>> add(ZERO, 2.0)
    2.0
    """
    t, other = (a, b) if rank(a) <= rank(b) else (b, a)
    if isinstance(t, NotImplementedTangent):
        return t
    if isinstance(t, AbstractZero):
        return t if isinstance(other, ZeroTangent) else other
    if isinstance(t, Thunk):
        return unthunk(t) + unthunk(other)
    return _add_fields(t, other) if isinstance(other, Tangent) else _move(other, t)


def subtract(a, b) -> Any:
    """a - b; a zero on the right returns `a` itself."""
    if isinstance(b, AbstractZero) or isinstance(a, NotImplementedTangent):
        return add(a, b)
    if isinstance(b, NotImplementedTangent):
        return b
    if isinstance(a, Thunk) or isinstance(b, Thunk):
        return unthunk(a) - unthunk(b)
    if isinstance(a, Tangent) and not isinstance(b, AbstractTangent):
        refuse_operation("subtract", (a, b), "a primal cannot be subtracted from a tangent")
    return add(a, negative(b))


def negative(t) -> Any:
    """-t."""
    if isinstance(t, AbstractZero | NotImplementedTangent):
        return t
    return _map_fields(operator.neg, t) if isinstance(t, Tangent) else -unthunk(t)


def positive(t) -> Any:
    """+t, which is `t` itself."""
    return t


def multiply(a, b) -> Any:
    """a * b, where at least one is not natural; of two tangents at least one has to be zero.

    >>> multiply(float("inf"), ZERO)
    ZERO
    """
    return bilinear_product(operator.mul, a, b)


def bilinear_product(times: Binary, a, b) -> Any:
    """``times(a, b)`` for a bilinear function `times`, decided by the order in products."""
    t, other = (a, b) if rank_in_products(a) <= rank_in_products(b) else (b, a)
    if isinstance(t, AbstractZero | NotImplementedTangent):
        return t
    if isinstance(t, Thunk):
        return times(unthunk(a), unthunk(b))
    if times is not operator.mul or not is_scalar(other):
        refuse_operation(
            getattr(times, "__name__", "product"),
            (a, b),
            "a structural tangent is scaled by scalars only",
        )
    return _map_fields(lambda entry: other * entry, t)


def divide(a, b) -> Any:
    """a / b, linear in `a`; `b` has to be natural."""
    if isinstance(b, Thunk):
        return a / unthunk(b)
    if isinstance(b, AbstractTangent):
        refuse_operation(
            "divide", (a, b), "a tangent cannot be a divisor: the rule that divides by one is wrong"
        )
    if isinstance(a, AbstractZero | NotImplementedTangent):
        return a
    if isinstance(a, Thunk):
        return unthunk(a) / b
    if not is_scalar(b):
        refuse_operation("divide", (a, b), "a structural tangent is divided by scalars only")
    return _map_fields(lambda entry: entry / b, a)


def is_scalar(x) -> bool:
    """Whether `x` can scale a structural tangent: a number, a NumPy scalar or a 0-d array."""
    return isinstance(x, Number) or (
        not isinstance(x, AbstractTangent) and getattr(x, "ndim", None) == 0
    )


def conjugate(t) -> Any:
    """The complex conjugate, field by field."""
    if isinstance(t, NotImplementedTangent):
        return t
    return _map_fields(conjugate, t) if isinstance(t, Tangent) else unthunk(t).conjugate()


def _map_fields(function: Callable[[Any], Any], t: Tangent[Any]) -> Tangent[Any]:
    return with_entries(
        t.__primal_type__, {key: function(_checked(entry)) for key, entry in entries(t).items()}
    )


def _checked(entry) -> Any:
    if structure.is_container(entry):  # 2 * (1.0, 2.0) would repeat it, and + would join it
        refuse_operation(
            "arithmetic", (entry,), "a plain container is no tangent; write Tangent[P](...)"
        )
    return entry


def _add_fields(a: Tangent[Any], b: Tangent[Any]) -> Tangent[Any]:
    if type(a) is not type(b):
        refuse_operation(
            "add",
            (a, b),
            f"only tangents of one class add; project one of them to {a.__primal_type__.__name__}",
        )
    of_a, of_b = entries(a), entries(b)
    if isinstance(a, SequenceTangent) and len(of_a) != len(of_b):
        refuse_operation(
            "add", (a, b), f"their lengths differ: {len(of_a)} and {len(of_b)}; fill up with ZERO"
        )
    keys = {**of_a, **of_b}  # a dict rather than a set: keeps the order
    return with_entries(
        a.__primal_type__,
        {key: _checked(of_a.get(key, ZERO)) + of_b.get(key, ZERO) for key in keys},
    )


def _move(primal, t: Tangent[Any]) -> Any:
    """The primal with each field moved by its tangent; the primal itself where nothing moves."""
    if not isinstance(primal, t.__primal_type__):
        refuse_operation(
            "add",
            (primal, t),
            f"this tangent moves a {t.__primal_type__.__name__}, not a {type(primal).__name__}",
        )
    present = structure.fields(primal)
    if isinstance(t, SequenceTangent) and len(present) != len(t):
        refuse_operation(
            "add",
            (primal, t),
            f"their lengths differ: {len(present)} and {len(t)}; fill up with ZERO",
        )
    moves = {key: move for key, move in entries(t).items() if not isinstance(move, AbstractZero)}
    unknown = [key for key in moves if key not in present]
    if unknown:
        refuse_operation(
            "add", (primal, t), f"the primal has the fields {list(present)}, not {unknown}"
        )
    if moves:
        return structure.rebuild(
            primal, {key: present[key] + _checked(moves[key]) for key in moves}
        )
    return primal


def refuse_operation(operation: str, operands: tuple[Any, ...], instead: str) -> NoReturn:
    """Raise for an operation that tangents do not have; a derivative nobody wrote complains first."""
    for operand in operands:
        if isinstance(operand, NotImplementedTangent):
            operand.refuse_use(operation)
    got = "got " + ", ".join(map(describe, operands))
    raise TangentTypeError(operation, got, instead, operation=operation, operands=operands)


# --- the operators, all from the functions above --------------------------------------------------

NONLINEAR = (
    "only sums and scalings are defined on tangents: the rule that did this is wrong;"
    " materialize(t, like=x) is dense"
)


def _nonlinear(name: str, function: Function) -> Function:
    def apply(*operands):
        forced = tuple(map(unthunk, operands))
        if any(isinstance(operand, AbstractTangent) for operand in forced):
            refuse_operation(name, forced, NONLINEAR)
        return function(*forced)

    return apply


def _matmul(a, b):
    return bilinear_product(operator.matmul, a, b)


_LINEAR: dict[str, Binary] = {
    "add": add,
    "sub": subtract,
    "mul": multiply,
    "matmul": _matmul,
    "truediv": divide,
}
_NONLINEAR: dict[str, Function] = {
    "pow": pow,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "divmod": divmod,
}
_UNREFLECTED: dict[str, Function] = {
    "neg": negative,
    "pos": positive,
    **{name: _nonlinear(name, getattr(operator, name)) for name in ("abs", "lt", "le", "gt", "ge")},
}


def _install(name: str, function: Function) -> None:
    setattr(AbstractTangent, f"__{name}__", lambda self, other: function(self, other))
    setattr(AbstractTangent, f"__r{name}__", lambda self, other: function(other, self))


for _name, _function in _LINEAR.items():
    _install(_name, _function)
for _name, _function in _NONLINEAR.items():
    _install(_name, _nonlinear(_name, _function))
for _name, _function in _UNREFLECTED.items():
    setattr(AbstractTangent, f"__{_name}__", _function)
