"""Answers as people and programs read them."""

import io
import json

from chainrules_command.answers import Answer, Table, write_answer

TABLE = Table(("name", "count"), [("a[bold]", "1"), ("b" * 300, "22")], right=("count",))


def written(answer, *, as_json=False):
    out = io.StringIO()
    write_answer(answer, out, as_json=as_json)
    return out.getvalue()


def test_a_table_has_a_line_per_row_where_no_terminal_reads_it():
    lines = [line.split() for line in written(Answer([], [TABLE])).splitlines() if line.strip()]
    assert lines[0] == ["name", "count"]
    assert lines[2:] == [["a[bold]", "1"], ["b" * 300, "22"]]


def test_parts_follow_each_other():
    lines = written(Answer([], ["before", TABLE, "after"])).splitlines()
    assert (lines[0], lines[-1]) == ("before", "after")


def test_json_has_the_data_and_nothing_else():
    assert json.loads(written(Answer({"x": ["µ", 1]}, ["text"]), as_json=True)) == {"x": ["µ", 1]}
