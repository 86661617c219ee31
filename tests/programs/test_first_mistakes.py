"""What people write first and wrongly, in every public function: our errors refuse it and say what
to write instead.
"""

import numpy as np
import pytest
from scipy import sparse, special

from chainrules_py import (
    Array,
    ArrayLibrary,
    HasReverseMode,
    NoRuleError,
    NotDifferentiableError,
    OptionError,
    RegistrationError,
    RuleTable,
    SeedError,
    default_rules,
    frule,
    linear_rule,
    linearised_rule,
    primitive,
    register_library,
    rrule,
)
from chainrules_tape import (
    InputError,
    LostGradientError,
    grad,
    hessian,
    jacobian,
    jvp,
    value_and_grad,
)

X = np.array([1.0, 2.0, 3.0])


class Unhashable:
    """A callable object, equal to others by what it holds."""

    def __eq__(self, other):
        return True

    def __call__(self, x):
        return x


class Foreign:
    """An array class that nobody registered."""

    shape, dtype = (3,), np.dtype(float)


def mine(x):
    return x


def by_an_engine(f, x):
    return f(x)


def pushed(x):
    return x


def of_sequence(y_bar, arrays: list | tuple): ...


def annotated(**hints):
    def mine_rrule(x, *, config=None): ...

    mine_rrule.__annotations__.update(hints)
    return mine_rrule


def test_objects_without_a_hash_have_the_rule_of_their_class(table):
    table.rrule.register(Unhashable.__call__)(lambda self, x: (x, lambda y_bar: (0.0, y_bar)))
    assert table.rrule(Unhashable(), X)[0] is X


@pytest.fixture
def table():
    """A table with a rule that wants an engine, and one in forward mode alone."""
    table = RuleTable(parent=default_rules, name="mine")

    @table.rrule.register(by_an_engine)
    def by_an_engine_rrule(f: object, x: Array, *, config: HasReverseMode): ...

    @table.frule.register(pushed)
    def pushed_frule(dots, x: Array): ...

    return table


# An error, an attribute of it and what this says or is, and calls.
MISTAKES = (
    (
        *(NoRuleError, "types", ()),
        lambda t: rrule(X, np.sin),
        lambda t: rrule(np.sin(X), X),
        lambda t: frule((X,), X, np.sin),
        lambda t: rrule("sin", X),
        lambda t: rrule(Unhashable(), X),
    ),
    (NoRuleError, "instead", "register_library", lambda t: t.rrule(np.sin, Foreign())),
    (NoRuleError, "instead", "numpy.asarray", lambda t: t.rrule(np.sin, [1.0, 2.0])),
    (NoRuleError, "instead", "parent=default_rules", lambda t: RuleTable().rrule(np.sin, X)),
    (
        *(NoRuleError, "instead", "config="),
        lambda t: t.rrule(by_an_engine, np.sin, X),
        lambda t: rrule(HasReverseMode(), np.sin, X),
    ),
    (NoRuleError, "got", "not in SciPy", lambda t: rrule(special.zetac, X)),
    (
        *(NoRuleError, "instead", "by its entries"),
        lambda t: rrule(np.dot, sparse.csr_array(np.eye(3)), X),
        lambda t: grad(lambda a: (2 * a).sum())(sparse.csr_array(np.eye(3))),
    ),
    (
        *(NotDifferentiableError, "instead", "csr_array((entries, a.indices, a.indptr)"),
        lambda t: grad(lambda a: np.sum(a @ X))(sparse.csr_array(np.eye(3))),
    ),
    (OptionError, "instead", "numpy.take(x, index", lambda t: rrule(np.unique, X, axis=0)),
    (
        *(LostGradientError, "instead", "pass an array, x = numpy.array(x), where a list"),
        lambda t: grad(lambda x: np.sum(np.sin(x)))([1.0, 2.0]),
        lambda t: jvp(lambda x: np.sum(np.sin(x)), ([1.0, 2.0],), ([1.0, 2.0],)),
    ),
    (NoRuleError, "instead", "rrule.register", lambda t: t.rrule(mine, X)),
    (NoRuleError, "types", (np.ndarray,), lambda t: t.rrule(mine, X)),
    (NoRuleError, "got", "frule(Array) at", lambda t: t.rrule(pushed, X)),
    (
        *(OptionError, "option", "rules"),
        lambda t: rrule(np.sin, X, rules="mine"),
        lambda t: frule((X,), np.sin, X, rules={}),
        lambda t: grad(np.sum, rules={})(X),
    ),
    (
        *(OptionError, "option", "needs"),
        lambda t: rrule(np.multiply, X, X, needs=(True,)),
        lambda t: rrule(np.multiply, X, X, needs=(True, True, True)),
        lambda t: rrule(np.multiply, X, X, needs=0),
        lambda t: rrule(np.multiply, X, X, needs=True),
    ),
    (
        *(OptionError, "instead", "'reverse', 'forward'"),
        lambda t: t.resolve("fwd", np.sin, (np.ndarray,)),
        lambda t: t.find("fwd", np.sin, (np.ndarray,)),
        lambda t: t.rule_for("fwd", np.sin, (np.ndarray,)),
    ),
    (SeedError, "got", "got a list", lambda t: rrule(np.sin, X)[1]([1.0, 1.0, 1.0])),
    *(
        (
            *(InputError, "instead", f"{take.__name__}(f)(x)"),
            *(
                lambda t, take=take, point=point: take(np.sum, point)
                for point in (1.0, X, {"a": 1.0}, [1.0])
            ),
        )
        for take in (grad, value_and_grad, jacobian, hessian)
    ),
    (
        *(RegistrationError, "primal", mine),
        lambda t: linear_rule(mine, None, table=t),
        lambda t: linear_rule(mine, of_sequence, value_only=("copy",), table=t),
        lambda t: linear_rule(mine, of_sequence, together=True, table=t),
    ),
    (
        *(RegistrationError, "where", ""),
        lambda t: linearised_rule(),
        lambda t: t.rrule.register()(lambda x: x),
        lambda t: RuleTable("mine"),
        lambda t: register_library(ArrayLibrary(name="f", namespace=np, array_types=Foreign)),
        lambda t: register_library(Foreign),
        *(
            lambda t, made=made: t.rrule.register(mine)(made)
            for made in (
                *(max, None, annotated(x="np.ndarrray")),
                *(annotated(x="an array"), annotated(config=int)),
            )
        ),
    ),
)


