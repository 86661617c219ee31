"""`chainrules_tape.numpy.random`: draws whose parameters and data are traced."""

import pickle

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py import NotDifferentiableError, OptionError, rrule
from chainrules_tape import grad, jvp

X = np.array([0.7, 1.4, 2.1])
CALLS = {
    "normal by name": lambda rng, x: rng.normal(scale=x[0], loc=1.0, size=3),
    "normal of a list": lambda rng, x: rng.normal([x[0], 2.0], 1.0),
    "beta": lambda rng, x: rng.beta(x, x[0]),
    "permutation": lambda rng, x: rng.permutation(x) * x,
    "choice": lambda rng, x: rng.choice(x, 5),
}


@pytest.mark.parametrize("draw", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("new", [tnp.random.default_rng, tnp.random.RandomState])
def test_draws_of_generators(new, draw):
    rng, plain = new(3), getattr(np.random, new.__name__)(3)
    assert isinstance(rng, type(plain))
    expected = draw(plain, X)
    np.testing.assert_array_equal(draw(new(3), X), expected)
    y, y_dot = jvp(lambda x: draw(rng, x), (X,), (X[::-1],))
    np.testing.assert_array_equal(y, expected)
    assert rng.standard_normal() == plain.standard_normal()  # the state is where it should be
    bar = grad(lambda x: np.sum(draw(new(3), x) * X[0]))(X)
    assert bar @ X[::-1] == pytest.approx(np.sum(y_dot) * X[0])


def test_functions_of_the_module():
    np.random.seed(3)
    expected = np.random.RandomState(3).normal(0.0, 1.0)
    assert grad(lambda x: tnp.random.normal(1.0, x))(2.0) == pytest.approx(expected)
    assert callable(tnp.random.seed)
    assert {"normal", "default_rng"} <= set(dir(tnp.random))


def test_a_generator_made_of_another_shares_its_state():
    rng, same = np.random.default_rng(1), np.random.default_rng(1)
    slope = grad(lambda x: tnp.random.default_rng(rng).normal(0.0, x))(2.0)
    assert slope == same.normal()
    assert rng.normal() == same.normal()
    first, second = tnp.random.default_rng(1).spawn(2)
    assert isinstance(first, tnp.random.Generator)
    assert grad(second.exponential)(2.0) > 0
    again = pickle.loads(pickle.dumps(first))
    assert again.normal() == first.normal()


def test_whole_numbers_are_refused():
    rng = tnp.random.default_rng(1)
    with pytest.raises(NotDifferentiableError, match="whole numbers jumps"):
        grad(lambda x: x * rng.poisson(x))(2.0)
    with pytest.raises(OptionError, match="lam"):
        grad(lambda x: x * rng.poisson(lam=x))(2.0)
    assert grad(lambda x: x * rng.poisson(2.0, size=3).sum())(2.0) >= 0


def test_the_methods_have_the_rules_of_numpys():
    y, pullback = rrule(tnp.random.default_rng(1).normal, 0.0, 2.0)
    assert pullback(1.0)[1] == y / 2.0


def test_generators_of_numpys_are_instances():
    class Own(tnp.random.Generator):
        pass

    theirs, ours = np.random.default_rng(1), tnp.random.default_rng(1)
    assert isinstance(theirs, tnp.random.Generator)
    assert isinstance(ours, np.random.Generator)
    assert isinstance(np.random.mtrand._rand, tnp.random.RandomState)
    assert not isinstance(theirs, Own | tnp.random.RandomState)
    assert not isinstance(ours, Own)
    assert isinstance(Own(np.random.PCG64(1)), Own)
    assert tnp.random.default_rng(ours) is ours
