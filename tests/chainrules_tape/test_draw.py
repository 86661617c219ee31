"""The picture of a program is well-formed, complete, inside its frame, and safe for any name."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from chainrules_tape.draw import draw

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
    return [group.findtext(f"{SVG}text") for group in root.iter(f"{SVG}g") if group.get("class") == kind]


def test_each_input_operation_and_result_has_a_box(picture, root):
    assert texts(root, "input") == ["x", "w"]
    assert texts(root, "result") == [f"return {name}" for name in picture.program.results]
    assert len(texts(root, "operation")) + len(texts(root, "unused")) == len(picture.program.operations)


def test_what_the_result_does_not_need_is_dashed(root):
    assert texts(root, "unused") == ["v2 = np.cos(w)"]


def test_each_operand_has_an_edge(picture, root):
    results = len(texts(root, "result"))
    edges = [path for path in root.iter(f"{SVG}path") if path.get("class") is None]
    assert len(edges) == sum(len(operation.reads) for operation in picture.program.operations) + results


def test_everything_is_inside_the_frame(root):
    left, top, width, height = map(float, root.get("viewBox").split())
    for box in root.iter(f"{SVG}rect"):
        x, y = float(box.get("x")), float(box.get("y", 0))
        assert left <= x
        assert x + float(box.get("width")) <= left + width + 1
        assert top <= y
        assert y + float(box.get("height")) <= top + height + 1


def test_pointing_at_a_box_tells_the_rule_and_what_it_keeps(root):
    titles = [group.findtext(f"{SVG}title") for group in root.iter(f"{SVG}g") if "np.sin" in group.findtext(f"{SVG}text")]
    assert len(titles) == 1
    assert "rrule(numpy.sin)" in titles[0]
    assert "keeps 24 B: x" in titles[0]


def test_the_more_is_kept_the_darker(root):
    fills = {
        g.findtext(f"{SVG}text"): g.find(f"{SVG}rect").get("fill")
        for g in root.iter(f"{SVG}g")
        if g.get("class") == "operation"
    }
    blue = {text: int(fill[5:], 16) for text, fill in fills.items()}
    assert blue["v3 = v1 * w"] < blue["v1 = np.sin(x)"] < 255 == blue["v6 = np.sum(v4)"]


def test_notebooks_and_files(picture, tmp_path):
    picture.save(tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").read_text(encoding="utf-8") == picture._repr_svg_() == picture.svg


def test_names_are_escaped():
    root = ElementTree.fromstring(draw(lambda p: p["<&>"] * 2.0, {"<&>": X}).svg)
    assert texts(root, "input") == ["p['<&>']"]


@pytest.mark.parametrize("function", [lambda x: x, lambda x: 3.0, lambda x: (x, x)], ids=["identity", "constant", "twice"])
def test_programs_without_operations(function):
    root = ElementTree.fromstring(draw(function, X).svg)
    assert texts(root, "operation") == []
    assert len(texts(root, "result")) == 1
