"""The picture of speed has a mark for each figure, further right for who is faster."""

import re
import xml.etree.ElementTree as ET

from benchmarks.picture import picture, place, speeds

PROGRAMS = {
    "a <small> program": {
        "tape": {"steady": 1.0},
        "compiled": {"steady": 0.5},
        "JAX": {"steady": 0.004},
        "autograd": {"steady": 4.0},
        "asdex": {"left out": "sparse Jacobians only"},
    },
    "another": {"tape": {"steady": 1.0}, "CasADi": {"steady": 20.0}},
}
SVG = "{http://www.w3.org/2000/svg}"


def marks(text: str) -> dict[str, float]:
    """What a pointer shows of each mark, and how far right it is."""
    found = {}
    for element in ET.fromstring(text).iter():
        title = element.find(f"{SVG}title")
        if title is not None and "transform" in element.attrib:
            x = re.match(r"translate\(([\d.]+) ", element.attrib["transform"])
            assert x is not None
            found[title.text or ""] = float(x[1])
    return found


def test_each_figure_is_a_mark_and_who_is_faster_is_further_right():
    found = marks(picture(PROGRAMS))
    assert len(found) == 4
    one = place(1.0, speeds(PROGRAMS))
    by_speed = sorted(found, key=lambda said: found[said])
    assert [said.split(": ")[1].split()[0] for said in by_speed] == ["0.05", "0.25", "2", "250"]
    assert [found[said] > one for said in by_speed] == [False, False, True, True]
    assert by_speed[-1].startswith("a <small> program, JAX")


def test_the_legend_names_those_who_were_measured():
    texts = {element.text for element in ET.fromstring(picture(PROGRAMS)).iter(f"{SVG}text")}
    assert {"compiled(grad(f))", "JAX", "autograd", "CasADi", "another"} <= texts
    assert not {"asdex", "PyTorch", "PyTensor"} & texts
