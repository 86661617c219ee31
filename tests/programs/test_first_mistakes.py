"""What people write first and wrongly, in every public function: our errors refuse it and say what
to write instead.
"""

import numpy as np
import pytest

from chainrules_py import (
    Array,
    ArrayLibrary,
    HasReverseMode,
    NoRuleError,
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
from chainrules_tape import InputError, grad, hessian, jacobian, value_and_grad

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


@pytest.fixture
def table():
    return RuleTable(parent=default_rules, name="mine")


NO_FUNCTIONS = {
    "the arguments first": lambda: rrule(X, np.sin),
    "the result": lambda: rrule(np.sin(X), X),
    "the arguments before the tangents": lambda: frule((X,), X, np.sin),
    "a name": lambda: rrule("sin", X),
    "what cannot be hashed": lambda: rrule(Unhashable(), X),
}


@pytest.mark.parametrize("call", NO_FUNCTIONS.values(), ids=NO_FUNCTIONS)
def test_what_stands_where_the_function_goes(call):
    with pytest.raises(NoRuleError) as caught:
        call()
    assert caught.value.types == ()


def test_objects_without_a_hash_have_the_rule_of_their_class(table):
    table.rrule.register(Unhashable.__call__)(lambda self, x: (x, lambda y_bar: (0.0, y_bar)))
    assert table.rrule(Unhashable(), X)[0] is X


WHAT_TO_WRITE = {
    "an array class": (lambda t: t.rrule(np.sin, Foreign()), "register_library"),
    "a list": (lambda t: t.rrule(np.sin, [1.0, 2.0]), "numpy.asarray"),
    "no parent": (lambda t: RuleTable(name="alone").rrule(np.sin, X), "parent=default_rules"),
    "no engine": (lambda t: t.rrule(by_an_engine, np.sin, X), "config="),
    "no rule": (lambda t: t.rrule(mine, X), "rrule.register"),
}


@pytest.mark.parametrize(("call", "instead"), WHAT_TO_WRITE.values(), ids=WHAT_TO_WRITE)
def test_a_missing_rule_is_not_always_what_is_to_be_written(call, instead, table):
    @table.rrule.register(by_an_engine)
    def by_an_engine_rrule(f: object, x: Array, *, config: HasReverseMode): ...

    with pytest.raises(NoRuleError) as caught:
        call(table)
    assert instead in caught.value.instead


def test_the_rule_of_the_other_mode_is_mentioned(table):
    @table.frule.register(mine)
    def mine_frule(dots, x: Array): ...

    with pytest.raises(NoRuleError) as caught:
        table.rrule(mine, X)
    assert "frule(Array) at" in caught.value.got


NO_TABLES = {
    "rrule": lambda: rrule(np.sin, X, rules="mine"),
    "frule": lambda: frule((X,), np.sin, X, rules={}),
    "grad": lambda: grad(np.sum, rules={})(X),
}


@pytest.mark.parametrize("call", NO_TABLES.values(), ids=NO_TABLES)
def test_rules_that_are_no_table(call):
    with pytest.raises(OptionError) as caught:
        call()
    assert caught.value.option == "rules"


@pytest.mark.parametrize("ask", [default_rules.resolve, default_rules.find, default_rules.rule_for])
def test_a_mode_that_does_not_exist(ask):
    with pytest.raises(OptionError, match="'reverse', 'forward'"):
        ask("fwd", np.sin, (np.ndarray,))


@pytest.mark.parametrize("needs", [(True,), (True, True, True), 0, True])
def test_a_pattern_of_needs_has_an_entry_per_argument(needs):
    with pytest.raises(OptionError) as caught:
        rrule(np.multiply, X, X, needs=needs)
    assert caught.value.option == "needs"


REGISTRATIONS = {
    "no primal": lambda t: t.rrule.register()(lambda x: x),
    "a parent by name": lambda t: RuleTable("mine"),
    "one class": lambda t: register_library(
        ArrayLibrary(name="f", namespace=np, array_types=Foreign)
    ),
    "a class for a library": lambda t: register_library(Foreign),
    "no signature": lambda t: t.rrule.register(mine)(max),
    "no Python function": lambda t: t.rrule.register(mine)(None),
    "a misspelt attribute": lambda t: t.rrule.register(mine)(annotated("np.ndarrray")),
    "no expression": lambda t: t.rrule.register(mine)(annotated("an array")),
    "a config that is none": lambda t: t.rrule.register(mine)(configured(int)),
}


def annotated(hint):
    def mine_rrule(x): ...

    mine_rrule.__annotations__["x"] = hint
    return mine_rrule


def configured(hint):
    def mine_rrule(x, *, config): ...

    mine_rrule.__annotations__["config"] = hint
    return mine_rrule


@pytest.mark.parametrize("register", REGISTRATIONS.values(), ids=REGISTRATIONS)
def test_what_cannot_be_registered(register, table):
    with pytest.raises(RegistrationError):
        register(table)
    assert mine not in table


def test_a_seed_without_a_shape_is_called_by_its_class():
    with pytest.raises(SeedError) as caught:
        rrule(np.sin, X)[1]([1.0, 1.0, 1.0])
    assert caught.value.got.startswith("got a list")


DECORATORS = {
    "rrule.register": rrule.register,
    "frule.register": frule.register,
    "linear_rule": linear_rule,
    "linearised_rule": linearised_rule,
}


@pytest.mark.parametrize("name", DECORATORS)
def test_a_decorator_that_was_not_told_whose_rule_it_is(name):
    decorator = DECORATORS[name]
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
    "under another decorator": lambda: exec("@opaque\n@register\ndef f_rrule(x): ...", scope()),
    "on a primitive": lambda: exec("@register\n@primitive\ndef f_rrule(x): ...", scope()),
    "on what hides the function": lambda: exec(
        "@register\n@opaque\ndef f_rrule(x, y=1, *, z: int = 2): ...", scope()
    ),
    "on a class": lambda: exec("@register\nclass Rule: ...", scope()),
    "in a function": lambda: exec(
        "def local(y):\n @register\n def f_rrule(x): return y\nlocal(1)", scope()
    ),
}


