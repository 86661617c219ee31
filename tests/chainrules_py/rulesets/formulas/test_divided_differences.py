"""Divided differences against the recursion in 400 decimal digits, at nodes that are equal, nearly
so, near and far.
"""

import itertools
from decimal import Decimal, localcontext

import numpy as np
import pytest

from chainrules_py.rulesets.formulas.divided_differences import divided_differences

FUNCTIONS = {
    "exp": (np.exp, lambda x: x.exp()),
    "log": (np.log, lambda x: x.ln()),
    "sqrt": (np.sqrt, lambda x: x.sqrt()),
    "reciprocal": (np.reciprocal, lambda x: 1 / x),
    "cube": (lambda x: x**3, lambda x: x**3),
    "cancelling": (lambda x: np.exp(x) - 1, lambda x: x.exp() - 1),
}
GAPS = (0, 1e-16, 1e-12, 1e-8, 1e-4, 1e-2, 0.1, 0.3, 0.7, 2.0)


def in_many_digits(function, nodes):
    """The recursion, with equal nodes 1e-60 apart."""
    with localcontext(prec=400):
        x = [Decimal(float(node)) + Decimal(k).scaleb(-60) for k, node in enumerate(nodes)]
        row = [function(node) for node in x]
        for k in range(1, len(x)):
            row = [(row[i + 1] - row[i]) / (x[i + k] - x[i]) for i in range(len(x) - k)]
        return float(row[0])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("base", [1e-8, 0.7])
@pytest.mark.parametrize("order", [1, 2])
def test_to_13_digits_however_far_apart(name, base, order):
    h, function = FUNCTIONS[name]
    for gap, scale in itertools.product(GAPS, {base, 1.0}):
        nodes = np.array([base, base + gap * scale, base + 2.1 * gap * scale])
        table = divided_differences(h, nodes, order, np)
        for index in itertools.combinations_with_replacement(range(3), order + 1):
            expected = in_many_digits(function, nodes[list(index)])
            np.testing.assert_allclose(
                table[index], expected, rtol=1e-13, err_msg=f"{gap}, {scale}, {index}"
            )


@pytest.mark.parametrize("name", ["exp", "reciprocal"])
def test_third_order(name):
    h, function = FUNCTIONS[name]
    nodes = np.array([0.5, 0.5 + 1e-9, 0.52, 2.0])
    table = divided_differences(h, nodes, 3, np)
    for index in itertools.combinations_with_replacement(range(4), 4):
        np.testing.assert_allclose(
            table[index], in_many_digits(function, nodes[list(index)]), rtol=1e-11
        )


def test_every_order_of_the_indices_is_the_same():
    table = divided_differences(np.exp, np.array([0.1, 0.2, 3.0]), 2, np)
    for axes in itertools.permutations(range(3)):
        np.testing.assert_array_equal(table, table.transpose(axes))


def test_single_precision():
    nodes = np.array([0.5, 0.5 + 1e-6, 0.6, 2.0], np.float32)
    table = divided_differences(np.log, nodes, 1, np)
    assert table.dtype == np.float32
    for index in itertools.combinations_with_replacement(range(4), 2):
        np.testing.assert_allclose(
            table[index], in_many_digits(FUNCTIONS["log"][1], nodes[list(index)]), rtol=5e-6
        )


@pytest.mark.parametrize("d", [1e-10, 1.0])
@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (np.sign, lambda d: 0.5 / d),
        (np.abs, lambda d: 0.5),
        (np.reciprocal, lambda d: 1 / (3 * d**2)),
    ],
    ids=["jump", "kink", "pole"],
)
def test_what_lies_between_two_nodes_has_no_say(function, expected, d):
    table = divided_differences(function, np.array([-d, 3 * d]), 1, np)
    np.testing.assert_allclose(table[0, 1], expected(d), rtol=1e-14)
