"""Each program of the gallery has a page, a picture, a place in the index and a file of tests, and
there are no others.
"""

from pathlib import Path

ROOT = Path(__file__).parents[3]
PROGRAMS = {path.stem for path in ROOT.glob("examples/gallery/*.py")}


def test_each_program_has_a_page_a_picture_and_tests():
    assert {path.stem for path in ROOT.glob("docs/gallery/*.md")} == PROGRAMS | {"index"}
    assert {path.stem for path in ROOT.glob("docs/gallery/images/*")} == PROGRAMS
    assert {
        path.stem.removeprefix("test_") for path in Path(__file__).parent.glob("test_*.py")
    } == PROGRAMS | {"pages"}


def test_each_page_shows_its_program_and_its_picture():
    pages = {
        name: (ROOT / f"docs/gallery/{name}.md").read_text(encoding="utf-8") for name in PROGRAMS
    }
    shown = "{{literalinclude}} ../../examples/gallery/{0}.py"
    assert [
        name
        for name, page in pages.items()
        if shown.format(name) not in page or f"](images/{name}.png)" not in page
    ] == []


def test_the_index_leads_to_each_page():
    index = (ROOT / "docs/gallery/index.md").read_text(encoding="utf-8")
    assert [
        name
        for name in PROGRAMS
        if f"]({name}.md)" not in index or f"](images/{name}.png)" not in index
    ] == []
