"""The dashboard in a real browser: asv publishes a few figures, headless Chromium loads the pages
and draws them.

The pages load their scripts from public servers. The test hands out Debian's copies of the same
libraries instead, so that it needs no network: packages chromium, libjs-jquery, libjs-jquery-flot,
libjs-jquery-stupidtable, libjs-bootstrap.
"""

import functools
import json
import re
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from benchmarks import dashboard
from benchmarks.surroundings import git, tree_of

ROOT = Path(__file__).resolve().parent.parent.parent
CHROMIUM = shutil.which("chromium")
SHARE = Path("/usr/share/javascript")
SCRIPTS = {
    "jquery-3.3.1.min.js": "jquery/jquery.min.js",
    "jquery.flot.min.js": "jquery-flot/jquery.flot.min.js",
    "jquery.flot.time.min.js": "jquery-flot/jquery.flot.time.min.js",
    "jquery.flot.selection.min.js": "jquery-flot/jquery.flot.selection.min.js",
    "jquery.flot.categories.min.js": "jquery-flot/jquery.flot.categories.min.js",
    "stupidtable.min.js": "jquery-stupidtable/stupidtable.min.js",
    "bootstrap.min.js": "bootstrap/js/bootstrap.min.js",
    "bootstrap.min.css": "bootstrap/css/bootstrap.min.css",
}
REMOTE = re.compile(r'(src|href)="https://[^"]*/([^"/]+\.(?:js|css))" integrity="[^"]*"')

needs_git = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout")
pytestmark = [needs_git, pytest.mark.slow]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published pages, with the figures of one quick benchmark of each kind."""
    folder = tmp_path_factory.mktemp("asv")
    settings = {
        "version": 1,
        "project": "chainrules-py",
        "repo": str(ROOT),
        "branches": ["HEAD"],
        "environment_type": "existing",
        "benchmark_dir": str(ROOT / "benchmarks"),
        "results_dir": str(folder / "results"),
        "html_dir": str(folder / "html"),
    }
    (folder / "asv.conf.json").write_text(json.dumps(settings))
    machine = ["machine", "--yes"]
    run = [
        "run",
        "--python=same",
        "--set-commit-hash",
        git("rev-parse", "HEAD"),
        "--quick",
        "--bench",
        "^dispatch.Lookup",
    ]
    for arguments in (machine, run, ["publish"]):
        done = subprocess.run(
            [sys.executable, "-m", "asv", *arguments], cwd=folder, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
    return folder / "html"


class WithLocalScripts(SimpleHTTPRequestHandler):
    """Serves the pages, with Debian's scripts in the place of those from public servers."""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/index.html":
            self.reply(
                REMOTE.sub(
                    r'\1="/local/\2"', Path(self.directory, "index.html").read_text()
                ).encode(),
                "text/html",
            )
        elif path.startswith("/local/"):
            name = path.removeprefix("/local/")
            # Empty for the plugins of pages that are not looked at.
            content = (SHARE / SCRIPTS[name]).read_bytes() if name in SCRIPTS else b""
            self.reply(content, "text/css" if name.endswith("css") else "text/javascript")
        else:
            super().do_GET()

    def reply(self, content: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    if CHROMIUM is None or not all((SHARE / name).exists() for name in SCRIPTS.values()):
        pytest.skip(
            "needs Debian's chromium, libjs-jquery, libjs-jquery-flot, libjs-jquery-stupidtable and"
            " libjs-bootstrap"
        )
    handler = functools.partial(WithLocalScripts, directory=str(site))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/index.html"
    server.shutdown()
    thread.join()
    server.server_close()


def page(address: str, place: str, profile: Path) -> str:
    """The document as it is after its scripts have run."""
    options = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--window-size=1400,1000",
        f"--user-data-dir={profile}",
    ]
    command = [
        str(CHROMIUM),
        *options,
        "--virtual-time-budget=20000",
        "--dump-dom",
        f"{address}#{place}",
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


def benchmarks_of(site: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((site / "index.json").read_text())["benchmarks"]
    return found


def test_the_overview_shows_every_benchmark_under_its_title(
    site: Path, address: str, tmp_path: Path
) -> None:
    shown = page(address, "/", tmp_path)
    titles = [about["pretty_name"] for about in benchmarks_of(site).values()]
    assert len(titles) >= 3
    assert [title for title in titles if title not in shown] == []


@pytest.mark.parametrize("name", ["dispatch.Lookup.time_find", "dispatch.Lookup.time_canonical"])
def test_a_plot_is_drawn_with_its_unit(site: Path, address: str, tmp_path: Path, name: str) -> None:
    shown = page(address, f"{name}", tmp_path)
    assert re.search(r'<canvas[^>]*class="flot-base"', shown)
    assert 'class="axisLabel' in shown or "axisLabels" in shown
    assert benchmarks_of(site)[name]["unit"] == "seconds"
    assert "µs" in shown or "ns" in shown or "seconds" in shown


def test_the_list_shows_figures(address: str, tmp_path: Path) -> None:
    shown = page(address, "summarylist?sort=0&amp;dir=asc", tmp_path)
    assert re.search(r"\d+(\.\d+)?\s?(ns|μs|µs|ms)", shown)


def test_it_ends_with_a_command_that_exists_once_something_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dashboard, "RESULTS", tmp_path / "nothing")
    dashboard.say_where(tmp_path / "history.html")
    assert "preview" not in capsys.readouterr().out
    monkeypatch.setattr(dashboard, "RESULTS", tmp_path)
    dashboard.say_where(tmp_path / "history.html")
    said = capsys.readouterr().out.splitlines()
    assert (tmp_path / "history.html").as_uri() in said[1]
    done = subprocess.run(
        [*shlex.split(said[-1]), "--help"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "preview" in done.stdout


def test_last_commits() -> None:
    assert dashboard.last_commits(1) == [git("rev-parse", "HEAD")]


def test_tree_of_a_commit() -> None:
    with tree_of("HEAD") as tree:
        assert (tree / "pyproject.toml").read_text() == subprocess.run(
            ["git", "show", "HEAD:pyproject.toml"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert (tree / "chainrules_py" / "__init__.py").exists()
    assert not tree.exists()
