"""The report on two Jacobians shows the worst entries first and recognises the patterns of frequent
mistakes.
"""

import numpy as np
import pytest

from chainrules_py.testing import Layout
from chainrules_py.testing.diagnosis import diagnose
from chainrules_py.testing.jacobian_report import JacobianPair, table

A = np.arange(1.0, 7.0).reshape(2, 3)
S = np.random.default_rng(0).normal(size=(4, 4))


def pair(rule, oracle, inputs, outputs, argument="x"):
    return JacobianPair(
        argument, Layout(inputs), Layout(outputs), rule, oracle, np.zeros_like(oracle)
    )


def test_the_worst_entries_come_first_and_right_ones_not_at_all():
    rule = A.copy()
    rule[0, 1] += 1.0
    rule[1, 2] += 5.0
    rule[1, 0] = np.nan
    found = pair(rule, A, np.ones(3), np.ones(2)).worst(1e-6)
    assert [(entry.output, entry.index) for entry in found] == [
        ("[1]", "[0]"),
        ("[1]", "[2]"),
        ("[0]", "[1]"),
    ]
    assert found[1].error == pytest.approx(5.0)


def test_only_infinity_is_near_an_infinite_entry():
    oracle, rule = A.copy(), A.copy()
    oracle[0, 0], rule[1, 1] = np.inf, 6.0
    found = pair(rule, oracle, np.ones(3), np.ones(2))
    assert np.argwhere(found.wrong(1e-6)).tolist() == [[0, 0], [1, 1]]
    assert diagnose(found).kind == "wrong"
    assert not pair(oracle, oracle, np.ones(3), np.ones(2)).wrong(1e-6).any()


def test_the_table_is_aligned():
    rule = A.copy()
    rule[0, 0] = 100.0
    rule[1, 1] = -7.25
    lines = table(pair(rule, A, np.ones(3), np.ones(2)).worst(1e-6)).splitlines()
    assert lines[0].split() == ["output", "input", "rule", "oracle", "error"]
    assert lines[1].split() == ["out[0]", "x[0]", "100", "1", "99"]
    assert len({len(line) for line in lines}) == 1


@pytest.mark.parametrize(
    ("rule", "oracle", "kind", "word"),
    [
        (S / 2, S, "factor", "multiply by 2"),
        (1.5 * S, S, "factor", "2/3"),
        (S.T, S, "transposed", "Jacobian"),
        (S[:, [0, 2, 1, 3]], S, "transposed", "argument"),
        (S[[0, 2, 1, 3]], S, "transposed", "output"),
        (S / np.array([2.0, 3.0, 4.0, 5.0]), S, "factor", "missing: the argument"),
        (S * np.array([7.0, 3.0, 5.0, 2.0])[:, None], S, "factor", "too many: the output"),
        (np.where(S > 0, S, np.nan), S, "not-finite", "strong zero"),
    ],
)
def test_patterns_of_real_jacobians(rule, oracle, kind, word):
    inputs, outputs = np.array([[2.0, 3.0], [4.0, 5.0]]), np.array([[7.0, 3.0], [5.0, 2.0]])
    found = diagnose(pair(rule, oracle, inputs, outputs))
    assert found.kind == kind
    assert word in found.sentence
