"""The listing of a program: forward as it ran, reverse as the sweep goes."""

import numpy as np
import pytest

from chainrules_programs.showing.listing import in_bytes, show

X = np.array([0.5, -1.0, 2.0])


def loss(x, w):
    return np.sum(w * np.sin(x)) + x[0]


@pytest.fixture
def listing():
    return show(loss, X, np.ones((2, 3)))


def code(line):
    return line.partition("#")[0].strip()


def test_forward_lines_are_python_that_computes_the_same(listing):
    forward = listing.lines[: listing.lines.index("")]
    namespace = {"np": np}
    exec("\n".join(forward), namespace)
    assert namespace["loss"](X, np.ones((2, 3))) == loss(X, np.ones((2, 3)))


def test_reverse_lines(listing):
    reverse = [code(line) for line in listing.lines[listing.lines.index("") + 1 :]]
    assert reverse == [
        "def pullback(v5_bar):",
        "v3_bar, v4_bar = add_pullback(v5_bar)",
        "x_bar = getitem_pullback(v4_bar)",
        "v2_bar = sum_pullback(v3_bar)",
        "w_bar, v1_bar = multiply_pullback(v2_bar)",
        "x_bar = sin_pullback(v1_bar)",
        "return x_bar, w_bar",
    ]


def test_each_line_says_shape_rule_and_memory(listing):
    (sine,) = (line for line in listing.lines if "np.sin(x)" in line)
    assert "float64[3]" in sine
    assert "sin_rrule, elementwise.py:" in sine
    assert sine.endswith("keeps 24 B: x")
    (back,) = (line for line in listing.lines if "sin_pullback" in line)
    assert back.endswith("frees 24 B, adds to x_bar")


def test_everything_kept_is_freed_once(listing):
    freed = [
        int(line.split("frees ")[1].split(" B")[0]) for line in listing.lines if "frees" in line
    ]
    assert sum(freed) == listing.program.nbytes == 24 + 24 + 48  # x, sin(x), w


def test_comments_are_in_one_column(listing):
    columns = {line.index("#") for line in listing.lines[1:] if "#" in line}
    assert len(columns) == 1


def test_what_the_result_does_not_need_is_not_in_reverse():
    lines = [code(line) for line in show(lambda x: (np.cos(x), np.sin(x))[1], X).lines]
    assert "v1 = np.cos(x)" in lines
    assert not any("cos_pullback" in line for line in lines)


def test_a_constant_result():
    lines = [code(line) for line in show(lambda x: 3.0, X).lines]
    assert lines == ["def f(x):", "return 3.0", "", "def pullback():", "return x_bar"]


def test_prints_in_a_session_and_in_a_notebook(listing):
    assert repr(listing) == str(listing) == "\n".join(listing.lines)


def test_names_the_rules_of_a_table(own_rules):
    (line,) = [line for line in show(np.sin, X, rules=own_rules).lines if "np.sin" in line]
    assert "steeper_sin" in line


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1234, "1.23 kB"), (5_000_000, "5 MB"), (2e9, "2 GB")],
)
def test_bytes(count, text):
    assert in_bytes(int(count)) == text
