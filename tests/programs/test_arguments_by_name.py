"""Arguments named by `argnums`, gradients as functions that pickle and know their names."""

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from chainrules_py import RuleTable, default_rules
from chainrules_tape import (
    as_primitive,
    checkpoint,
    compiled,
    grad,
    hessian,
    jacobian,
    seen_through,
    value_and_grad,
)
from chainrules_tape.refusals.errors import InputError
from product.converting import KINDS, V


def area(p, q=2.0, *, scale=1.0):
    """The area of something."""
    return scale * p**2 * q


CALLS = {
    "by keyword alone": (lambda: grad(area)(p=3.0), 12.0),
    "a name, positional": (lambda: grad(area, argnums="q")(3.0, 5.0), 9.0),
    "a name, keyword": (lambda: grad(area, argnums="q")(3.0, q=5.0), 9.0),
    "a name, all keywords": (lambda: grad(area, argnums="p")(p=3.0, q=5.0), 30.0),
    "a keyword-only name": (lambda: grad(area, argnums="scale")(3.0, scale=2.0), 18.0),
    "a position, passed by keyword": (lambda: grad(area, argnums=1)(3.0, q=5.0), 9.0),
    "several names": (lambda: grad(area, argnums=("p", "q"))(3.0, q=5.0), (30.0, 9.0)),
    "a name and a position": (
        lambda: grad(area, argnums=("scale", 0))(3.0, scale=2.0),
        (18.0, 24.0),
    ),
    "several in a list": (lambda: grad(area, argnums=[0, -1])(3.0, 5.0), (30.0, 9.0)),
    "an integer of NumPy's": (lambda: grad(area, argnums=np.int64(1))(3.0, 5.0), 9.0),
    "value and gradient": (lambda: value_and_grad(area, argnums="q")(3.0, q=5.0), (45.0, 9.0)),
    "jacobian": (lambda: jacobian(area, "q")(3.0, q=5.0), 9.0),
    "jacobian, by keyword alone": (lambda: jacobian(area)(p=3.0), 12.0),
    "jacobian, of two": (lambda: jacobian(area, argnums=("q", 0))(3.0, q=5.0), (9.0, 30.0)),
    "hessian": (lambda: hessian(area, "p")(q=5.0, p=3.0), 10.0),
    "hessian, of two": (
        lambda: hessian(area, argnums=("p", "q"))(3.0, q=5.0),
        ((10.0, 6.0), (6.0, 0.0)),
    ),
    "hessian, by keyword alone": (lambda: hessian(area)(p=3.0), 4.0),
    "any keyword": (lambda: grad(lambda **named: named["a"] * named["b"], "a")(a=2.0, b=3.0), 3.0),
}


@pytest.mark.parametrize("name", CALLS)
def test_arguments_are_found_by_name(name):
    call, expected = CALLS[name]
    assert call() == expected


@pytest.mark.parametrize("transform", [grad, value_and_grad, jacobian, hessian])
@pytest.mark.parametrize("argnums", ["z", "q", 1, 5, 1.0, None], ids=repr)
def test_an_argument_that_was_not_passed_is_named(transform, argnums):
    with pytest.raises(InputError) as caught:
        transform(area, argnums)(3.0)
    assert caught.value.argument == argnums
    assert repr(argnums) in caught.value.got


@pytest.mark.parametrize("transform", [grad, value_and_grad, jacobian, hessian])
@pytest.mark.parametrize("argnums", [("p", 0), (0, -2)])
def test_an_argument_is_named_once(transform, argnums):
    with pytest.raises(InputError) as caught:
        transform(area, argnums)(3.0, 5.0)
    assert caught.value.argument == 0


@pytest.mark.parametrize("name", ["partial", "partial of seen", "object", "method", "of_class"])
@pytest.mark.parametrize("around", [seen_through, checkpoint, compiled, as_primitive])
def test_functions_of_all_kinds_pickle(name, around):
    kind, again = KINDS[name], pickle.loads(pickle.dumps(around(checkpoint(KINDS[name]))))
    np.testing.assert_allclose(grad(again)(V), grad(kind)(V), rtol=1e-12)


def test_another_process_computes_gradients():
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert list(pool.map(grad(np.sin), [0.0, np.pi])) == [1.0, -1.0]


def test_the_table_of_all_is_pickled_by_name_and_others_are_not():
    assert pickle.loads(pickle.dumps(default_rules)) is default_rules
    with pytest.raises((TypeError, AttributeError, pickle.PicklingError)):
        pickle.dumps(RuleTable(parent=default_rules, name="mine"))
