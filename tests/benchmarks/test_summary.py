"""The page of figures holds every target, with a verdict where something was measured, and names no
folder of the machine.
"""

import pytest

from benchmarks import summary
from benchmarks.markdown import seconds
from benchmarks.targets import TARGETS, Target, key

TIME = Target(
    "time",
    key("peers.Ratios.track_ratio", "p", "torch"),
    0.7,
    ours=key("t", "ours"),
    peer=key("t", "torch"),
)
OVERHEAD = Target("overhead", key("overhead"), 1.2, "µs")


@pytest.mark.parametrize(
    ("value", "verdict"), [(0.69, "met"), (0.7, "met"), (0.71, "not met"), (None, "not measured")]
)
def test_verdict(value: float | None, verdict: str):
    figures = {} if value is None else {TIME.figure: value}
    assert summary.verdict(TIME, figures) == verdict


def test_row_of_a_ratio():
    figures = {TIME.figure: 0.5, key("t", "ours"): 1e-3, key("t", "torch"): 2e-3}
    assert summary.target_row(TIME, figures) == ("time", "1 ms", "2 ms", "0.50", "≤ 0.7", "met")


def test_row_of_a_figure_with_a_unit():
    assert summary.target_row(OVERHEAD, {OVERHEAD.figure: 1.5}) == (
        "overhead",
        "1.50 µs",
        "–",
        "–",
        "≤ 1.2 µs",
        "not met",
    )


def test_every_row_is_in_the_table_when_nothing_was_measured():
    lines = summary.targets_table({}).splitlines()
    assert len(lines) == 2 + len(TARGETS)
    assert all("not measured" in line for line in lines[2:])


def test_document_has_what_is_missed_and_names_no_folder_of_the_machine():
    missed = key("peers.Ratios.track_ratio", "chain, size 1", "torch")
    document = summary.document({missed: 2.0}, "0" * 40)
    assert "| chain, size 1: time / torch |" in document
    assert str(summary.ROOT) not in document
    assert "| chain, size 1: time / torch |" not in summary.document({missed: 0.1}, "0" * 40)


def test_solvers_have_a_row_for_each_of_their_parameters():
    measured = {
        key("equations.Sums.track_gradient", "odeint"): 23.28,
        key("equations.Sensitivities.track_jacobian", "LSODA", "forward differences"): 2.23,
        key("equations.Stiff.track_gradient"): 1.44,
    }
    lines = summary.solvers_table(measured).splitlines()[2:]
    found = [line for line in lines if "–" not in line]
    assert [line.split("|")[-2].strip() for line in found] == ["2.23", "23.28", "1.44"]
    assert "LSODA, forward differences" in found[0]
    assert len(lines) == len(set(lines)) > 20


@pytest.mark.parametrize(
    ("value", "written"),
    [(2.0, "2 s"), (1.234e-3, "1.23 ms"), (5e-6, "5 µs"), (5e-10, "0.5 ns"), (None, "–")],
)
def test_seconds(value: float | None, written: str):
    assert seconds(value) == written
