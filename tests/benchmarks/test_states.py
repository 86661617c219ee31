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


def test_instructions_are_those_of_python_alone():
    def add(count: int) -> int:
        return sum([k + 1 for k in range(count)])

    ten, twenty = states.instructions(lambda: add(10)), states.instructions(lambda: add(20))
    assert 10 < ten < twenty < 2 * ten
    assert states.instructions(lambda: add(10)) == ten


def test_the_table_ends_with_geometric_means():
    head, *lines = states.table({"a": (0.5, 1.0), "b": (2.0, 4.0)}).splitlines()
    assert head.split()[-2:] == ["time", "instructions"]
    assert [line.split()[-2:] for line in lines] == [
        ["0.500", "1.000"],
        ["2.000", "4.000"],
        ["1.000", "2.000"],
    ]
