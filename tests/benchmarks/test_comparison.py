"""Engines are compared only where their gradients agree, ratios are of paired runs, and who is left
out says why.
"""

from dataclasses import replace

import pytest

from benchmarks.comparison import Comparison, DisagreementError, candidates, require_agreement
from benchmarks.engines import BY_HAND, ENGINES, OURS
from benchmarks.programs import PROGRAMS

CHAIN = PROGRAMS["chain, size 1"]


def test_a_wrong_gradient_is_not_timed():
    def wrong(parameters, data):
        value, (x_bar,) = CHAIN.by_hand(parameters, data)
        return value, (x_bar * (1 + 1e-6),)

    program = replace(CHAIN, by_hand=wrong)
    runs = {name: ENGINES[name].gradient(program) for name in (OURS, BY_HAND)}
    with pytest.raises(DisagreementError):
        require_agreement(program, runs)


def test_who_is_left_out_says_why():
    program = replace(
        CHAIN,
        left_out={"autograd": "a reason", "jax-jit": "another"},
        by_hand=None,
    )
    runs, left_out = candidates(program)
    assert "autograd" not in runs
    assert left_out["autograd"] in {"a reason", "autograd is not installed"}
    assert BY_HAND in left_out
    with pytest.raises(NotImplementedError, match="left out"):  # which asv takes for: no figure
        Comparison({OURS: [1.0]}, left_out).ratio("autograd")


def test_ratio_is_of_pairs():
    slow_moment = 10.0  # a pause of the machine in the second round hits both
    comparison = Comparison(
        {OURS: [1.0, slow_moment, 1.2], "peer": [2.0, 2 * slow_moment, 2.4]}, {}
    )
    assert comparison.ratio("peer") == 0.5
    assert comparison.seconds("peer") == 2.4


def test_a_library_without_a_gradient_of_its_own_is_compared_with_ours():
    samples = {
        OURS: [1.0],
        "torch": [2.0],
        "ours on tensors": [3.0],
        "ours on array_api_strict's": [5.0],
    }
    comparison = Comparison(
        samples, {"ours under jax.jit": "a reason", "jax-jit": "a reason"}, {"torch": 1.1}
    )
    assert comparison.ratio_elsewhere("torch") == 1.1
    assert comparison.ratio_elsewhere("array-api") == 5.0
    with pytest.raises(NotImplementedError, match="a reason"):
        comparison.ratio_elsewhere("jax-jit")
