"""The line that says how far a long run is, and how long the rest takes."""

import io

import pytest

from chainrules_py.testing.progress import Bar


class Terminal(io.StringIO):
    def isatty(self):
        return True


def shown(spent, done, total):
    times = iter([100.0, 100.0 + spent])
    bar = Bar(Terminal(), clock=lambda: next(times))
    bar.show(done, total, "a case")
    return bar.stream.getvalue()


@pytest.mark.parametrize(
    ("spent", "done", "left"),
    [
        (10.0, 5, ", 10 s left"),
        (100.0, 1, ", 15 min 00 s left"),
        (90.0, 5, ", 1 min 30 s left"),
        (0.5, 5, ""),
        (10.0, 0, ""),
    ],
)
def test_the_rest_is_estimated_by_what_is_done(spent, done, left):
    assert f" {done}/10{left} a case" in shown(spent, done, 10)


def test_the_line_is_filled_by_what_is_done():
    assert f"[{'#' * 15}{' ' * 15}] 5/10" in shown(0.0, 5, 10)
