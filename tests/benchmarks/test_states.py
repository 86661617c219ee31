"""The code of two folders is timed in processes that take turns."""

from pathlib import Path

from benchmarks import states

ROOT = Path(__file__).resolve().parent.parent.parent
CASE = "grad, 1 operation"


def test_code_is_as_fast_as_itself(monkeypatch):
    monkeypatch.setattr(states, "PAIRS", 1)
    monkeypatch.setattr(states, "SECONDS", 0.005)
    found = states.quotients(ROOT, ROOT, [CASE])
    assert found.keys() == {CASE}
    time, instructions = found[CASE]
    assert 0.1 < time < 10.0  # one short turn each, on machines however busy
    assert instructions == 1.0
