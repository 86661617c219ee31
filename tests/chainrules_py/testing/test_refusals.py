"""Calls that the kit does not check say so, in the class of what is wrong with them and with its data."""

import numpy as np
import pytest

import chainrules_tape
from chainrules_py import (
    NoRuleError,
    NotDifferentiableError,
    NotImplementedTangentError,
    OptionError,
    RegistrationError,
    RuleTable,
    not_implemented,
)
from chainrules_py.testing import (
    Layout,
    MissingSamplesError,
    Sample,
    Settings,
    UnsuitableCallError,
    check_engine,
    check_rrule,
    check_rule,
    check_series,
    directional,
    engine_program,
    numerical_rule,
    samples_for,
)
from chainrules_py.testing.programs import PROGRAMS

X = np.linspace(0.5, 1.5, 6).reshape(2, 3)


def twice(x):
    return 2 * x


class Forward:
    jvp = staticmethod(chainrules_tape.jvp)


def setting(name, value, words):
    return lambda: Settings(**{name: value}), OptionError, {"option": name, "value": value}, words


def unsuitable(call, words="", **data):
    return call, UnsuitableCallError, data, words


REFUSED = {
    "second order": setting("second_order", "no", "'required', 'where rules exist', 'off'"),
    "Jacobians": setting("jacobians", False, "'on failure', 'never'"),
    "dtypes": setting("dtypes", "float32", "True, False, 'mixed'"),
    "layouts": setting("layouts", "C", "True, False"),
    "no rule": (
        lambda: check_rule(twice, X, settings=Settings(rules=RuleTable())),
        NoRuleError,
        {"primal": twice},
        "",
    ),
    "half precision": unsuitable(
        lambda: check_rule(np.sin, X.astype(np.float16)), primal=np.sin, argument="x"
    ),
    "a table among the options": unsuitable(
        lambda: check_rule(np.sin, X, rules=RuleTable()), argument="rules"
    ),
    "a point without derivative": (
        lambda: check_rule(np.absolute, np.array([1.0, 0.0])),
        NotDifferentiableError,
        {"primal": np.absolute},
        "",
    ),
    "the edge of a domain": (
        lambda: check_rrule(np.sqrt, np.array([0.0, 4.0])),
        NotDifferentiableError,
        {"primal": np.sqrt},
        "",
    ),
    "one entry without derivative": (
        lambda: directional(np.abs, X - X[0], np.ones((2, 3))).require("here", np.abs, "x"),
        NotDifferentiableError,
        {"primal": np.abs, "argument": "x", "index": 0},
        "",
    ),
    "no samples": (
        lambda: check_engine(Forward, [twice]),
        MissingSamplesError,
        {"primal": twice},
        "",
    ),
    "no samples of a dtype": (
        lambda: check_engine(Forward, [np.transpose], dtypes=["float16"]),
        MissingSamplesError,
        {},
        "",
    ),
    "no engine": unsuitable(lambda: check_engine(object(), None), argument="engine"),
    "no list of primals": unsuitable(lambda: check_engine(Forward, np.sin), argument="primals"),
    "no Taylor mode": unsuitable(lambda: check_series(Forward(), np.tanh, X), "no taylor"),
    "an option among arguments": (
        lambda: Sample(1.0, width=3),
        OptionError,
        {"option": "width", "value": 3},
        "options={'width': 3}",
    ),
    "one dtype": unsuitable(lambda: samples_for(twice, dtypes="float64"), "['float64']"),
    "a program twice": (
        lambda: engine_program(1.0)(PROGRAMS["normal_drawn"].function),
        RegistrationError,
        {},
        "normal_drawn",
    ),
    "a numerical rule of what has one": unsuitable(lambda: numerical_rule(np.sin), "it has rules"),
    "a missing derivative": (
        lambda: Layout(1.0).tangent_vector(not_implemented("the order")),
        NotImplementedTangentError,
        {"reason": "the order"},
        "",
    ),
    **{
        f"tangent {t} of {x}": (
            lambda x=x, t=t: Layout(x).tangent_vector(t),
            ValueError,
            {},
            "belongs",
        )
        for x, t in [(np.ones(2), np.ones(3)), (np.ones(2), np.ones(2, complex)), (1.0, 1j)]
    },
}


@pytest.mark.parametrize(("call", "error", "data", "words"), REFUSED.values(), ids=REFUSED)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_not_checked_is_said(call, error, data, words):
    with pytest.raises(error) as caught:
        call()
    for name, value in data.items():
        assert getattr(caught.value, name) == value
    assert words in str(caught.value)
