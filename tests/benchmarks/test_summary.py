"""The page of figures holds every target, with a verdict where something was measured, and names no
folder of the machine.
"""

import pytest

from benchmarks import summary
from benchmarks.targets import TARGETS, Target, key

TIME = Target(
    "time",
    key("peers.Ratios.track_ratio", "p", "torch"),
    0.7,
    ours=key("t", "ours"),
    peer=key("t", "torch"),
)


@pytest.mark.parametrize(
    ("value", "verdict"), [(0.69, "met"), (0.7, "met"), (0.71, "not met"), (None, "not measured")]
)
def test_verdict(value: float | None, verdict: str):
    figures = {} if value is None else {TIME.figure: value}
    assert summary.verdict(TIME, figures) == verdict


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
