"""The graph of a program is complete, in order, and safe for any name."""

import re

import numpy as np
import pytest

from chainrules_programs.showing.drawing import draw

X = np.array([0.5, -1.0, 2.0])
BOX = re.compile(r'(n\d+)(?:\[|\(\[)"(.*?)"')
SMALL = """\
flowchart TD
n0(["x<br>float64[3]"])
n1(["w<br>float64[3]"])
n2["v1 = np.sin(x)<br>float64[3] · keeps 24 B"]
n3["v2 = np.cos(w)<br>float64[3] · keeps 24 B"]:::unused
n4["v3 = v1 #42; w<br>float64[3] · keeps 48 B"]
n5["v4, v5 = np.modf(v3)<br>float64[3], float64[3]"]
n6["v6 = np.sum(v4)<br>float64"]
n7["v7 = v5[1:]<br>float64[2]"]
n8["v8 = v1[1:]<br>float64[2]"]
n9["v9 = v7 #42; v8<br>float64[2] · keeps 48 B"]
n10["v10 = np.sum(v9)<br>float64"]
n11["v11 = v6 + v10<br>float64"]
n12(["return v11"])
n13(["return v1"])
n0 --> n2
n1 --> n3
n1 --> n4
n2 --> n4
n4 --> n5
n5 --> n6
n5 --> n7
n2 --> n8
n7 --> n9
n8 --> n9
n9 --> n10
n6 --> n11
n10 --> n11
n11 --> n12
n2 --> n13
classDef unused stroke-dasharray: 4 3"""


def small(x, w):
    s = np.sin(x)
    np.cos(w)
    a, b = np.modf(s * w)
    return np.sum(a) + np.sum(b[1:] * s[1:]), s


def boxes(graph):
    """The text of each box by its name."""
    return dict(match.groups() for line in graph.lines if (match := BOX.match(line)))


def test_a_small_program():
    graph = draw(small, X, X)
    assert str(graph) == repr(graph) == SMALL
    assert graph._repr_markdown_() == f"```mermaid\n{SMALL}\n```\n"


def filter_step(a, q, mean, cov, y):
    cov = a @ cov @ a.T + q * np.eye(2)
    s = cov[:1, :1] + 1.0
    gain = np.linalg.solve(s, cov[:1]).T
    innovation = y - (a @ mean)[:1]
    return (
        a @ mean + gain @ innovation,
        cov - gain @ cov[:1],
        innovation @ np.linalg.solve(s, innovation),
    )


def kalman(a, q, observations):
    mean, cov, total = np.zeros(2), np.eye(2), 0.0
    for y in observations:
        mean, cov, surprise = filter_step(a, q, mean, cov, y)
        total = total + surprise
    return total


@pytest.fixture(scope="module")
def folded():
    return draw(kalman, np.eye(2), 0.5, np.ones((60, 1)))


def test_a_loop_is_drawn_once(folded):
    assert len(folded.program.steps) > 1000
    assert len(boxes(folded)) < 60


def test_a_loop_begins_with_what_is_carried_and_leads_back(folded):
    frame, last = (
        k for k, line in enumerate(folded.lines) if line.startswith("subgraph") or line == "end"
    )
    texts = boxes(folded)
    inside = [line.split("[")[0] for line in folded.lines[frame + 1 : last]]
    first, end = inside[0], inside[-1]
    head, carried = texts[first].split("<br>")
    back, after = texts[end].split("<br>")
    assert head == "for k in range(59)"
    assert len(carried.split(", ")) == 3
    assert back.startswith(f"{carried} = ")
    assert after.endswith("at last")
    assert f"{end} -.-> {first}" in folded.lines
    counted = [name for name, text in texts.items() if "[k + 1]" in text]
    assert len(counted) == 1
    assert counted[0] in inside


@pytest.mark.parametrize("limit", range(1, 24))
def test_frames_are_closed_and_arrows_lead_to_boxes_wherever_it_is_cut(limit):
    graph = draw(kalman, np.eye(2), 0.5, np.ones((60, 1)), limit=limit)
    depth, names = 0, boxes(graph)
    for line in graph.lines:
        depth += line.startswith("subgraph") - (line == "end")
        assert depth >= 0
        if match := re.fullmatch(r"(n\d+) (?:-->|-\.->) (n\d+)", line):
            assert set(match.groups()) <= names.keys()
    assert depth == 0


def test_names_are_escaped():
    graph = draw(lambda p: p['<&>"#'] * 2.0, {'<&>"#': X})
    assert boxes(graph)["n0"] == "p['#60;#38;#62;#34;#35;']<br>float64[3]"


@pytest.mark.parametrize(
    ("function", "result"),
    [
        (lambda x: x, ['n1(["return x"])', "n0 --> n1"]),
        (lambda x: 3.0, ['n1(["return 3.0"])']),
        (lambda x: (x, x), ['n1(["return x"])', "n0 --> n1"]),
    ],
    ids=["identity", "constant", "twice"],
)
def test_programs_without_operations(function, result):
    assert list(draw(function, X).lines[2:-1]) == result
