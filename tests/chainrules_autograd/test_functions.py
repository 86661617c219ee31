"""Functions with rules on autograd's boxes: containers, keywords, options, primitives, classes of
values.
"""

import autograd.numpy as anp
import numpy as np
import pytest
from autograd import grad, jacobian, make_jvp
from scipy.integrate import quad

from chainrules_autograd import to_autograd
from chainrules_autograd.functions import BoxNamespace, traced
from chainrules_py import (
    NoRuleError,
    NotDifferentiableError,
    NotImplementedTangentError,
    OptionError,
    RuleTable,
    default_rules,
    primitive,
)
from chainrules_py.values.arrays import library_of

x, y = np.array([0.5, 1.5, 1.0]), np.array([2.0, 3.0, 0.3])


def test_a_primitive_may_be_given_a_dict_that_autograd_traces():
    @primitive
    def energy(p):
        return p["k"] * p["x"] ** 2

    from chainrules_py import Tangent, rrule

    @rrule.register(energy)
    def energy_rrule(p: dict):
        k, x = p["k"], p["x"]
        return energy(p), lambda e_bar: (
            Tangent[dict]({"k": e_bar * x**2, "x": e_bar * 2 * k * x}),
        )

    assert grad(energy)({"k": 2.0, "x": 3.0}) == {"k": 9.0, "x": 12.0}


def test_without_boxes_it_is_the_function():
    assert to_autograd(np.median)([3, 1, 2]) == 2
    assert to_autograd(np.median).__name__ == "median"


@pytest.mark.parametrize("cls", [np.float32, np.float64, np.complex64, np.complex128])
def test_the_dtype_stays(cls):
    array = np.array([1.0, 2.0], dtype=cls)
    f = to_autograd(np.multiply)
    for value in (array, array[0], array[:0], np.array(array[0])):
        found = grad(lambda x: anp.real(anp.sum(f(x, x))))(value)
        assert np.asarray(found).dtype == cls
        assert np.shape(found) == np.shape(value)
        assert np.asarray(make_jvp(f)(value, value)(value)[1]).dtype == cls


def test_integers_are_constants():
    f = to_autograd(np.take)
    assert grad(lambda x: f(x, np.array([0, 0, 2])).sum())(x).tolist() == [2.0, 0.0, 1.0]
    assert grad(lambda x: to_autograd(np.floor)(x * x) * x)(1.5) == 2.0


@pytest.mark.parametrize("f", [np.tanh, lambda x: np.tanh(x) * 2.0])
def test_derivatives_by_integers_are_refused_and_not_zero(f):
    function = to_autograd(f)
    for program in (function, lambda x: function(x) + x, lambda x: to_autograd(np.add)(2 * x, x)):
        with pytest.raises(NotDifferentiableError, match="floats"):
            grad(lambda x, program=program: program(x).sum())(np.array([1, 2, 3]))

    entries = to_autograd(lambda x, places: x[places] ** 2)
    found = grad(lambda parts: entries(parts["x"], parts["places"]).sum())(
        {"x": np.arange(3.0), "places": np.array([2, 2])}
    )
    assert found["x"].tolist() == [0.0, 0.0, 8.0]
    found = grad(lambda x: entries(x, (1.0 * x).astype(int)).sum())(x)
    assert found.tolist() == [1.0, 6.0, 0.0]


def test_what_has_no_rule_is_differentiated_as_the_program_that_it_is():
    assert grad(to_autograd(lambda x: x * np.sin(x)))(1.0) == np.sin(1.0) + np.cos(1.0)


def test_what_is_opted_out_and_options_that_are_differentiated_are_refused():
    def unknown(x):
        return x

    rules = RuleTable(parent=default_rules)
    for register in (rules.rrule, rules.frule):
        register.opt_out(unknown, object)
    with pytest.raises(NoRuleError):
        grad(to_autograd(unknown, rules=rules))(1.0)
    with pytest.raises(OptionError) as error:
        grad(lambda x: to_autograd(np.sum)(np.ones(2), initial=x))(1.0)
    assert error.value.option == "initial"


def test_the_namespace_of_rules_on_boxes_goes_through_our_rules():
    xp = BoxNamespace(np)
    assert xp.float64 is np.float64
    assert np.allclose(jacobian(lambda x: xp.add.outer(x, x))(x)[0, 0], [2.0, 0.0, 0.0])
    assert np.allclose(grad(lambda x: xp.linalg.norm(x))(x), x / np.linalg.norm(x))
    assert xp.linalg is xp.linalg
    assert traced(np.sin) is not None
    assert traced(lambda x: x) is None


def test_boxes_are_an_array_library_of_their_own():
    seen = []
    grad(lambda x: seen.append(type(x)) or x)(1.0)
    assert library_of(seen[0]).name == "autograd"


def test_a_part_of_the_value_that_nobody_uses_needs_no_derivative():
    def wave(t, a):
        return np.sin(a * t)

    def integral(a, part):
        return to_autograd(quad)(wave, 0.0, 1.0, args=(a,))[part]

    a = 0.5  # the integral is (1 - cos(a)) / a
    expected = np.sin(a) / a - (1 - np.cos(a)) / a**2
    assert grad(integral)(a, 0) == pytest.approx(expected, rel=1e-9)
    with pytest.raises(NotImplementedTangentError, match="estimate of the error"):
        grad(integral)(a, 1)


def test_the_explanation_names_rules_and_ways():
    text = to_autograd(np.stack).explain([x, y], axis=1)
    assert "stack_rrule" in text
    assert text.endswith("traced in reverse, traced forward")
