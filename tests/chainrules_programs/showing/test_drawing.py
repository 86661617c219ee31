"""The picture of a program is well-formed, complete, inside its frame, and safe for any name."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from chainrules_programs.recording.steps import reads
from chainrules_programs.showing.drawing import draw

X = np.array([0.5, -1.0, 2.0])
SVG = "{http://www.w3.org/2000/svg}"


def small(x, w):
    s = np.sin(x)
    np.cos(w)
    a, b = np.split(s * w, [1])
    return np.sum(a) + np.sum(b * s[1:]), s


@pytest.fixture
def picture():
    return draw(small, X, X)


@pytest.fixture
def root(picture):
    return ElementTree.fromstring(picture.svg)


def texts(root, kind):
    return [
        group.findtext(f"{SVG}text") for group in root.iter(f"{SVG}g") if group.get("class") == kind
    ]


def test_each_input_operation_and_result_has_a_box(picture, root):
    assert texts(root, "input") == ["x", "w"]
    assert texts(root, "result") == [f"return {name}" for name in picture.program.results]
    assert len(texts(root, "operation")) + len(texts(root, "unused")) == len(picture.program.steps)


def test_what_the_result_does_not_need_is_dashed(root):
    assert texts(root, "unused") == ["v2 = np.cos(w)"]


def test_each_operand_has_an_edge(picture, root):
    results = len(texts(root, "result"))
    edges = [path for path in root.iter(f"{SVG}path") if path.get("class") is None]
    assert len(edges) == sum(len(set(reads(call))) for call in picture.program.steps) + results


def test_everything_is_inside_the_frame(root):
    left, top, width, height = map(float, root.get("viewBox").split())
    for box in root.iter(f"{SVG}rect"):
        x, y = float(box.get("x")), float(box.get("y", 0))
        assert left <= x
        assert x + float(box.get("width")) <= left + width + 1
        assert top <= y
        assert y + float(box.get("height")) <= top + height + 1


def test_pointing_at_a_box_tells_the_rule_and_what_it_keeps(root):
    titles = [
        group.findtext(f"{SVG}title")
        for group in root.iter(f"{SVG}g")
        if "np.sin" in group.findtext(f"{SVG}text")
    ]
    assert len(titles) == 1
    assert "rrule(numpy.sin)" in titles[0]
    assert "keeps 24 B: x" in titles[0]


def test_a_box_tells_the_rule_of_a_table(own_rules):
    root = ElementTree.fromstring(draw(np.sin, X, rules=own_rules).svg)
    titles = [group.findtext(f"{SVG}title") or "" for group in root.iter(f"{SVG}g")]
    assert any("steeper_sin" in title for title in titles)


def test_the_more_is_kept_the_darker(root):
    fills = {
        g.findtext(f"{SVG}text"): g.find(f"{SVG}rect").get("fill")
        for g in root.iter(f"{SVG}g")
        if g.get("class") == "operation"
    }
    blue = {text: int(fill[5:], 16) for text, fill in fills.items()}
    assert blue["v3 = v1 * w"] < blue["v1 = np.sin(x)"] < 255 == blue["v6 = np.sum(v4)"]


def test_notebooks_and_files(picture, tmp_path):
    assert repr(picture.program) in repr(picture)
    picture.save(tmp_path / "picture.svg")
    assert (
        (tmp_path / "picture.svg").read_text(encoding="utf-8")
        == picture._repr_svg_()
        == picture.svg
    )


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
def folded_picture():
    return draw(kalman, np.eye(2), 0.5, np.ones((60, 1)))


def test_a_loop_of_sixty_steps_fits_on_a_page(folded_picture):
    """With a box for each of its operations it was 14,000 by 56,000."""
    root = ElementTree.fromstring(folded_picture.svg)
    _, _, width, height = map(float, root.get("viewBox").split())
    assert len(folded_picture.program.steps) > 1000
    assert width < 2000
    assert height < 4000
    assert len(texts(root, "operation")) < 60


def test_a_loop_begins_with_what_is_carried_and_leads_back(folded_picture):
    root = ElementTree.fromstring(folded_picture.svg)
    begin, end = (group for group in root.iter(f"{SVG}g") if group.get("class") == "loop")
    (head, carried), (back, last) = (
        [text.text for text in group.iter(f"{SVG}text")] for group in (begin, end)
    )
    assert head == "for k in range(59)"
    assert len(carried.split(", ")) == 3
    assert back.startswith(f"{carried} = ")
    assert last.endswith("at last")
    assert len([path for path in root.iter(f"{SVG}path") if path.get("class") == "back"]) == 1


def test_all_of_a_loop_is_between_its_ends(folded_picture):
    root = ElementTree.fromstring(folded_picture.svg)
    middles = [
        (
            group.get("class"),
            "(k + 1)" in group.findtext(f"{SVG}text") or "[k + 1]" in group.findtext(f"{SVG}text"),
            float(rect.get("y")),
        )
        for group in root.iter(f"{SVG}g")
        if (rect := group.find(f"{SVG}rect")) is not None
    ]
    begin, end = (y for kind, _, y in middles if kind == "loop")
    inside = [y for _, counts, y in middles if counts]
    assert len(inside) == 1
    assert begin < inside[0] < end


def long(x):
    for _ in range(150):
        x = np.concatenate([x, x[:1]])
    return x


@pytest.mark.parametrize(("limit", "operations"), [(20, 20), (None, 300)])
def test_what_is_long_and_not_repeated_is_cut_in_the_middle(limit, operations):
    root = ElementTree.fromstring(draw(long, X, limit=limit).svg)
    assert len(texts(root, "operation")) == operations
    assert texts(root, "cut") == ([f"{300 - operations} operations left out"] if limit else [])


def test_names_are_escaped():
    root = ElementTree.fromstring(draw(lambda p: p["<&>"] * 2.0, {"<&>": X}).svg)
    assert texts(root, "input") == ["p['<&>']"]


@pytest.mark.parametrize(
    "function",
    [lambda x: x, lambda x: 3.0, lambda x: (x, x)],
    ids=["identity", "constant", "twice"],
)
def test_programs_without_operations(function):
    root = ElementTree.fromstring(draw(function, X).svg)
    assert texts(root, "operation") == []
    assert len(texts(root, "result")) == 1