@pytest.mark.parametrize(
    ("error", "attribute", "words", "call"),
    [(error, name, words, call) for error, name, words, *calls in MISTAKES for call in calls],
)
def test_mistakes_are_refused(error, attribute, words, call, table):
    with pytest.raises(error) as caught:
        call(table)
    found = getattr(caught.value, attribute)
    assert words in found if isinstance(words, str) else words == found
    assert mine not in table


@pytest.mark.parametrize(
    ("name", "decorator"),
    [
        ("rrule.register", rrule.register),
        ("frule.register", frule.register),
        ("linear_rule", linear_rule),
        ("linearised_rule", linearised_rule),
    ],
)
def test_a_decorator_that_was_not_told_whose_rule_it_is(name, decorator):
    before = len(list(default_rules.rules()))

    with pytest.raises(RegistrationError) as caught:

        @decorator
        def sine_rule(dots, x: Array, *, xp):
            return xp.sin(x), xp.cos(x)

    assert f"@{name}(function)" in caught.value.instead
    assert caught.value.rule.__name__ == "sine_rule"
    assert "test_first_mistakes.py:" in caught.value.where
    assert len(list(default_rules.rules())) == before


def opaque(function):
    return max


STACKED = {
    "under another decorator": "@opaque\n@register\ndef f_rrule(x): ...",
    "on a primitive": "@register\n@primitive\ndef f_rrule(x): ...",
    "on what hides the function": "@register\n@opaque\ndef f_rrule(x, y=1, *, z: int = 2): ...",
    "on a class": "@register\nclass Rule: ...",
    "in a function": "def local(y):\n @register\n def f_rrule(x): return y\nlocal(1)",
}


@pytest.mark.parametrize("source", STACKED.values(), ids=STACKED)
def test_a_bare_decorator_among_others(source):
    scope = {"register": RuleTable().rrule.register, "opaque": opaque, "primitive": primitive}
    with pytest.raises(RegistrationError) as caught:
        exec(source, scope)
    assert "(function)" in caught.value.instead


WHOSE = {
    "kept": "register_it = register(f)\nregister_it(f_rrule)",
    "at once": "register(f)(f_rrule)",
    "by keyword expansion": "register(*(f,))(f_rrule)",
    "over several lines": "register(\n f\n)(\n f_rrule\n)",
    "mapped": "[each(f_rrule) for each in map(register, [f])]",
    "decorating": "@register(f)\ndef other_rrule(x): ...",
    "decorating by another name": "decorator = register(f)\n@decorator\ndef other_rrule(x): ...",
    "a lambda": "register(lambda x: x)(lambda x: (x, None))",
    "partially": "from functools import partial\npartial(register, f)()(f_rrule)",
}


@pytest.mark.parametrize("source", WHOSE.values(), ids=WHOSE)
def test_a_decorator_that_was_told_registers(source):
    own = RuleTable()
    exec(f"def f(x): return x\ndef f_rrule(x): ...\n{source}", {"register": own.rrule.register})
    assert len(list(own.rules())) == 1
