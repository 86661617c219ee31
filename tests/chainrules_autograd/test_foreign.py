"""Functions written in autograd's NumPy are primitives of other engines, to any order."""

import autograd.numpy as anp
import numpy as np
import pytest

import chainrules_tape
from chainrules_autograd import from_autograd
from chainrules_py import NO_TANGENT, RuleTable, frule, rrule
from chainrules_py.testing import check_rule

rng = np.random.default_rng(0)


@from_autograd
def energy(p, x):
    return anp.sum(p["k"] * anp.sin(x) ** 2) + p["n"]


def numpy_energy(p, x):
    return np.sum(p["k"] * np.sin(x) ** 2) + p["n"]


p, x = {"k": rng.normal(size=3), "n": 4}, rng.normal(size=3)


def test_rules_of_a_function_of_trees():
    check_rule(energy, p, x)
    assert rrule(energy, p, x)[1](2.0)[0]["n"] is NO_TANGENT


@pytest.mark.parametrize(
    "transform", [chainrules_tape.grad, chainrules_tape.hessian], ids=["gradient", "hessian"]
)
def test_a_numpy_program_with_an_autograd_function_in_it(transform):
    def program(f):
        return lambda x: np.tanh(f(p, x * x)) * np.sum(x)

    assert np.allclose(transform(program(energy))(x), transform(program(numpy_energy))(x))


def test_forward_over_forward():
    def slope(f):
        return lambda x: chainrules_tape.jvp(lambda x: f(p, x), (x,), (x,))[1]

    found, wanted = (
        chainrules_tape.jvp(slope(f), (x,), (np.ones(3),)) for f in (energy, numpy_energy)
    )
    assert np.allclose(found, wanted)


def test_complex_gradients_are_ours():
    square = from_autograd(lambda z: anp.sum(anp.real(z * anp.conj(z))))
    z = np.array([1 + 2j, -1j])
    assert np.allclose(rrule(square, z)[1](1.0)[0], 2 * z)
    assert np.isclose(frule((1j * z,), square, z)[1], 0.0)


def test_the_seed_is_not_the_cotangents():
    same = from_autograd(lambda x: x)
    y_bar = np.ones(3)
    (x_bar,) = rrule(same, x)[1](y_bar)
    x_bar += 1.0
    assert y_bar.tolist() == [1.0, 1.0, 1.0]


def test_rules_go_into_the_table_that_is_named():
    table = RuleTable(parent=None, name="mine")
    cube = from_autograd(lambda x: x**3, rules=table)
    assert table.rrule(cube, 2.0)[1](1.0)[0] == 12.0
    assert rrule.find(cube, float) is None


def test_results_are_the_callers_own():
    """What the function returns may be an array that it holds, or a view of one."""
    held = np.ones(3)
    for function in (lambda x: held, lambda x: held[1:]):
        f = from_autograd(function)
        for y in (f(x), rrule(f, x)[0], frule((x,), f, x)[0]):
            y[...] = 99.0
            assert held.tolist() == [1.0, 1.0, 1.0]