def scope():
    return {"register": RuleTable().rrule.register, "opaque": opaque, "primitive": primitive}


@pytest.mark.parametrize("define", STACKED.values(), ids=STACKED)
def test_a_bare_decorator_among_others(define):
    with pytest.raises(RegistrationError) as caught:
        define()
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
def test_a_decorator_that_was_told_registers(source, table):
    exec(f"def f(x): return x\ndef f_rrule(x): ...\n{source}", {"register": table.rrule.register})
    assert len(list(table._rules)) == 1


def test_a_maker_of_no_primals():
    with pytest.raises(RegistrationError):
        linearised_rule()


ADJOINTS = {
    "none at all": lambda table: linear_rule(mine, None, table=table),
    "of a sequence, and options": lambda t: linear_rule(
        mine, of_sequence, value_only=("copy",), table=t
    ),
    "of a sequence, and together": lambda t: linear_rule(mine, of_sequence, together=True, table=t),
    "two, output by output": lambda table: linear_rule(
        mine, of_sequence, of_sequence, entrywise=True, table=table
    ),
}


def of_sequence(y_bar, arrays: list | tuple): ...


@pytest.mark.parametrize("declare", ADJOINTS.values(), ids=ADJOINTS)
def test_adjoints_that_do_not_go_together(declare, table):
    with pytest.raises(RegistrationError) as caught:
        declare(table)
    assert caught.value.primal is mine
    assert mine not in table


@pytest.mark.parametrize("transform", [grad, value_and_grad, jacobian, hessian])
@pytest.mark.parametrize("point", [1.0, np.array([1.0, 2.0]), {"a": 1.0}, [1.0]], ids=repr)
def test_the_point_in_the_place_of_argnums(transform, point):
    with pytest.raises(InputError, match=rf"write {transform.__name__}\(f\)\(x\)"):
        transform(np.sum, point)
