"""The search field of the coverage page, in a browser: rows stay whose function has every word, and
the page says how many.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

SITE = Path(__file__).parents[2] / "docs"
NAMES = ["numpy.linalg.solve", "numpy.linalg.solve_triangular", "numpy.sin", "scipy.linalg.solve"]
BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no browser to run the script in")


def shown(page: Path, words: str) -> tuple[list[str], str]:
    """The rows that the browser shows for an address that asks for some words, and the count that
    it writes.
    """
    address = f"{page.as_uri()}#q={words}"
    command = [
        BROWSER,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={page.parent}",
        "--dump-dom",
        address,
    ]
    text = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    rows = re.findall(r"<tr( hidden=\"\")?><td>(.*?)</td>", text)
    return [name for hidden, name in rows if not hidden], re.findall(
        "<output>(.*?)</output>", text
    )[0]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A page with the form, a table and the script of the site."""
    form = re.search(
        r'FORM = """\\\n(.*?)"""',
        (SITE / "_site" / "rule_pages.py").read_text(encoding="utf-8"),
        re.S,
    )
    rows = "".join(f"<tr><td>{name}</td></tr>" for name in NAMES)
    script = (SITE / "_static" / "filter.js").read_text(encoding="utf-8")
    page = tmp_path_factory.mktemp("filter") / "page.html"
    table = (
        f'<table id="rules"><thead><tr><th>function</th></tr></thead><tbody>{rows}</tbody></table>'
    )
    page.write_text(
        f"<html><body>{form[1]}{table}<script>{script}</script></body></html>", encoding="utf-8"
    )
    return page


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", NAMES),
        ("numpy", NAMES[:3]),
        ("SOLVE%20scipy", NAMES[3:]),
        ("linalg%20solve%20numpy", NAMES[:2]),
        ("no.such.name", []),
    ],
)
def test_rows_with_every_word_stay(page, words, expected):
    assert shown(page, words) == (expected, f"{len(expected)} of {len(NAMES)} functions")
