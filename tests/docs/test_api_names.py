"""The first page of the API has a line for each public name; the search finds each function."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def api_names():
    pytest.importorskip("sphinx", reason="Sphinx is not installed (extra: docs)")
    spec = importlib.util.spec_from_file_location("api_names", DOCS / "_site/api_names.py")
    sys.modules["api_names"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules["api_names"]


def test_each_name_has_a_line(api_names):
    pages = [path for path in (DOCS / "api").glob("*.md") if path.stem not in ("index", "adapters")]
    for page in pages:
        rows = [line for line in api_names.lines(page.stem) if line.startswith("| {py:obj}")]
        listed = re.findall(r"^\.\. auto\w+:: (\S+)", page.read_text(), re.MULTILINE)
        assert [re.search("`(\\S+)", row)[1] for row in rows] == listed
        assert [row for row in rows if row.endswith("|  |")] == []


def test_every_page_of_the_list_is_there(api_names):
    index = (DOCS / "api/index.md").read_text()
    pages = api_names.ORDER.findall(index.partition(":maxdepth: 1")[2].partition("```")[0])
    assert {*pages, "index"} == {path.stem for path in (DOCS / "api").glob("*.md")}
